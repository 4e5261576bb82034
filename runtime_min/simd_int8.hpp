// simd_int8.hpp - vectors of 8-bit integers: four products a lane summed in 32 bits, and bytes as
// floats and back.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/flash.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// N lanes of 32 bits: sums, or four bytes each. Unsigned, so that sums wrap.
template <int N>
using words = typename VecOf<N>::bits;
using vwords = words<kLanes>;

// Other vectors of N lanes: signed integers, two of 16 bits a lane, and N integers of 16 and of
// 8 bits.
template <int N>
struct LanesOf {
  using numbers = Vector<std::int32_t, N>;
  using pairs = Vector<std::int16_t, 2 * N>;
  using pair_bits = Vector<std::uint16_t, 2 * N>;
  using halves = Vector<std::int16_t, N>;
  using signed_bytes = Vector<std::int8_t, N>;
  using unsigned_bytes = Vector<std::uint8_t, N>;
};
template <>
struct LanesOf<1> {
  using numbers = std::int32_t;
  using halves = std::int16_t;
};
template <int N>
using numbers_of = typename LanesOf<N>::numbers;
template <int N>
using halves_of = typename LanesOf<N>::halves;
template <int N, class B>
using bytes_of = std::conditional_t<std::is_signed_v<B>, typename LanesOf<N>::signed_bytes,
                                    typename LanesOf<N>::unsigned_bytes>;

// Words of four bytes as copied from memory, with the first byte in the lowest bits.
template <class W>
[[gnu::always_inline]] inline W first_byte_lowest(W w) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return w << 24 | (w << 8 & 0xff0000u) | (w >> 8 & 0xff00u) | w >> 24;
#else
  return w;
#endif
}

// Four bytes in every lane; p needs no alignment.
template <class W>
[[gnu::always_inline]] inline W broadcast_word(const std::uint8_t* p) {
  std::uint32_t word;
  std::memcpy(&word, p, sizeof word);
  return W{} + first_byte_lowest(word);
}

