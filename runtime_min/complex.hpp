// complex.hpp - complex numbers: the real and the imaginary part, side by side.
#pragma once

namespace onnxc {

// Laid out as two T in a row, so that a caller may pass an array of T, of std::complex<T> or of C's
// T _Complex.
template <class T>
struct complex_number {
  T re, im;
};

template <class T>
inline bool operator==(complex_number<T> a, complex_number<T> b) {
  return a.re == b.re && a.im == b.im;
}
template <class T>
inline bool operator!=(complex_number<T> a, complex_number<T> b) {
  return !(a == b);
}
// By the real part, then by the imaginary one: an order to sort by.
template <class T>
inline bool operator<(complex_number<T> a, complex_number<T> b) {
  return a.re < b.re || (a.re == b.re && a.im < b.im);
}
template <class T>
inline complex_number<T> operator+(complex_number<T> a, complex_number<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline complex_number<T> operator*(complex_number<T> a, complex_number<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// A real weight, as interpolation has.
template <class T>
inline complex_number<T> operator*(T a, complex_number<T> b) {
  return {a * b.re, a * b.im};
}

template <class T>
constexpr bool kIsComplex = false;
template <class T>
constexpr bool kIsComplex<complex_number<T>> = true;

// The type of the parts; any other type is its own.
template <class T>
struct real_part {
  using type = T;
};
template <class T>
struct real_part<complex_number<T>> {
  using type = T;
};
template <class T>
using real_t = typename real_part<T>::type;

using complex64 = complex_number<float>;
using complex128 = complex_number<double>;

}  // namespace onnxc
