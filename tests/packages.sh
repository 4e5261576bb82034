# shellcheck shell=bash
# The Debian packages that building and testing need. Sourced by other scripts.
BUILD_PACKAGES="g++ cmake ninja-build libprotobuf-dev protobuf-compiler libfmt-dev libcli11-dev catch2"
TEST_PACKAGES="clang libclang-rt-dev clang-format universal-ctags git make gcc libonnx-testdata python3-onnx python3-protobuf xz-utils
  gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc
  g++-riscv64-linux-gnu clang-19 gcc-avr avr-libc simavr gcc-xtensa-lx106 picolibc-xtensa-lx106-elf
  g++-aarch64-linux-gnu g++-i686-linux-gnu g++-s390x-linux-gnu qemu-user
  python3-numpy python3-pip python3-venv python3-setuptools python3-wheel dpkg-dev pkg-config groff-base bsdutils binutils"
# An oracle of gradients, a browser for reports, MPI, other languages, recipes of packages, pictures, shells, platforms: their
# tests are skipped without them.
ORACLE_PACKAGES="python3-torch chromium libopenmpi-dev openmpi-bin
  rustc cargo golang-go ruby nix-bin python3-jsonschema python3-yaml nodejs lld wasi-libc libc++-dev-wasm32 libclang-rt-dev-wasm32
  graphviz poppler-utils zsh fish
  g++-mingw-w64-x86-64-posix g++-mingw-w64-i686-posix wine wine64 g++-powerpc64-linux-gnu g++-arm-linux-gnueabihf musl-tools llvm"

# What install_packages could not install, a line each: "NAME: why".
PACKAGES_SKIPPED=""
skipped_packages() { [ -z "$PACKAGES_SKIPPED" ] || printf 'packages that are not installed:\n%s' "$PACKAGES_SKIPPED"; }

skip_package() { # package, why
  PACKAGES_SKIPPED="$PACKAGES_SKIPPED  $1: $2"$'\n'
}

has_package() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Whether a release of Debian has a package that can be installed: names that only other packages mention have none.
is_offered() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [^(]'; }

apt_install() { # sudo or nothing, packages...
  local sudo=$1
  shift
  LC_ALL=C DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" 2>&1
}

# Installs what is missing, as root or through sudo. One name that does not exist keeps apt-get from installing
# the others, so that each is asked for by itself where all at once fail.
install_packages() {
  local missing="" offered="" package sudo="" said
  for package in "$@"; do
    has_package "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  echo "installing:$missing" >&2
  $sudo apt-get update -qq >/dev/null 2>&1 || true
  for package in $missing; do
    if is_offered "$package"; then offered="$offered $package"; else skip_package "$package" "no such package here"; fi
  done
  [ -z "$offered" ] || apt_install "$sudo" $offered >/dev/null || for package in $offered; do
    said=$(apt_install "$sudo" "$package") ||
      skip_package "$package" "$(printf '%s\n' "${said:-apt-get fails}" | grep -m1 '^E:' || echo "${said##*$'\n'}")"
  done
  skipped_packages >&2
}
