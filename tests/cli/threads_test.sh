#!/usr/bin/env bash
# --threads: the same bits for every number of threads, no data races, and nothing of it without the option.
. "$(dirname "$0")/check.sh"

# Steps that are worth dividing among threads.
cat >steps.case <<'END'
=== threads
<ir_version: 8, opset_import: ["": 17]>
(float[batch,3,64,64] x) => (float[batch,256] y) <
  float[48,3,3,3] w1 = uniform(1, -0.192, 0.192),
  float[48] b1 = uniform(2, -1, 1),
  float[48,48,3,3] w2 = uniform(3, -0.048, 0.048),
  float[48,1,3,3] w3 = uniform(4, -0.333, 0.333),
  float[72,48,1,1] w4 = uniform(5, -0.144, 0.144),
  float[64,72,5,5] w5 = uniform(6, -0.024, 0.024),
  int64[3] rows = {0, 64, -1},
  float[64] g6 = uniform(7, -1, 1),
  float[64] h6 = uniform(8, -1, 1),
  float[64,256] w7 = uniform(9, -0.062, 0.062)
> {
  c1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
  r1 = Relu (c1)
  c2 = Conv <pads = [1, 1, 1, 1]> (r1, w2)
  a2 = Add (c2, r1)
  c3 = Conv <pads = [1, 1, 1, 1], group = 48> (a2, w3)
  c4 = Conv (c3, w4)
  p4 = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (c4)
  c5 = Conv <strides = [2, 2], pads = [2, 2, 2, 2]> (p4, w5)
  f5 = Reshape (c5, rows)
  t5 = Transpose <perm = [0, 2, 1]> (f5)
  n6 = LayerNormalization (t5, g6, h6)
  k6 = Transpose <perm = [0, 2, 1]> (n6)
  s6 = MatMul (n6, k6)
  q6 = Softmax <axis = -1> (s6)
  v6 = MatMul (q6, n6)
  m7 = MatMul (v6, w7)
  e7 = Sigmoid (m7)
  u7 = Mul (m7, e7)
  y = ReduceMean <axes = [1], keepdims = 0> (u7)
}
given float[1,3,64,64] x = full(0)
END
unpack steps.case
mv steps/threads/model.onnx .

dims="--dim batch=2"
for n in 1 2 3 7; do "$onnxc" model.onnx -o a/t$n --name t$n $dims --threads $n -q; done
"$onnxc" model.onnx -o a/open --name open --threads 3 -q
"$onnxc" model.onnx -o omp/t2 --name t2 $dims --threads 2 --openmp -q
cp a/t1.* omp

equal_bits() { # text, program, folder, flags in place of the sanitizers
  local sanitizers=$4
  program "equal bits $1" "$2" -I"$3" "$3"/*.cpp
}
check "without the option nothing of it" sh -c '! grep -E "pthread|Threads|with_chunk\(.*chunk\)\)" a/t1.cpp && ! grep pool a/t1.h'
check "work is divided" [ "$(grep -c "threads.run(" a/t2.cpp)" -ge 10 ]
check "small work is not" sh -c "'$onnxc' '$mlp' -o b/flowers --threads 2 -q && ! grep 'threads.run(' b/flowers.cpp"
check "compiles without warnings" ${CXX:-g++} -O1 $strict -c a/t2.cpp -o t2.o
check "compiles with an open batch" ${CXX:-g++} -O1 $strict -c a/open.cpp -o open.o
check "compiles OpenMP without warnings" ${CXX:-g++} -O2 $strict -fopenmp -c omp/t2.cpp -o omp.o
equal_bits "with the thread sanitizer" threads a -fsanitize=thread
slow || { finish; exit; }
equal_bits "on this machine" threads a "-march=native -O2"
equal_bits "with sanitizers" threads a "$sanitizers"
equal_bits "with OpenMP" threads_openmp omp -fopenmp
equal_bits "without -fopenmp" threads_openmp omp ""
finish
