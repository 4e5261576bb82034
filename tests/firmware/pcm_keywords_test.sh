#!/usr/bin/env bash
# Keyword spotters that take sound, 20 ms a call, on bare cores: windows, spectrum, mel bands and logarithms are steps of
# the model, states come out of one call and go into the next. Every call gives what it gives on the host. Prints what a
# board needs: RAM with states, samples and stack, flash, instructions of a call.
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/firmware/boards.sh"
mkdir host arm
unset CXX CXXFLAGS
python3 "$here/pcm_keywords.py" >pcm.case
unpack pcm.case

number() { sed -n "s/^#define KWS_$1 \([0-9]*\)u.*/\1/p" arm/kws.h; }
host_stream() { # model
  rm -f host/*
  "$onnxc" "pcm/$1/model.onnx" -o host/kws -q --no-heap &&
    g++ -std=c++17 -O2 -Ihost -I"$here" "$here/pcm_keywords_host.cpp" host/kws.cpp -o stream.run &&
    ./stream.run >wanted.h && rm host/* && mv wanted.h host
}
build() {
  rm -f arm/*.o
  compile -O2 arm/kws.cpp arm/kws.o && compile_board -O2 && compile -O2 "$here/pcm_keywords_app.cpp" arm/app.o &&
    link kws.elf arm/*.o
}
# Bytes of a program of nothing but the model, with what it takes from the libraries.
flash() {
  arm-none-eabi-g++ $cpu -nostartfiles -Wl,-e,kws_run,--gc-sections arm/kws.o -o alone.elf &&
    arm-none-eabi-size alone.elf | awk 'NR == 2 { print $1 + $2 }'
}
at_most() { [ "$1" -le "$2" ] || { echo "$1, not $2"; return 1; }; }
streams() { runs kws.elf -icount shift=0 >said 2>&1 || { cat said; return 1; }; }
said() { sed -n "s/^$1 //p" said; }

on_core() { # model, core, most of: KiB of RAM, KiB of flash, thousands of instructions
  use_core "$2"
  check "$1 on $2: generates" exits 0 "$onnxc" "pcm/$1/model.onnx" -o arm/kws --no-heap --target "$2" --measure
  check "$1 on $2: builds" build
  check "$1 on $2: every call gives what it gives on the host" streams
  local arena stack ram
  arena=$(number ARENA_BYTES) stack=$(number STACK_BYTES)
  ram=$((arena + stack + $(said caller)))
  check "$1 on $2: RAM" at_most "$ram" $((1024 * $3))
  check "$1 on $2: flash" at_most "$(flash)" $((1024 * $4))
  check "$1 on $2: instructions" at_most "$(said instructions)" $((1000 * $5))
  echo "$1 on $2: RAM $ram (arena $arena, stack $stack, samples and states $(said caller))," \
    "flash $(flash), instructions $(said instructions)"
}

check "mfcc: the host runs it" host_stream mfcc
on_core mfcc cortex-m4f 9 23 1800
on_core mfcc cortex-m55 9 23 860
check "bands: the host runs it" host_stream bands
on_core bands cortex-m4f 10 21 4600
on_core bands cortex-m55 10 20 2500
finish
