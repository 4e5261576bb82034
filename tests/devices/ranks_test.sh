#!/usr/bin/env bash
# The example with four devices as processes: right over sockets and MPI, and where one of them
# fails, all others end with an error status in time.
. "$(dirname "$0")/../cli/check.sh"

example=$source_dir/examples/04_ranks
runs=1
if installed mpirun; then runs=2; fi
run_example() { "$example/run.sh" "$onnxc" "$work/example" >example.log; }
check "the example" run_example
sent() { [ "$(grep -c '3840 bytes sent in 12 messages' example.log)" = "$runs" ]; }
check "over sockets and MPI, two all-reduces" sent

cd example
# shellcheck disable=SC2086 # the sources
${CXX:-g++} -std=c++17 -O1 -Wall -Wextra -Werror -I. -I"$example" "$source_dir/tests/devices/failing.cpp" \
  encoder.cpp encoder_?.cpp -o failing
for fault in killed cut garbled silent plan; do
  check "a device that is $fault" timeout 30 ./failing "$fault"
done

finish
