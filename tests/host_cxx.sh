#!/usr/bin/env bash
# As g++, without the flags of an Arm core: code for a small core is built for this machine, and run here.
for a; do
  shift
  case $a in
    -mthumb | -mcpu=cortex* | -march=armv* | -mfloat-abi=*) ;;
    *) set -- "$@" "$a" ;;
  esac
done
exec g++ "$@"
