#!/usr/bin/env bash
# --threads: the same bits for every number of threads, no data races, and nothing of it without the option.
. "$(dirname "$0")/check.sh"

# Steps that are worth dividing among threads.
unpack "$here/threads.case"
cp threads/threads/model.onnx .

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
# Open sizes, with scratch of each thread whose size is an expression, or decided by a step.
"$onnxc" verify --record threads >record.log 2>&1 || cat record.log
check "equal bits with open sizes" env CXXFLAGS="-O1 $sanitizers" \
  "$onnxc" verify --rtol 0 --atol 0 threads -- --threads 3
slow || { finish; exit; }
equal_bits "on this machine" threads a "-march=native -O2"
equal_bits "with sanitizers" threads a "$sanitizers"
equal_bits "with OpenMP" threads_openmp omp -fopenmp
equal_bits "without -fopenmp" threads_openmp omp ""
finish
