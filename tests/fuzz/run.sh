#!/usr/bin/env bash
# Fuzzes onnxc under the address and undefined-behaviour sanitizers. Ends with `N passed, N failed`.
# usage: tests/fuzz/run.sh [--seconds S | --runs N | --minimise] [TARGET...]
#   TARGET: import compile training devices text_ir image_FORMAT regex tokenizer generated, or images for those of every format
#   (default: all). --seconds counts for each. Default: 60 seconds.
#   --minimise: the few inputs that reach what seeds do not go to tests/fuzz/corpus. They are run once more to find leaks.
#   BUILD_DIR: default build/fuzz. New inputs gather in BUILD_DIR/corpus/TARGET, findings in BUILD_DIR/findings.
# It begins with the inputs of tests/fuzz/corpus, where an archive holds those of each target.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/build/fuzz}
kept=$root/tests/fuzz/corpus
limit=-max_total_time=60 action=fuzz
case ${1:-} in
  --minimise) action=minimise; shift ;;
  --seconds) limit=-max_total_time=$2; shift 2 ;;
  --runs) limit=-runs=$2; shift 2 ;;
esac
targets=${*:-import compile training devices text_ir images regex tokenizer generated}
targets=${targets/images/image_bmp image_jpeg image_jpeg2000 image_png image_pnm image_tiff image_webp}

. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES clang libclang-rt-dev
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_CXX_FLAGS="-O1 -g1 -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all" \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DONNXC_BUILD_TESTS=OFF -DONNXC_BUILD_FUZZERS=ON >/dev/null
programs=$(printf 'fuzz_%s\n' $targets | grep -v generated || true)
# Where it makes seeds or programs.
case $targets in *import* | *compile* | *training* | *devices* | *text_ir* | *generated*) programs="$programs onnxc" ;; esac
cmake --build "$build" --target $programs

# small_models FOLDER CASES...: the models of cases that are small, as files in a folder of the build, in a fixed order.
small_models() {
  local folder=$build/cases/$1
  shift
  mkdir -p "$build/cases"
  [ -d "$folder" ] || "$build/onnxc" verify "$@" --export "$folder" >/dev/null 2>&1 || true
  find "$folder" -name model.onnx -size -4k | sort
}

own_models() { small_models own "$root/tests/conformance/cases"; }

# seed_model TARGET MODEL BYTE: `compile`, `training` and `devices` take options in the first byte, the target in its upper bits.
seed_model() {
  { [ -z "$3" ] || printf "\\$(printf %o "$3")"; cat "$2"; } >"$build/seeds/$1/$(echo "${2#"$build"}" | md5sum | cut -c1-16)"
}

seed_models() {
  local model number=0
  own_models >"$build/cases/own.txt"
  mkdir -p "$build/seeds/import" "$build/seeds/compile"
  while read -r model; do
    seed_model import "$model" ""
    seed_model compile "$model" $((number++ % 8 * 32))
  done <"$build/cases/own.txt"
}

# changed COMMAND...: one in three of the own cases changed by a command of onnxc, where it can change them.
changed() {
  local model number=0
  own_models | awk 'NR % 3 == 0' | while read -r model; do
    "$build/onnxc" "$1" "$model" "${@:2}" -o "$build/cases/changed_$1_$((++number)).onnx" >/dev/null 2>&1 || continue
    echo "$build/cases/changed_$1_$number.onnx"
  done
}

# seed_annotated TARGET: models on standard input, for one processor after the other.
seed_annotated() {
  local model number=0
  while read -r model; do seed_model "$1" "$model" $((number++ % 8 * 32)); done
}

seed_training() {
  { small_models training "$root/tests/training"; changed prepare --loss mse --optimizer adam --train '*'; } | seed_annotated training
}

seed_devices() {
  { small_models devices "$root/tests/devices" "$root/tests/conformance/cases/devices.case"; changed shard --devices 2; } | seed_annotated devices
}

# Graphs after every pass.
seed_graphs() {
  local model graph
  for model in "$root"/tests/golden/*.onnx; do
    "$build/onnxc" -q "$model" -o "$build/out/m" --dump-ir "$build/ir" >/dev/null 2>&1
    for graph in "$build"/ir/*; do
      cp "$graph" "$build/seeds/text_ir/$(basename "$model")_$(basename "$graph")"
    done
  done
}

# For every decoder, which takes those of its format. The first byte is the format of the pixels.
seed_images() {
  local image
  for image in "$root"/tests/kernels/samples/*; do
    { printf '\0'; cat "$image"; } >"$build/seeds/images/$(basename "$image")"
  done
}

seed_patterns() {
  local number=0 pattern
  sed -n 's/.*pattern = "\([^"]*\)".*/\1/p' "$root"/tests/conformance/cases/*.case | while read -r pattern; do
    number=$((number + 1))
    printf '%s\0abc@example.com' "$pattern" >"$build/seeds/regex/$number"
  done
}

# The tokenizers of tests/text with a few pieces, and one that also configures a generator.
seed_tokenizers() {
  PYTHONDONTWRITEBYTECODE=1 python3 - "$root" "$build/seeds/tokenizer" <<'PYTHON'
import json, sys
root, folder = sys.argv[1:]
sys.path.insert(0, root + "/tests/text")
import samples
genai = json.load(open(root + "/examples/05_chat/genai_config.json"))
for name, make in samples.ALL.items():
    sample = make()
    model = sample["model"]
    pieces = model["vocab"]
    model["vocab"] = pieces[:12] if isinstance(pieces, list) else dict(list(pieces.items())[:12])
    model["merges"] = model.get("merges", [])[:4]
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        model["vocab"].update({piece: pieces[piece] for piece in (left, right, left + right)})
    if name == "roberta":
        model.update(genai["model"])
        sample["search"] = genai["search"]
    json.dump(sample, open(f"{folder}/{name}", "w"))
PYTHON
}

seed() {
  [ ! -d "$build/seeds/$1" ] || return 0
  mkdir -p "$build/seeds/$1"
  case $1 in
    import | compile) seed_models ;;
    training) seed_training ;;
    devices) seed_devices ;;
    text_ir) seed_graphs ;;
    images) seed_images ;;
    regex) seed_patterns ;;
    tokenizer) seed_tokenizers ;;
  esac
}

