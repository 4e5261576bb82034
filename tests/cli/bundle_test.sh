#!/usr/bin/env bash
# --bundle: one tree that CMake, ESP-IDF, Zephyr, Arduino, PlatformIO and CMSIS packs take, each tried with stubs of its
# build system.
. "$(dirname "$0")/check.sh"

cat >data.case <<'END'
=== model 1 of "$x"
<ir_version: 8, opset_import: ["": 17]>
(float[2,3] x) => (float[2,3] y) {
  y = Exp (x)
}
given float[2,3] x = {0, 1, 2, -1, -2, 0}
expect float[2,3] y = {1, 2.7182817, 7.389056, 0.36787945, 0.13533528, 1}
END
sed -i 's/^=== .*/=== exponential/' data.case
"$onnxc" verify --export . data.case
set_of=data/exponential/test_data_set_0
cp data/exponential/model.onnx 'a model & "more".onnx'
check "a bundle is written" exits 0 "$onnxc" 'a model & "more".onnx' --name kws --bundle kws --selftest "$set_of"
check "its names are identifiers" sh -c "test -z \"\$(find kws | grep '[^a-zA-Z0-9_./-]')\""

# Plain CMake; the example finds what was recorded.
check "CMake: configures" cmake -S kws -B plain
check "CMake: builds" cmake --build plain
check "CMake: the example passes" [ "$(plain/kws_example)" = pass ]
mkdir app && cat >app/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(app LANGUAGES C CXX)
add_subdirectory(../kws kws)
add_executable(app ../kws/examples/kws/main.c)
target_link_libraries(app kws)
END
check "CMake: in another project" sh -c "cmake -S app -B app/build && cmake --build app/build && app/build/app"

# ESP-IDF: the function that registers a component.
mkdir idf && cat >idf/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(idf LANGUAGES C CXX)
set(ESP_PLATFORM 1)
function(idf_component_register)
  cmake_parse_arguments(ARG "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
  add_library(__idf_kws STATIC ${ARG_SRCS})
  target_include_directories(__idf_kws PUBLIC ${ARG_INCLUDE_DIRS})
  set(COMPONENT_LIB __idf_kws PARENT_SCOPE)
endfunction()
add_subdirectory(../kws kws)
add_executable(idf main.c ../kws/examples/kws/main.c)
target_compile_definitions(idf PRIVATE ESP_PLATFORM)
target_link_libraries(idf __idf_kws)
END
echo 'void app_main(void); int main(void) { app_main(); return 0; }' >idf/main.c
check "ESP-IDF: builds" sh -c "cmake -S idf -B idf/build && cmake --build idf/build"
check "ESP-IDF: the example passes" [ "$(idf/build/idf)" = pass ]
check "ESP-IDF: a manifest" grep -q '^version: "[0-9.]*"$' kws/idf_component.yml

# Zephyr: module.yml names the two others.
mkdir zephyr && cat >zephyr/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(zephyr LANGUAGES C CXX)
macro(zephyr_library_named name)
  set(zephyr_library ${name})
  add_library(${name} STATIC)
endmacro()
function(zephyr_library_sources)
  target_sources(${zephyr_library} PRIVATE ${ARGN})
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(${zephyr_library} PRIVATE ${ARGN})
endfunction()
function(zephyr_include_directories)
  include_directories(${ARGN})
  target_include_directories(${zephyr_library} PUBLIC ${ARGN})
endfunction()
set(CONFIG_ONNXC_KWS y)
add_subdirectory(../kws/zephyr kws)
add_executable(app ../kws/examples/kws/main.c)
target_link_libraries(app kws)
END
check "Zephyr: builds" sh -c "cmake -S zephyr -B zephyr/build && cmake --build zephyr/build"
check "Zephyr: the example passes" [ "$(zephyr/build/app)" = pass ]
check "Zephyr: the module" sh -c "grep -qx '  cmake: zephyr' kws/zephyr/module.yml && grep -qx '  kconfig: zephyr/Kconfig' kws/zephyr/module.yml"
check "Zephyr: the option" grep -qx 'config ONNXC_KWS' kws/zephyr/Kconfig

# Arduino: all sources below src/, the sketch with the core's header before it.
mkdir arduino && cat >arduino/Arduino.h <<'END'
#include <cstdio>
struct Port {
  void begin(int) {}
  void println(const char* text) { std::puts(text); }
};
static Port Serial;
void setup();
void loop();
END
arduino() {
  (echo '#include "Arduino.h"' && cat kws/examples/kws/kws.ino && echo 'int main() { setup(); loop(); }') >arduino/kws.cpp &&
    g++ -std=gnu++17 -Os -Iarduino -Ikws/src arduino/kws.cpp kws/src/*.cpp -o arduino/kws
}
check "Arduino: builds" arduino
check "Arduino: the sketch passes" [ "$(arduino/kws)" = pass ]
for key in name version author maintainer sentence paragraph category url architectures; do
  check "Arduino: $key" grep -q "^$key=..*" kws/library.properties
done
check "Arduino: the header" grep -qx 'includes=kws.h' kws/library.properties

# PlatformIO: the flags of library.json compile what is in its folder.
platformio() {
  python3 - <<'END' >pio.flags && g++ $(cat pio.flags) kws/examples/kws/main.c -x none -o pio
import glob, json
lib = json.load(open("kws/library.json"))
assert lib["name"] == "kws" and lib["version"] and lib["headers"] == "kws.h"
build = lib["build"]
print(*build["flags"], "-Ikws/" + build["includeDir"], *glob.glob("kws/" + build["srcDir"] + "/*.cpp"), "-x c++")
END
}
check "PlatformIO: builds" platformio
check "PlatformIO: the example passes" [ "$(./pio)" = pass ]

# A CMSIS pack: every file that it lists is there, and all sources are listed.
pack() {
  python3 - <<'END'
import glob, os, xml.etree.ElementTree as xml
root = xml.parse("kws/onnxc.kws.pdsc").getroot()
assert root.tag == "package" and root.find("vendor").text and root.find("releases/release").get("version")
files = [f.get("name") for f in root.iter("file")]
assert all(os.path.exists("kws/" + f) for f in files), files
assert {"kws/" + f for f in files if f.endswith(".cpp")} == set(glob.glob("kws/src/*.cpp"))
END
}
check "CMSIS: the pack" pack

check "the same bytes again" sh -c "cp -r kws before && '$onnxc' 'a model & \"more\".onnx' --name kws --bundle kws --selftest $set_of -q && diff -r before kws"
check "large weights as text" exits 0 "$onnxc" "$cnn" --bundle text --weights string -q
check "they are built" grep -q 'src/model_weights.cpp' text/CMakeLists.txt
check "without data the example runs on zeros" sh -c "cmake -S text -B text/build && cmake --build text/build && test \"\$(text/build/model_example)\" = pass"
check "a model of open sizes has no example" sh -c "'$onnxc' '$source_dir/tests/golden/dynamic.onnx' --bundle open -q && test ! -e open/examples"
finish
