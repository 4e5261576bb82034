#!/usr/bin/env bash
# Ten times the nodes take about ten times the processor time and the memory.
#   SIZE=10000: compare models of SIZE nodes with models of 10 * SIZE. Default 2000.
#   MOST=12: the largest ratio. Default 20, which leaves room for a busy machine; a form that is quadratic reaches 100.
#   SECONDS_LIMIT: for the larger model. Default: none.
. "$(dirname "$0")/../cli/check.sh"
size=${SIZE:-2000}

/usr/bin/python3 -c 'import onnx' 2>/dev/null || { installed python3-onnx; exit 77; }
for n in $size $((size * 10)); do
  /usr/bin/python3 "$source_dir/tests/linear/models.py" "$n" .
done

# Prints form, seconds of the smaller and the larger model, their ratio, MiB of the larger one.
python3 - "$onnxc" "$size" "${MOST:-20}" "${SECONDS_LIMIT:-1e9}" >linear.log <<'PYTHON'
import glob, os, resource, subprocess, sys
onnxc, size, most, limit = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])

def measure(model):
    """Processor time in seconds and peak memory in MiB of one run."""
    child = subprocess.Popen([onnxc, "-q", model, "-o", "out/m"])
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, model
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

for path in sorted(glob.glob(f"*_{size}.onnx")):
    form = path.rsplit("_", 1)[0]
    larger = f"{form}_{size * 10}.onnx"
    many = few = float("inf")
    # Other programs slow a run down and never speed it up: what counts is the fastest of a few.
    for _ in range(5):
        seconds, few_memory = measure(path)
        few = min(few, seconds)
        seconds, memory = measure(larger)
        many = min(many, seconds)
        # Below a twentieth of a second starting the program is what counts.
        ratio = many / max(few, 0.05)
        good = ratio <= most and many <= limit and memory <= most * few_memory
        if good:
            break
    print(f"{'ok' if good else 'BAD'} {form}: {few:.2f} s, {many:.2f} s, ratio {ratio:.1f}, {memory:.0f} MiB")
PYTHON
cat linear.log
while read -r verdict text; do check "$text" [ "$verdict" = ok ]; done <linear.log
finish