# What earlier runs found, once.
unpack() {
  [ ! -d "$build/corpus/$1" ] || return 0
  mkdir -p "$build/corpus/$1"
  [ ! -f "$kept/$1.tar.xz" ] || tar -xJf "$kept/$1.tar.xz" -C "$build/corpus/$1"
}

# Packs the inputs of a folder: the same inputs, the same archive.
pack() {
  mkdir -p "$kept"
  tar -C "$2" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 -c $(ls "$2") | xz -9e >"$kept/$1.tar.xz"
}

# run NAME PROGRAM OPTIONS...: with the limits of all runs; what it says goes to a log.
run() {
  local name=$1 program=$2
  shift 2
  "$program" "$@" -max_len=4096 -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=2000 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" >"$build/$name.log" 2>&1 && return
  grep -E "ERROR|SUMMARY|Test unit|terminate|what\(\)|driver:|runtime error" "$build/$name.log" || tail -n 5 "$build/$name.log"
  return 1
}

# edges NAME: that its last run reached.
edges() { grep -oE 'cov: [0-9]+' "$build/$1.log" | tail -1; }

# fuzz NAME PROGRAM SEEDS...: until the limit. Says what it did, and returns whether nothing was found.
fuzz() {
  local name=$1 program=$2 good=0
  shift 2
  run "$name" "$program" "$build/corpus/$name" "$@" "$limit" -detect_leaks=0 || good=1
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") executions, $(edges "$name")"
  return $good
}

# minimise NAME PROGRAM SEEDS...: keeps the inputs that reach what the seeds do not, and returns whether none of them leaks.
minimise() {
  local name=$1 program=$2 good=0 seeds
  local few=$build/minimised/$name
  shift 2
  rm -rf "$few"
  mkdir -p "$few"
  for seeds; do cp -r "$seeds/." "$few"; done
  run "$name" "$program" "$few" "$build/corpus/$name" -merge=1 -use_counters=0 || return
  for seeds; do (cd "$seeds" && ls) | (cd "$few" && xargs rm -f); done
  pack "$name" "$few"
  run "$name" "$program" "$few" "$@" -runs=0 -detect_leaks=1 || good=1
  echo "$name: $(ls "$few" | wc -l) inputs, $(stat -c %s "$kept/$name.tar.xz") bytes, $(edges "$name")"
  return $good
}

# act NAME PROGRAM SEEDS...
act() {
  unpack "$1"
  "$action" "$@"
}

# The programs of generated.case, each with the time or the runs of one target divided by their number.
fuzz_generated() {
  local folder name good=0 number limit=$limit
  rm -rf "$build/generated" "$build/kept"
  (
    cd "$build"
    ./onnxc verify "$root/tests/fuzz/generated.case" --export . >/dev/null
    ./onnxc verify generated --record >/dev/null # only what has results is run
    ./onnxc verify generated --keep kept >/dev/null
  )
  number=$(ls -d "$build"/kept/generated_* | wc -l)
  limit=${limit%=*}=$((${limit#*=} / number + 1))
  for folder in "$build"/kept/generated_*; do
    name=$(basename "$folder")
    clang++ -std=c++17 -O1 -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -w -I"$root" \
      -I"$root/compiler/run/harness" -I"$folder/u0" "$root/tests/fuzz/generated.cpp" "$folder/run_table.cpp" "$folder/u0/unit.cpp" -o "$build/fuzz_$name"
    INPUTS=$(find "$folder" -name inputs) ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=64 \
      act "$name" "$build/fuzz_$name" || good=1
  done
  return $good
}

mkdir -p "$build/findings"
passed=0 failed=0
for target in $targets; do
  if [ "$target" = generated ]; then
    fuzz_generated
  else
    seeds=${target/image_*/images}
    seed "$seeds"
    act "$target" "$build/fuzz_$target" "$build/seeds/$seeds"
  fi && passed=$((passed + 1)) || failed=$((failed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
