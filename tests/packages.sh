# shellcheck shell=bash
# The Debian packages that building and testing need. Sourced by other scripts.
BUILD_PACKAGES="g++ cmake ninja-build libprotobuf-dev protobuf-compiler libfmt-dev libcli11-dev catch2"
TEST_PACKAGES="clang libclang-rt-dev clang-format universal-ctags git make gcc libonnx-testdata python3-onnx python3-protobuf xz-utils
  gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc
  g++-aarch64-linux-gnu qemu-user
  python3-numpy python3-pip python3-setuptools python3-wheel dpkg-dev pkg-config"
# An oracle of gradients, a browser for reports, MPI, other languages: their tests are skipped without them.
ORACLE_PACKAGES="python3-torch chromium libopenmpi-dev openmpi-bin
  rustc golang-go nodejs lld wasi-libc libc++-dev-wasm32 libc++abi-dev-wasm32 libclang-rt-dev-wasm32"

# Installs what is missing, as root or through sudo; else names it and goes on.
install_packages() {
  local missing="" package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  echo "installing:$missing" >&2
  $sudo apt-get update -qq >/dev/null 2>&1 || true
  if ! DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1; then
    echo "cannot install:$missing" >&2
  fi
}
