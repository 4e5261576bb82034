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

# A touched model regenerates; as the bytes are equal, nothing is compiled, and users are not linked.
for generator in Ninja "Unix Makefiles" "Ninja Multi-Config"; do
  build="project of $generator/bu ild"
  sleep 1.1
  touch "project of $generator/models/flowers.onnx"
  check "$generator: a touched model regenerates" regenerates "$build"
  check "$generator: without compiling" sh -c '! grep -E "Building|Linking" regenerates.log'
  check "$generator: then nothing to do" no_op "$build"
done
cp "$examples/02_cnn/model.onnx" "project of Ninja/models/flowers.onnx"
check "another model is compiled" sh -c "cmake --build 'project of Ninja/bu ild' --target flowers | grep -q Building"

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

c_only() {
  sed -i 's/LANGUAGES CXX/LANGUAGES C/' mistake/CMakeLists.txt
  rm -rf mistake/build mistake/app mistake/models/CMakeLists.txt
  mkdir mistake/app && touch mistake/app/CMakeLists.txt
  echo 'onnxc_add_model(flowers MODEL flowers.onnx)' >mistake/models/CMakeLists.txt
  ! cmake -S mistake -B mistake/build -DCMAKE_PREFIX_PATH="$work/in stalled" >mistake.log 2>&1 &&
    tr '\n' ' ' <mistake.log | tr -s ' ' | grep -q 'add CXX to the languages of project()'
}
check "a project without C++" c_only

# Installed with its header, as a package of its own.
write_project library find_package
cat >>library/models/CMakeLists.txt <<'END'
install(TARGETS flowers EXPORT flowers-config)
install(EXPORT flowers-config NAMESPACE models:: DESTINATION lib/cmake/flowers)
END
cp -r library user
printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(user LANGUAGES C CXX)' 'find_package(flowers REQUIRED)' \
  'add_executable(app app/main.cpp)' 'target_link_libraries(app models::flowers)' >user/CMakeLists.txt
for generator in Ninja "Ninja Multi-Config"; do
  rm -rf library/build "$work/models" user/build
  if [ "$generator" = Ninja ]; then config=""; else config="--config Debug"; fi
  check "$generator: a model is installed" sh -c "cmake -S library -B library/build -G '$generator' \
    -DCMAKE_PREFIX_PATH='$work/in stalled' && cmake --build library/build && cmake --install library/build --prefix '$work/models' $config"
  check "$generator: with its header" test -f models/include/flowers.h
  check "$generator: and used" sh -c "cmake -S user -B user/build -DCMAKE_PREFIX_PATH='$work/models' && cmake --build user/build && user/build/app | grep -q versicolor"
done

# All keywords, and a target whose name is not an identifier.
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