template <class W>
[[gnu::always_inline]] inline W load_words(const void* p) {
  W w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// Four bytes in every lane.
template <class W>
[[gnu::always_inline]] inline W load_words(const std::int8_t* p) {
  return first_byte_lowest(load_words<W>(static_cast<const void*>(p)));
}

// Words as they are. A single one is read as such: a copy of bytes of an unknown alignment is a
// call on cores that have no access to such words.
template <class W>
[[gnu::always_inline]] inline W load_words(const std::int32_t* p) {
  if constexpr (sizeof(W) == sizeof *p) {
    return static_cast<W>(*p);
  } else {
    return load_words<W>(static_cast<const void*>(p));
  }
}
template <class W>
[[gnu::always_inline]] inline W load_words(const std::uint32_t* p) {
  if constexpr (sizeof(W) == sizeof *p) {
    return static_cast<W>(*p);
  } else {
    return load_words<W>(static_cast<const void*>(p));
  }
}

template <class W>
[[gnu::always_inline]] inline void store_words(void* p, W w) {
  std::memcpy(p, &w, sizeof w);
}

namespace bytes_detail {

// Any target: the products one after the other.
template <class W>
[[gnu::always_inline]] inline W dot_plain(W sum, W u, W s) {
  using I = numbers_of<lanes<W>>;
#pragma GCC unroll 4
  for (int i = 0; i < 32; i += 8) {
    const I number = same_bits<I>(static_cast<W>(s << (24 - i))) >> 24;
    sum += ((u >> i) & 0xffu) * same_bits<W>(number);
  }
  return sum;
}

#if defined(__SSE2__)
// Products of neighbouring 16-bit integers, added in pairs.
template <class W>
[[gnu::always_inline]] inline W multiply_pairs(W a, W b) {
  using Pairs = typename LanesOf<lanes<W>>::pairs;
  const Pairs x = same_bits<Pairs>(a), y = same_bits<Pairs>(b);
  if constexpr (sizeof(W) == 16) {
    return same_bits<W>(__builtin_ia32_pmaddwd128(x, y));
#if defined(__AVX2__)
  } else if constexpr (sizeof(W) == 32) {
    return same_bits<W>(__builtin_ia32_pmaddwd256(x, y));
#endif
#if defined(__AVX512BW__)
  } else if constexpr (sizeof(W) == 64) {
#if defined(__clang__)
    return same_bits<W>(__builtin_ia32_pmaddwd512(x, y));
#else
    return same_bits<W>(__builtin_ia32_pmaddwd512_mask(x, y, numbers_of<16>{}, 0xffff));
#endif
#endif
  } else {
    return W{};
  }
}

// Even and odd bytes as 16-bit integers: exact, where products of bytes in 16 bits would saturate.
template <class W>
[[gnu::always_inline]] inline W dot_by_half_words(W sum, W u, W s) {
  using Pairs = typename LanesOf<lanes<W>>::pairs;
  using Bits = typename LanesOf<lanes<W>>::pair_bits;
  const Bits raised = same_bits<Bits>(s) << 8;
  const Pairs even = same_bits<Pairs>(raised) >> 8;
  const Pairs odd = same_bits<Pairs>(s) >> 8;
  sum += multiply_pairs(static_cast<W>(u & 0x00ff00ffu), same_bits<W>(even));
  return sum + multiply_pairs(static_cast<W>((u >> 8) & 0x00ff00ffu), same_bits<W>(odd));
}

// The vectors that multiply_pairs knows.
template <class W>
constexpr bool has_pairs =
#if defined(__AVX512BW__)
    sizeof(W) == 64 ||
#endif
#if defined(__AVX2__)
    sizeof(W) == 32 ||
#endif
    sizeof(W) == 16;
#endif

// One instruction on the bytes themselves, if the target has it; `done` says so.
template <class W>
[[gnu::always_inline]] inline W dot_at_once(W sum, W u, W s, bool& done) {
  done = true;
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
  using Sums = numbers_of<lanes<W>>;
  const Sums a = same_bits<Sums>(sum), x = same_bits<Sums>(u), y = same_bits<Sums>(s);
#if defined(__AVX512VNNI__)
#if defined(__clang__)
  if constexpr (sizeof(W) == 64) return same_bits<W>(__builtin_ia32_vpdpbusd512(a, x, y));
#else
  if constexpr (sizeof(W) == 64) return same_bits<W>(__builtin_ia32_vpdpbusd_v16si(a, x, y));
#endif
#endif
#if defined(__AVXVNNI__) || defined(__AVX512VL__)
#if defined(__clang__)
  if constexpr (sizeof(W) == 32) return same_bits<W>(__builtin_ia32_vpdpbusd256(a, x, y));
  if constexpr (sizeof(W) == 16) return same_bits<W>(__builtin_ia32_vpdpbusd128(a, x, y));
#else
  if constexpr (sizeof(W) == 32) return same_bits<W>(__builtin_ia32_vpdpbusd_v8si(a, x, y));
  if constexpr (sizeof(W) == 16) return same_bits<W>(__builtin_ia32_vpdpbusd_v4si(a, x, y));
#endif
#endif
#elif defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
  if constexpr (sizeof(W) == 4) {
    // Two products of 16-bit integers at a time; the unpacked halves are shared between rows and
    // columns.
    W u_even, u_odd, s_even, s_odd;
    asm("uxtb16 %0, %1" : "=r"(u_even) : "r"(u));
    asm("uxtb16 %0, %1, ror #8" : "=r"(u_odd) : "r"(u));
    asm("sxtb16 %0, %1" : "=r"(s_even) : "r"(s));
    asm("sxtb16 %0, %1, ror #8" : "=r"(s_odd) : "r"(s));
    asm("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(u_even), "r"(s_even));
    asm("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(u_odd), "r"(s_odd));
    return sum;
  }
#elif defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8)
  if constexpr (sizeof(W) == 16) {
    asm("usdot %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(u), "w"(s));
    return sum;
  }
#elif defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)
  if constexpr (sizeof(W) == 16) {
    // u * s = (u - 128) * s + 2 * 64 * s; the last is the same for every row of a tile.
    const W half = W{} + 0x40404040u, flipped = u ^ 0x80808080u;
    W rest = {};
    asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(rest) : "w"(half), "w"(s));
    asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(flipped), "w"(s));
    return sum + rest + rest;
  }
#endif
  static_cast<void>(u);
  static_cast<void>(s);
  done = false;
  return sum;
}

}  // namespace bytes_detail

#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
// sum + the products of the halves of `even` with the signed bytes 0 and 2 of s, and of those of
// `odd` with its bytes 1 and 3.
[[gnu::always_inline]] inline std::uint32_t add_two_products(std::uint32_t sum, std::uint32_t even,
                                                             std::uint32_t odd, std::uint32_t s) {
  std::uint32_t s_even, s_odd;
  asm volatile("sxtb16 %0, %1" : "=r"(s_even) : "r"(s));
  asm volatile("sxtb16 %0, %1, ror #8" : "=r"(s_odd) : "r"(s));
  asm volatile("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(even), "r"(s_even));
  asm volatile("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(odd), "r"(s_odd));
  return sum;
}
#endif

// Whether joining bytes to words gains anything: with vectors, and where an instruction multiplies
// several bytes or half words. Elsewhere a load that gives a byte its sign is all it takes.
#if defined(__ARM_FEATURE_DSP)
constexpr bool kJoinsBytes = true;
#else
constexpr bool kJoinsBytes = kLanes > 1;
#endif

// sum + the four products of the unsigned bytes of u and the signed bytes of s, lane by lane;
// exact.
template <class W>
[[gnu::always_inline]] inline W dot_int8(W sum, W u, W s) {
  bool done = false;
  const W at_once = bytes_detail::dot_at_once(sum, u, s, done);
  if (done) return at_once;
#if defined(__SSE2__)
  if constexpr (bytes_detail::has_pairs<W>) return bytes_detail::dot_by_half_words(sum, u, s);
#endif
  return bytes_detail::dot_plain(sum, u, s);
}

// sum + the two products of the signed halves of a and b, of 16 bits each, lane by lane; exact.
template <class W>
[[gnu::always_inline]] inline W dot_pairs(W sum, W a, W b) {
#if defined(__SSE2__)
  if constexpr (bytes_detail::has_pairs<W>) return sum + bytes_detail::multiply_pairs(a, b);
#endif
  using I = numbers_of<lanes<W>>;
  const I low =
      (same_bits<I>(static_cast<W>(a << 16)) >> 16) * (same_bits<I>(static_cast<W>(b << 16)) >> 16);
  const I high = (same_bits<I>(a) >> 16) * (same_bits<I>(b) >> 16);
  return sum + same_bits<W>(low) + same_bits<W>(high);
}

#if defined(__AVR__)
// The sum of the products of `bytes` bytes of x, each less 128, and those of the constant w.
[[gnu::noinline]] inline std::uint32_t row_products(const std::uint8_t* x, const std::int8_t* w,
                                                    Index bytes) {
  if (bytes <= 0) return 0;
  std::uint16_t low = 0, high = 0;
  std::uint8_t a, b;
  asm("1:\n\t"
      "ld %[a], %a[x]+\n\t"
      "lpm %[b], %a[w]+\n\t"
      "subi %[a], 128\n\t"
      "muls %[a], %[b]\n\t"
      "mov %[a], r1\n\t"
      "lsl %[a]\n\t"
      "sbc %[a], %[a]\n\t"
      "add %A[low], r0\n\t"
      "adc %B[low], r1\n\t"
      "adc %A[high], %[a]\n\t"
      "adc %B[high], %[a]\n\t"
      "sbiw %[bytes], 1\n\t"
      "brne 1b\n\t"
      "clr r1"
      : [low] "+r"(low), [high] "+r"(high), [a] "=&d"(a), [b] "=&d"(b), [x] "+x"(x), [w] "+z"(w),
        [bytes] "+w"(bytes)
      :
      : "r0", "memory");
  return static_cast<std::uint32_t>(high) << 16 | low;
}
#endif

// sums[j] + the products of `bytes` bytes of x, each less 128, and those from w + row[j] on.
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
constexpr bool kSumsBytes = true;
// The loop ends within a vector; what follows is neither read nor counted.
[[gnu::always_inline]] inline void add_row_products(std::uint32_t (&sums)[4], const std::uint8_t* x,
                                                    const std::int8_t* w, const Index (&row)[4],
                                                    Index bytes) {
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  const Bytes flip = Bytes{} + std::uint8_t{0x80};
  const std::int8_t *w0 = w + row[0], *w1 = w + row[1], *w2 = w + row[2], *w3 = w + row[3];
  asm("wlstp.8 lr, %[bytes], 2f\n"
      "1:\n\t"
      "vldrb.8 q0, [%[x]], #16\n\t"
      "vldrb.8 q1, [%[w0]], #16\n\t"
      "veor q0, q0, %q[flip]\n\t"
      "vldrb.8 q2, [%[w1]], #16\n\t"
      "vmladava.s8 %[s0], q0, q1\n\t"
      "vldrb.8 q1, [%[w2]], #16\n\t"
      "vmladava.s8 %[s1], q0, q2\n\t"
      "vldrb.8 q2, [%[w3]], #16\n\t"
      "vmladava.s8 %[s2], q0, q1\n\t"
      "vmladava.s8 %[s3], q0, q2\n\t"
      "letp lr, 1b\n"
      "2:"
      : [x] "+r"(x), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3),
        [s0] "+Te"(sums[0]), [s1] "+Te"(sums[1]), [s2] "+Te"(sums[2]), [s3] "+Te"(sums[3])
      : [bytes] "r"(bytes), [flip] "w"(flip)
      : "lr", "q0", "q1", "q2", "cc", "memory");
}
#elif defined(__AVR__)
constexpr bool kSumsBytes = false;
// One sum after the other: four take half of the registers. Weights are constants. Bytes are
// multiplied to 16 bits, which compilers would do with 32.
[[gnu::always_inline]] inline void add_row_products(std::uint32_t (&sums)[4], const std::uint8_t* x,
                                                    const std::int8_t* w, const Index (&row)[4],
                                                    Index bytes) {
  for (int j = 0; j < 4; ++j) sums[j] += row_products(x, w + row[j], bytes);
}
#else
constexpr bool kSumsBytes = false;
[[gnu::always_inline]] inline void add_row_products(std::uint32_t (&sums)[4], const std::uint8_t* x,
                                                    const std::int8_t* w, const Index (&row)[4],
                                                    Index bytes) {
  for (Index i = 0; i < bytes; ++i) {
    const std::int32_t a = x[i] - 128;
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) sums[j] += static_cast<std::uint32_t>(a * w[row[j] + i]);
  }
}
#endif

// Sums with their sign as floats.
template <class V>
[[gnu::always_inline]] inline V sums_as_floats(words<lanes<V>> sums) {
  using I = numbers_of<lanes<V>>;
  if constexpr (lanes<V> == 1) {
    return static_cast<V>(static_cast<I>(sums));
  } else {
#if defined(__ARM_FEATURE_MVE)
    if constexpr (lanes<V> == 4) {
      V floats;
      asm("vcvt.f32.s32 %q0, %q1" : "=w"(floats) : "w"(sums));
      return floats;
    }
#endif
    return convert_lanes<V>(same_bits<I>(sums));
  }
}

#if defined(__SSE2__)
namespace bytes_detail {

// 16 bytes, of which builtins take and give the lowest ones.
using Packed = Vector<char, 16>;

// The bytes in the lowest positions. Through registers: a store and a wider load would wait for
// each other.
template <class Bytes>
[[gnu::always_inline]] inline Packed packed_bytes(Bytes bytes) {
  if constexpr (sizeof(Bytes) == 4) {
    return same_bits<Packed>(numbers_of<4>{same_bits<std::int32_t>(bytes), 0, 0, 0});
  } else if constexpr (sizeof(Bytes) == 8) {
    return same_bits<Packed>(Vector<std::int64_t, 2>{same_bits<std::int64_t>(bytes), 0});
  } else {
    return same_bits<Packed>(bytes);
  }
}

// The lowest byte of every lane. GCC 12 makes long detours of conversions.
[[gnu::always_inline]] inline Packed lowest_bytes(numbers_of<4> v) {
#if defined(__AVX512VL__)
  return same_bits<Packed>(__builtin_ia32_pmovdb128_mask(v, Packed{}, 0xff));
#else
  const auto low = same_bits<numbers_of<4>>(v) & 0xff;
  const auto halves = __builtin_ia32_packssdw128(low, low);
  return same_bits<Packed>(__builtin_ia32_packuswb128(halves, halves));
#endif
}
#if defined(__AVX2__)
[[gnu::always_inline]] inline Packed lowest_bytes(numbers_of<8> v) {
#if defined(__AVX512VL__)
  return same_bits<Packed>(__builtin_ia32_pmovdb256_mask(v, Packed{}, 0xff));
#else
  numbers_of<4> parts[2];
  const numbers_of<8> low = v & 0xff;
  std::memcpy(parts, &low, sizeof low);
  const auto halves = __builtin_ia32_packssdw128(parts[0], parts[1]);
  return same_bits<Packed>(__builtin_ia32_packuswb128(halves, halves));
#endif
}
#endif
#if defined(__AVX512F__)
[[gnu::always_inline]] inline Packed lowest_bytes(numbers_of<16> v) {
  return same_bits<Packed>(__builtin_ia32_pmovdb512_mask(v, Packed{}, 0xffff));
}
#endif

}  // namespace bytes_detail
#endif

// N bytes from p on, as 32-bit integers.
template <int N, class B>
[[gnu::always_inline]] inline words<N> widen(const B* p) {
  static_assert(sizeof(B) == 1);
  if constexpr (N == 1) {
    return static_cast<words<N>>(static_cast<std::int32_t>(*p));
  } else {
#if defined(__ARM_FEATURE_MVE)
    if constexpr (N == 4) {
      words<N> wide;
      const auto& four = *reinterpret_cast<const B(*)[4]>(p);
      if constexpr (std::is_signed_v<B>) {
        asm("vldrb.s32 %q0, [%1]" : "=w"(wide) : "l"(p), "m"(four));
      } else {
        asm("vldrb.u32 %q0, [%1]" : "=w"(wide) : "l"(p), "m"(four));
      }
      return wide;
    }
#endif
    bytes_of<N, B> bytes;
    std::memcpy(&bytes, p, sizeof bytes);
#if defined(__SSE4_1__) && !defined(__clang__)
    const auto packed = bytes_detail::packed_bytes(bytes);
    constexpr bool sign = std::is_signed_v<B>;
    if constexpr (N == 4)
      return same_bits<words<N>>(sign ? __builtin_ia32_pmovsxbd128(packed)
                                      : __builtin_ia32_pmovzxbd128(packed));
#if defined(__AVX2__)
    if constexpr (N == 8)
      return same_bits<words<N>>(sign ? __builtin_ia32_pmovsxbd256(packed)
                                      : __builtin_ia32_pmovzxbd256(packed));
#endif
#if defined(__AVX512F__)
    if constexpr (N == 16) {
      const numbers_of<16> zeros = {};
      return same_bits<words<N>>(sign ? __builtin_ia32_pmovsxbd512_mask(packed, zeros, 0xffff)
                                      : __builtin_ia32_pmovzxbd512_mask(packed, zeros, 0xffff));
    }
#endif
#endif
    // By way of 16 bits: GCC 12 takes bytes to 32 bits one by one.
    const auto halves = convert_lanes<halves_of<N>>(bytes);
    return same_bits<words<N>>(convert_lanes<numbers_of<N>>(halves));
  }
}

// Integers of 16 bits in a vector.
constexpr int kHalves = kLanes > 8 ? 16 : kLanes > 1 ? 2 * kLanes : 1;

// N bytes less their zero point, as integers of 16 bits.
template <int N, class B>
[[gnu::always_inline]] inline halves_of<N> load_halves(const B* p, std::int16_t zero) {
  static_assert(sizeof(B) == 1);
  if constexpr (N == 1) {
    return static_cast<std::int16_t>(*p - zero);
  } else {
    bytes_of<N, B> bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    return convert_lanes<halves_of<N>>(bytes) - zero;
  }
}

// One byte of each of four rows in every lane's word, of which `count` rows exist; zeros for the
// others.
template <class W>
[[gnu::always_inline]] inline W join_rows(const std::uint8_t* x, Index row, Index count) {
  constexpr int n = lanes<W>;
  W word = widen<n>(x);
  if (count > 1) word |= widen<n>(x + row) << 8;
  if (count > 2) word |= widen<n>(x + 2 * row) << 16;
  if (count > 3) word |= widen<n>(x + 3 * row) << 24;
  return word;
}

// As load of floats.
template <class V = vfloat, class B, std::enable_if_t<sizeof(B) == 1, int> = 0>
[[gnu::always_inline]] inline V load(const B* p) {
  return sums_as_floats<V>(widen<lanes<V>>(p));
}

// v holds integers in the range of B.
template <class V, class B, std::enable_if_t<sizeof(B) == 1, int> = 0>
[[gnu::always_inline]] inline void store(B* p, V v) {
  using I = numbers_of<lanes<V>>;
  if constexpr (lanes<V> == 1) {
    *p = static_cast<B>(static_cast<I>(v));
  } else {
#if defined(__ARM_FEATURE_MVE)
    if constexpr (lanes<V> == 4) {
      I whole;
      asm("vcvt.s32.f32 %q0, %q1" : "=w"(whole) : "w"(v));
      asm("vstrb.32 %q1, [%2]" : "=m"(*reinterpret_cast<B(*)[4]>(p)) : "w"(whole), "l"(p));
      return;
    }
#endif
    const I numbers = convert_lanes<I>(v);
#if defined(__SSE2__)
    if constexpr (bytes_detail::has_pairs<words<lanes<V>>>) {
      const auto packed = bytes_detail::lowest_bytes(numbers);
      std::memcpy(p, &packed, lanes<V>);
      return;
    }
#endif
    const auto halves = convert_lanes<halves_of<lanes<V>>>(numbers);
    const auto bytes = convert_lanes<bytes_of<lanes<V>, B>>(halves);
    std::memcpy(p, &bytes, sizeof bytes);
  }
}

// Whole numbers less `zero`, each a float plus the constant that rounds it: a byte of one is in its
// lowest bits, from where it is stored without the way over the float.
template <class V>
struct ShiftedNumbers {
  V shifted;
  float zero;

  [[gnu::always_inline]] V floats() const { return shifted - (math::kRounding - zero); }
  [[gnu::always_inline]] operator V() const { return floats(); }
};

template <class T>
constexpr bool is_shifted = false;
template <class V>
constexpr bool is_shifted<ShiftedNumbers<V>> = true;

// The vectors that are stored that way.
template <class V>
constexpr bool stores_shifted() {
#if defined(__SSE2__)
  if constexpr (!std::is_arithmetic_v<V>) return bytes_detail::has_pairs<words<lanes<V>>>;
#endif
  return false;
}

#if defined(__SSE2__)
template <class V, class B, std::enable_if_t<sizeof(B) == 1, int> = 0>
[[gnu::always_inline]] inline void store(B* p, ShiftedNumbers<V> v) {
  const auto numbers =
      same_bits<numbers_of<lanes<V>>>(v.shifted) + static_cast<std::int32_t>(v.zero);
  const auto packed = bytes_detail::lowest_bytes(numbers);
  std::memcpy(p, &packed, lanes<V>);
}
#endif
template <class V>
[[gnu::always_inline]] inline void store(float* p, ShiftedNumbers<V> v) {
  store(p, v.floats());
}

}  // namespace onnxc
