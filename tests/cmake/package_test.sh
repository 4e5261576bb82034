#!/usr/bin/env bash
# onnxc_add_model from an installed package: generators, blanks, rebuilds, mistakes.
. "$(dirname "$0")/check_projects.sh"

check "install" install_onnxc "$work/in stalled"
for file in man/man1/onnxc.1 bash-completion/completions/onnxc zsh/site-functions/_onnxc \
  fish/vendor_completions.d/onnxc.fish; do
  check "installed: $file" grep -q inspect "$work/in stalled/share/$file"
done
for generator in Ninja "Unix Makefiles" "Ninja Multi-Config"; do
  dir="project of $generator"
  write_project "$dir" find_package
  check "$generator: configure" cmake -S "$dir" -B "$dir/bu ild" -G "$generator" \
    -DCMAKE_PREFIX_PATH="$work/in stalled"
  check "$generator: build" cmake --build "$dir/bu ild"
  check "$generator: run" sh -c "find '$dir/bu ild/app' -name app -type f -perm -100 -exec {} \; | grep -q 'It is a versicolor'"
  check "$generator: nothing to do" no_op "$dir/bu ild"
  check "$generator: report" sh -c "find '$dir/bu ild' -name flowers.report.json | grep -q ."
done
check "ctest verifies the data" sh -c "cd 'project of Ninja/bu ild' && ctest | grep -q '100% tests passed, 0 tests failed out of 1'"

# A changed model regenerates; what did not change is not rebuilt.
cp "$mlp" "project of Ninja/models/flowers.onnx"
touch "project of Ninja/models/flowers.onnx"
check "a touched model regenerates" regenerates "project of Ninja/bu ild"
check "then nothing to do" no_op "project of Ninja/bu ild"

mistake() { # text in models/CMakeLists.txt, expected message
  rm -rf mistake
  write_project mistake find_package
  echo "$1" >mistake/models/CMakeLists.txt
  ! cmake -S mistake -B mistake/build -DCMAKE_PREFIX_PATH="$work/in stalled" >mistake.log 2>&1 &&
    tr '\n' ' ' <mistake.log | tr -s ' ' | grep -q "$2"
}
check "missing model" mistake 'onnxc_add_model(flowers MODEL no.onnx)' 'onnxc_add_model(flowers): no such model'
check "unknown argument" mistake 'onnxc_add_model(flowers MODEL flowers.onnx BOGUS 1)' 'unknown arguments: BOGUS;1'
check "no model" mistake 'onnxc_add_model(flowers)' 'MODEL is missing'
check "bad name" mistake 'onnxc_add_model(flowers MODEL flowers.onnx NAME 1x)' 'not a C identifier'

# All keywords, and a target whose name is no identifier.
write_project keywords find_package
cat >keywords/models/CMakeLists.txt <<'END'
onnxc_add_model(my-model MODEL flowers.onnx NAME flowers NAMESPACE flowers TYPE OBJECT
  TARGET_ARCH generic OPTIMIZE size WEIGHTS incbin OPTIONS --fp strict OUTPUT_DIR "generated code")
add_library(flowers ALIAS my-model)
onnxc_generate(OUT_SOURCES sources OUT_HEADERS headers MODEL flowers.onnx NAME raw DIMS)
add_library(raw STATIC ${sources} ${headers})
END
sed -i 's/ DIMS)/)/' keywords/models/CMakeLists.txt
check "keywords: configure" cmake -S keywords -B keywords/build -G Ninja -DCMAKE_PREFIX_PATH="$work/in stalled"
check "keywords: build" cmake --build keywords/build
check "keywords: run" sh -c "keywords/build/app/app | grep -q versicolor"
check "keywords: nothing to do" no_op keywords/build
finish
