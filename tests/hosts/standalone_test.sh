#!/usr/bin/env bash
# The static program runs where nothing else is: in a folder that holds it and a model, as its root.
. "$(dirname "$0")/../cli/check.sh"
static=${ONNXC_STATIC:-$source_dir/build/static/onnxc}
[ -x "$static" ] || { echo "skipped: no static program"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "skipped: chroot is for root"; exit 77; }

mkdir -p root/tmp root/data
cp "$static" root/onnxc
cp "$mlp" root/model.onnx
cp -r "$examples/01_mlp/." root/data
inside() { env -i "$(command -v chroot)" root /onnxc "$@"; }
check "the version" inside --version
check "compile" inside model.onnx -o out/m --report out/report.html
check "as outside" sh -c "'$onnxc' '$mlp' -o out/m --report out/report.html -q && diff -r out root/out"
check "check" inside check model.onnx
check "inspect" inside inspect model.onnx
check "ops" inside ops
check "python" inside python model.onnx -o package
check "bundle" inside model.onnx --bundle bundle
check "verify says what is missing" says 5 "cannot run" inside verify data
check "no interpreter, no libraries" sh -c "! readelf -d '$static' | grep -q NEEDED && ! readelf -l '$static' | grep -q INTERP"
check "at most 12 MB" [ "$(stat -c %s "$static")" -le 12000000 ]

# Its packages on other systems: SLOW=1, and debootstrap with a mirror, or TREES=DIR with the trees that it has made.
# RELEASES names some, such as "bullseye bookworm testing".
tree_of() { # release
  [ ! -d "${TREES:-/nothing}/$1" ] || { ln -s "$TREES/$1" "$1" && return; }
  debootstrap --variant=minbase "$1" "$work/$1" ${MIRROR:-} >debootstrap.log 2>&1
}
seconds() { # command, which has to succeed
  local start
  start=$(date +%s%N)
  "$@" >seconds.log 2>&1 || { cat seconds.log; return 1; }
  echo "$((($(date +%s%N) - start) / 1000000)) ms: $*" >>times.log
}
try_packages() { # release
  local tree=$1
  rm -rf "$tree/root/try"
  mkdir -p "$tree/root/try"
  cp "$mlp" packages/*.deb packages/*.tar.gz "$tree/root/try"
  check "$1: the tarball" chroot "$tree" sh -c "cd /root/try && tar xzf *.tar.gz"
  check "$1: its program" seconds chroot "$tree" sh -c "cd /root/try && onnxc-*/bin/onnxc model.onnx -o tar/m -q"
  check "$1: the .deb" chroot "$tree" sh -c "dpkg -i /root/try/*.deb"
  check "$1: the command" seconds chroot "$tree" sh -c "cd /root/try && onnxc model.onnx -o deb/m -q"
  check "$1: the same bytes" sh -c "'$onnxc' '$mlp' -o ours/m -q && diff -r ours '$tree/root/try/deb' && diff -r ours '$tree/root/try/tar'"
  check "$1: the man page, the licences" chroot "$tree" sh -c "dpkg -L onnxc | grep -q -e THIRD_PARTY -e onnxc.1"
  check "$1: removed" chroot "$tree" sh -c "dpkg -r onnxc && ! command -v onnxc"
  rm -rf "$tree/root/try"
}
if slow && command -v debootstrap >/dev/null && command -v cpack >/dev/null; then
  check "cpack" sh -c "cd '$(dirname "$static")' && cpack -B '$work/packages'"
  for release in ${RELEASES:-bullseye}; do
    tree_of "$release" || { echo "left out: no tree of $release"; continue; }
    try_packages "$release"
    [ -L "$release" ] || rm -rf "${work:?}/$release"
  done
  cat times.log
fi
finish
