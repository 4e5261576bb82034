#!/usr/bin/env bash
# Messages for usual mistakes: files that are not models, mistyped words, options without effect;
# models from and code to a pipe.
. "$(dirname "$0")/check.sh"

# ---- files --------------------------------------------------------------------------------------
# name <tab> first bytes <tab> what the message says
zip='PK\003\004\024\0\0\0\0\0'
while IFS=$'\t' read -r name bytes message; do
  # shellcheck disable=SC2059
  printf "$bytes" >"$name"
  check "$name" says 1 "error[not-onnx]: this is $message" "$onnxc" "$name" -o out/x
done <<END
a.png	\211PNG\r\n\032\n\0\0\0\rIHDR	a PNG picture
a.jpg	\377\330\377\340\0\020JFIF\0	a JPEG picture
m.h5	\211HDF\r\n\032\n\0\0	an HDF5 file, such as a Keras model: tf2onnx
m.keras	${zip}metadata.json${zip}model.weights.h5	a Keras archive: tf2onnx
m.pt	${zip}archive/data.pkl\200\002}	a PyTorch archive, mostly weights alone: load it into its model, then call torch.onnx.export
s.pt	${zip}net/data.pkl${zip}net/code/__torch__.py${zip}net/constants.pkl	a TorchScript archive: load it with torch.jit.load
old.pkl	\200\002}.	a pickle
new.pkl	\200\005}.	a pickle
a.pkl	\200\004\225\001\0\0\0\0\0\0\0}.	a pickle
a.npz	${zip}x.npy	an archive of NumPy arrays
a.zip	${zip}notes.txt	a zip archive
b.zip	${zip}net/model.onnx	a zip archive with an ONNX file in it
m.tflite	\034\0\0\0TFL3\0\0\0\0	a TFLite model: \`python -m tf2onnx.convert --tflite\`
m.ort	\034\0\0\0ORTM\0\0\0\0	a model in ORT format
m.gguf	GGUF\003\0\0\0	a GGUF file
m.safetensors	\020\0\0\0\0\0\0\0{"x":{}}	a safetensors file
m.json	{"layers": []}	a JSON file
m.txt	conv 3x3\nrelu\n	a text file
m.xml	<?xml version="1.0"?><net name="x"/>	an OpenVINO model
m.html	<!DOCTYPE html><html></html>	a web page
m.pbtxt	ir_version: 8\ngraph {\n}	ONNX in protobuf's text format
a.gz	\037\213\010\0\0\0\0\0	a gzip file: unpack it with gunzip
a.so	\177ELF\002\001\001	an ELF file
a.txt	<ir_version: 8>\nagraph (float[1] x) => (float[1] y) {}\n	ONNX's text syntax: onnx.parser.parse_model
saved_model.pb	\010\001\022\010\n\006serve\0	a TensorFlow SavedModel: tf2onnx
frozen.pb	\n\020\n\001x\022\013Placeholder	a TensorFlow graph: tf2onnx
lfs.onnx	version https://git-lfs.github.com/spec/v1\n	a git-lfs pointer
END
{ printf '%s' "PK"; printf '\003\004'; head -c 400000 /dev/zero; printf 'net/model.onnx'; } >large.zip
check "the list at the end of an archive" says 1 "a zip archive with an ONNX file in it" "$onnxc" large.zip -o out/x
check "a tensor" says 1 "this is a tensor of float, as in test data" \
  "$onnxc" "$examples/01_mlp/test_data_set_0/input_0.pb" -o out/x

# ---- words --------------------------------------------------------------------------------------
dynamic=$source_dir/tests/golden/dynamic.onnx
# exit code <tab> words <tab> what the message says
while IFS=$'\t' read -r code words message; do
  expanded=${words//MODEL/$mlp} expanded=${expanded//GOLDEN/$dynamic}
  expanded=${expanded//GENAI/$examples/05_chat/genai_config.json}
  # shellcheck disable=SC2086
  check "onnxc $words" says "$code" "$message" "$onnxc" $expanded
done <<'END'
2	inspct x.onnx	'inspct' is neither a command nor a file, did you mean inspect?
2	version	did you mean --version?
2	transmogrify MODEL	the commands are compile, inspect
0	help	Exit codes
0	help bench	--profile
1	MODEL -o out/x --fix-input foo=1	--fix-input foo: the model has no such input; it has "lengths"
0	GOLDEN -o out/x --dim batch=0	with the sizes of --dim all outputs are empty
1	GOLDEN -o out/x --selftest out	only numbers of fixed sizes can be built in; --dim fixes a size
5	tokenizer nofile.json -o out/x	cannot read nofile.json: No such file
1	tokenizer GENAI -o out/x	belongs to a genai_config.json: that is for --genai
2	--foo	'--foo' is not expected
2	-q	MODEL is required
2	inspect	MODEL is required
2	check	MODEL is required
2	python -q	MODEL is required
2	bench	MODEL is required
2	verify	PATH is required
2	bench MODEL --report times.txt	'times.txt' must end in .json or .html
2	MODEL --optmize size	did you mean --optimize?
2	check MODEL --jsn	did you mean --json?
2	check --fp	see `onnxc check --help`
2	MODEL --fp fats	--fp: 'fats' is none of fast, strict, did you mean fast?
2	MODEL --weights foo	--weights: 'foo' is none of auto, inline, incbin, string, extern
2	MODEL --target cortex-m44	did you mean cortex-m4?
2	MODEL --target avx2	did you mean x86-64-v3?
2	MODEL --threads many	--threads: 'many' is not a number
2	MODEL --threads 0	--threads: 0 is not from 1 to 1024
2	MODEL --max-rank 0	--max-rank: 0 is not from 1 to
2	MODEL --threads 1.5	--threads: '1.5' is not a whole number
2	MODEL --dim	--dim wants a value: --dim NAME=N|LO..HI
2	MODEL --openmp	--openmp requires --threads
2	--target native bench MODEL	the command is the first word: onnxc bench
2	verify MODEL --rtol -1	--rtol: -1 is not from 0
2	verify MODEL --timeout 0	--timeout: 0 is not above 0
2	verify --model - .	--model wants a file
2	verify GOLDEN	there are no recorded data
5	verify nowhere.onnx	no such file
0	compile -v MODEL -o out/q	lower bound
0	-v compile MODEL -o out/q	lower bound
1	MODEL --dim batch=1	all sizes of its inputs are fixed
END
check "the dimensions that there are" says 1 "no dimension of this name; it has batch, length" \
  "$onnxc" "$dynamic" -o out/x --dim seconds=3
check "the dimension that was meant" says 1 "did you mean batch?" "$onnxc" "$dynamic" -o out/x --dim bach=3
check "data next to a model" says 0 "1 case: 1 pass" "$onnxc" verify "$examples/01_mlp/model.onnx"
check "no word is near --foo" sh -c "! '$onnxc' '$mlp' --foo 2>&1 | grep 'did you mean'"
check "no check is quoted" sh -c "! '$onnxc' '$mlp' --io x 2>&1 | grep 'FAILED'"

# ---- operators ----------------------------------------------------------------------------------
operator() { # DOMAIN NAME MESSAGE
  cat >op.case <<END
=== op
<ir_version: 8, opset_import: ["": 17, "${1:-own}": 1]>
(float[2] x) => (float[2] y) {
  y = $1${1:+.}$2 (x)
}
given float[2] x = {1, 2}
expect float[2] y = {1, 2}
END
  says 1 "$3" "$onnxc" verify op.case
}
check "operator" operator "" Sigmoyd "operator Sigmoyd is unknown, did you mean Sigmoid?"
check "operator elsewhere" operator ai.onnx.ml Relu "the domain ai.onnx has one of this name"
check "domain" operator com.mycrosoft Whatever "did you mean com.microsoft?"
check "no such domain" operator own.things Whatever "its domain has no operators that onnxc knows"

refused=$source_dir/tests/golden/trees.onnx
cat >bad.case <<'END'
=== bad
<ir_version: 8, opset_import: ["": 17]>
(string[2] x) => (string[2] y) {
  y = Relu (x)
}
given string[2] x = {"a", "b"}
expect string[2] y = {"a", "b"}
END
"$onnxc" verify --export bad bad.case >/dev/null 2>&1
bad=$(find bad -name model.onnx)
check "inspect: a refused operator" sh -c "'$onnxc' inspect '$bad' | grep -q 'Relu-14 .*unsupported: '"
check "inspect: not supported in JSON" sh -c "'$onnxc' inspect '$bad' --json | grep -q '\"supported\": false'"
check "inspect: never both" sh -c "! '$onnxc' inspect '$refused' | grep -q 'ok: refused'"
check "no blank at the end of a line" sh -c "! '$onnxc' inspect '$refused' | grep -q ' \$'"

# ---- pipes --------------------------------------------------------------------------------------
check "a model from a pipe" sh -c "'$onnxc' - -o pipe/mlp <'$mlp' && '$onnxc' '$mlp' -o file/mlp"
check "is the same" cmp pipe/mlp.cpp file/mlp.cpp
check "inspect - reads it three times" sh -c "cat '$mlp' | '$onnxc' inspect /dev/stdin | grep -q '^work *70 MAC'"
check "an empty pipe" says 1 "is empty" sh -c "'$onnxc' check - </dev/null"
check "code to a pipe" sh -c "'$onnxc' '$mlp' -o - --name piped >piped.cpp"
cat >>piped.cpp <<'END'
#include <cstdio>
alignas(64) static unsigned char arena[PIPED_ARENA_BYTES];
int main() {
  const float x[4] = {6.1f, 2.9f, 4.7f, 1.4f};
  float p[3] = {};
  if (piped::run(x, p, arena) != PIPED_OK) return 1;
  return p[0] + p[1] + p[2] > 0.999f ? 0 : 2;
}
END
check "is one source" ${CXX:-g++} -std=c++17 -O1 -Wall -Wextra -Werror piped.cpp -o piped
check "that runs" ./piped
check "a model to a pipe" sh -c "'$onnxc' prepare '$mlp' --loss mse --optimizer sgd --train '*' -o - | '$onnxc' check - --train"
check "nothing is called -" sh -c '! ls -- -* 2>/dev/null'
check "weights elsewhere" exits 2 "$onnxc" "$mlp" -o - --weights extern

# ---- files of options ---------------------------------------------------------------------------
cat >board.txt <<'END'
# what the board has
--target cortex-m4f   # with an FPU
--name "board" @limits.txt
END
echo "--ram-limit 64K" >limits.txt
check "options from a file" "$onnxc" "$mlp" @board.txt -o kept/mlp
"$onnxc" "$mlp" --target cortex-m4f --name board --ram-limit 64K -o given/mlp
check "as if they were given" diff -r kept given
check "their limits too" sh -c "sed -i s/64K/1/ limits.txt; ! '$onnxc' '$mlp' @board.txt -o none/mlp"
check "a command from a file" sh -c "echo ops >ops.txt; '$onnxc' @ops.txt | grep -q Relu"
check "no such file" says 5 "@gone.txt: cannot read gone.txt; a model of that name is ./@gone.txt" "$onnxc" @gone.txt
check "a folder" says 5 "cannot read kept" "$onnxc" @kept
check "an open quote" sh -c "echo '-o \"a' >open.txt"
check "is an error" says 2 '@open.txt: a " without an end' "$onnxc" @open.txt
check "a model after @" says 2 "is no text" "$onnxc" "@$mlp"
check "a file that names itself" sh -c "echo @self.txt >self.txt"
check "ends" says 2 "@self.txt: more than 16 files of options" "$onnxc" @self.txt
check "a file without end" says 2 "more than 1 MiB" "$onnxc" @/dev/zero
finish
