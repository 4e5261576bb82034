#!/usr/bin/env bash
# Failing allocations and system calls, and runs that are killed or disturb each other.
#   FAULTS=0: every allocation. Default: 120 for each model, evenly spread.   KILLS: default 20.
#   MODELS: more models, besides two examples.
. "$(dirname "$0")/../cli/check.sh"
faults=$source_dir/tests/faults

if installed gcc; then
  gcc -O1 -shared -fPIC "$faults/shim.c" -o shim.so -ldl
  # Sanitizers want to be loaded first.
  if LD_PRELOAD=$PWD/shim.so "$onnxc" --version >/dev/null 2>&1; then
    python3 "$faults/faults.py" "$onnxc" "$PWD/shim.so" models "${FAULTS:-120}" "$mlp" "$cnn" ${MODELS:-} >faults.log 2>&1 || true
    grep FAIL faults.log || true
    head -c 300 "$cnn" >cut.onnx
    for model in "$mlp" cut.onnx; do
      FAULT_COUNT=count.txt LD_PRELOAD=$PWD/shim.so "$onnxc" check "$model" >check.txt 2>&1 || true
      check "check reads $(basename "$model") once" grep -qx 'mmap 1' count.txt
    done
    check "faults: $(tail -n 1 faults.log)" grep -q ', 0 failed$' faults.log
  fi
fi
check "a full disk under stdout" exits 5 bash -c "'$onnxc' ops >/dev/full"
check "a full disk under a report for programs" exits 5 bash -c "'$onnxc' check --json '$mlp' >/dev/full"

# Killed at any moment: each file is the old or the new one, and a .cpp is never beside the headers
# of another run. The next run is as if nothing had been.
"$onnxc" -q "$cnn" -o whole/m
python3 - "$onnxc" "$mlp" "$cnn" "${KILLS:-20}" >kills.log 2>&1 <<'PYTHON' || true
import glob, os, random, shutil, subprocess, sys, time
onnxc, old_model, model, kills = *sys.argv[1:4], int(sys.argv[4])
def contents(folder):
    return {os.path.basename(f): open(f, "rb").read() for f in glob.glob(folder + "/*")}
def compile(source, folder):
    subprocess.run([onnxc, "-q", source, "-o", folder + "/m"], check=True)
compile(old_model, "before")
old, new = contents("before"), contents("whole")
start = time.monotonic()
compile(model, "timing")
duration = time.monotonic() - start
random.seed(1)
bad = wrong_after = 0
for i in range(kills):
    shutil.rmtree("killed", ignore_errors=True)
    shutil.copytree("before", "killed")
    run = subprocess.Popen([onnxc, "-q", model, "-o", "killed/m"])
    # Half of the moments are near the end, where files are written.
    time.sleep(duration * (random.random() if i % 2 else 1 - 0.2 * random.random()))
    run.kill()
    run.wait()
    now = contents("killed")
    source, header = now.get("m.cpp"), now["m.h"]
    whole = all(now[f] in (old[f], new[f]) for f in now if f in new)
    if not whole or (source is not None and (source == new["m.cpp"]) != (header == new["m.h"])):
        bad += 1
        print("mixed:", sorted(now))
    compile(model, "killed")
    after = contents("killed")
    wrong_after += any(after[f] != new[f] for f in new)
print(f"{bad} mixed, {wrong_after} wrong afterwards")
PYTHON
cat kills.log
check "killed ${KILLS:-20} times" grep -q '^0 mixed, 0 wrong' kills.log

# Many at once in one folder, some with the same name.
for i in $(seq 64); do "$onnxc" -q "$cnn" -o "crowd/m$((i % 40))" & done
wait
same_as_serial() {
  local i
  for i in $(seq 0 39); do
    "$onnxc" -q "$cnn" -o "serial/m$i"
    cmp "crowd/m$i.cpp" "serial/m$i.cpp" && cmp "crowd/m$i.h" "serial/m$i.h" || return 1
  done
  diff <(ls crowd) <(ls serial)
}
check "64 runs at once" same_as_serial
finish
