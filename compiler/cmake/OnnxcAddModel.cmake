# Models as CMake targets:
#
#   onnxc_add_model(<target> MODEL <file.onnx>
#     [NAME <identifier>]          file stem and prefix of the C names; default: <target>
#     [NAMESPACE <a::b>]           of the C++ interface; default: NAME
#     [TYPE STATIC|OBJECT|SHARED]  default: STATIC
#     [DIMS batch=1 seq=1..128...] sizes of the model's named dimensions
#     [TARGET_ARCH <name>|auto]    an onnxc --target; auto (default) asks the C++ compiler
#     [DEVICES <configuration> <count>] a program for each device of a configuration of the model:
#                                  libraries <target>_0, <target>_1, ...; <target> links to all
#     [TRAIN]                      also the functions that train, from the model's training_info
#     [OPTIMIZE speed|size] [THREADS <n>] [WEIGHTS auto|inline|incbin|string|extern]
#     [REPORT json|html...]        <NAME>.report.json or .html next to the code
#     [OPTIONS <arg>...]           more arguments for onnxc; generator expressions are allowed
#     [DEPENDS <file|target>...]   for a model that another rule makes
#     [OUTPUT_DIR <dir>])          default: onnxc/<target> in the binary folder
#   target_link_libraries(app PRIVATE <target>), then #include "<NAME>.h". onnxc_model::<target> is
#   an alias. A shared library, or one that a static or object library is linked into, exports the
#   functions of <NAME>.h only if TYPE is SHARED, and nothing else. install(TARGETS <target>)
#   installs the header, too.
#
#   onnxc_verify_model(<target> TEST_DATA <dir> [RTOL <x>] [ATOL <x>])
#     A test for each test_data_set_* in <dir>, or for <dir> itself.
#
#   onnxc_generate(OUT_SOURCES <var> OUT_HEADERS <var> MODEL <file.onnx> NAME <identifier> ...)
#     The files alone, with the arguments of onnxc_add_model, for libraries of your own.
#
# The generator is ${ONNXC_EXECUTABLE} if set, else the program in the archive at
# ${ONNXC_PREBUILT_URL} with the hash ${ONNXC_PREBUILT_HASH} (SHA256=...), else the target
# onnxc::onnxc, else, when cross-compiling below a source tree of onnxc, built for the host, else
# found on the host's PATH.

if(CMAKE_SCRIPT_MODE_FILE OR CMAKE_BUILD_EARLY_EXPANSION)
  return()
endif()

cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

# Parses the caller's arguments from number `first` on into arg_*. A macro, not variables: this file may
# have been included from another directory.
macro(_onnxc_parse first)
  cmake_parse_arguments(PARSE_ARGV ${first} arg "TRAIN"
    "MODEL;NAME;NAMESPACE;TYPE;TARGET_ARCH;OPTIMIZE;THREADS;WEIGHTS;OUTPUT_DIR;OUT_SOURCES;OUT_HEADERS"
    "DIMS;REPORT;OPTIONS;DEPENDS;DEVICES")
endmacro()

# Fails with the caller's name on words that no keyword takes.
macro(_onnxc_check_arguments who)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${who}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${who}: no value after ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
endmacro()

# Builds onnxc for the host below a cross build, as target onnxc_host.
function(_onnxc_build_host_tool source out_program)
  set(folder ${CMAKE_BINARY_DIR}/onnxc-host)
  set(program ${folder}/onnxc)
  if(NOT TARGET onnxc_host)
    include(ExternalProject)
    set(generator ${CMAKE_GENERATOR})
    if(generator MATCHES "Multi-Config")
      set(generator Ninja)
    endif()
    set(clean_environment ${CMAKE_COMMAND} -E env --unset=CC --unset=CXX --unset=CFLAGS
                          --unset=CXXFLAGS --unset=CPPFLAGS --unset=LDFLAGS)
    ExternalProject_Add(onnxc_host
      SOURCE_DIR ${source}
      BINARY_DIR ${folder}
      PREFIX ${folder}/prefix
      CMAKE_COMMAND ${clean_environment} ${CMAKE_COMMAND}
      CMAKE_GENERATOR ${generator}
      CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DONNXC_BUILD_TESTS=OFF
      BUILD_COMMAND ${clean_environment} ${CMAKE_COMMAND} --build ${folder} --target onnxc
      INSTALL_COMMAND ""
      BUILD_BYPRODUCTS ${program})
  endif()
  set(${out_program} ${program} PARENT_SCOPE)
endfunction()

# Downloads the archive of a generator, once, and unpacks it.
function(_onnxc_fetch_tool out_program)
  if(NOT ONNXC_PREBUILT_HASH)
    message(FATAL_ERROR "onnxc: ONNXC_PREBUILT_URL needs -DONNXC_PREBUILT_HASH=SHA256=<hash>")
  endif()
  set(folder ${CMAKE_BINARY_DIR}/onnxc-prebuilt)
  if(NOT EXISTS ${folder}/hash)
    file(WRITE ${folder}/hash "")
  endif()
  file(READ ${folder}/hash unpacked)
  if(NOT unpacked STREQUAL ONNXC_PREBUILT_HASH)
    file(REMOVE_RECURSE ${folder}/files)
    file(DOWNLOAD ${ONNXC_PREBUILT_URL} ${folder}/archive EXPECTED_HASH ${ONNXC_PREBUILT_HASH}
         STATUS status)
    list(POP_FRONT status code)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "onnxc: ${ONNXC_PREBUILT_URL}: ${status}")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${folder}/archive DESTINATION ${folder}/files)
    file(WRITE ${folder}/hash "${ONNXC_PREBUILT_HASH}")
  endif()
  set(in_archive ${folder}/files/bin ${folder}/files/*/bin)
  list(TRANSFORM in_archive APPEND "/onnxc" OUTPUT_VARIABLE programs)
  list(TRANSFORM in_archive APPEND "/onnxc.exe" OUTPUT_VARIABLE windows_programs)
  file(GLOB program ${programs} ${windows_programs})
  if(NOT program)
    message(FATAL_ERROR "onnxc: no bin/onnxc in ${ONNXC_PREBUILT_URL}")
  endif()
  execute_process(COMMAND ${program} --version RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "onnxc: the program of ${ONNXC_PREBUILT_URL} does not run here: ${result}")
  endif()
  set(${out_program} ${program} PARENT_SCOPE)
endfunction()

# The command that runs the generator, and what a rule that uses it depends on.
function(_onnxc_find_tool out_command out_depends)
  set(source ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../..)
  set(depends "")
  if(ONNXC_EXECUTABLE)
    set(command ${ONNXC_EXECUTABLE})
    set(depends ${ONNXC_EXECUTABLE})
  elseif(ONNXC_PREBUILT_URL)
    _onnxc_fetch_tool(command)
    set(depends ${command})
  elseif(TARGET onnxc::onnxc)
    set(command onnxc::onnxc)
    set(depends onnxc::onnxc)
  elseif(EXISTS ${source}/compiler/session/session.hpp AND CMAKE_CROSSCOMPILING)
    get_filename_component(source ${source} ABSOLUTE)
    _onnxc_build_host_tool(${source} command)
    set(depends onnxc_host ${command})
  else()
    find_program(ONNXC_PROGRAM onnxc NO_CMAKE_FIND_ROOT_PATH HINTS ENV ONNXC_ROOT
                 PATH_SUFFIXES bin)
    if(NOT ONNXC_PROGRAM)
      message(FATAL_ERROR "onnxc: no generator for this machine found; "
                          "set -DONNXC_EXECUTABLE=/path/to/onnxc")
    endif()
    set(command ${ONNXC_PROGRAM})
    set(depends ${ONNXC_PROGRAM})
  endif()
  set(${out_command} ${command} PARENT_SCOPE)
  set(${out_depends} ${depends} PARENT_SCOPE)
endfunction()

# The onnxc target of a 32-bit Arm core by its predefined macros; the name of the core distinguishes those
# whose instructions are the same. A core without a profile is the compiler's default: no flag names one.
function(_onnxc_cortex_of macros flags out)
  set(core "${flags}")
  if(NOT core MATCHES "-m(cpu|arch|tune)=")
    set(core "${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  if(macros MATCHES "__ARM_ARCH_(6M|8M_BASE)__ ")
    set(known cortex-m0plus)
  elseif(macros MATCHES "__ARM_FEATURE_MVE 3")
    set(known cortex-m55)
    if(core MATCHES "cortex-m85")
      set(known cortex-m85)
    endif()
  elseif(macros MATCHES "__ARM_ARCH_PROFILE (77|'M')")
    if(NOT macros MATCHES "__ARM_FEATURE_DSP 1")
      set(known cortex-m3)
    elseif(NOT macros MATCHES "__ARM_FP ")
      set(known cortex-m4)
    elseif(macros MATCHES "__ARM_ARCH_8(_1)?M_MAIN__ ")
      set(known cortex-m33)
    elseif(core MATCHES "cortex-m7")
      set(known cortex-m7)
    else()
      set(known cortex-m4f)
    endif()
  elseif(core MATCHES "^cortex-m(0plus|3|4|4f|7|33|55|85)$")
    set(known ${core})
  else()
    set(known generic)
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# The onnxc target for a compiler that predefines `macros` and gets `flags`.
function(_onnxc_arch_of macros flags out)
  set(known generic)
  if(macros MATCHES "__AVX512F__ 1" AND macros MATCHES "__AVX512VL__ 1")
    set(known x86-64-v4)
  elseif(macros MATCHES "__AVX2__ 1" AND macros MATCHES "__FMA__ 1")
    set(known x86-64-v3)
  elseif(macros MATCHES "__aarch64__ 1")
    set(known armv8-a)
  elseif(macros MATCHES "__arm__ 1")
    _onnxc_cortex_of("${macros}" "${flags}" known)
  elseif(macros MATCHES "__riscv_xlen 32")
    set(known rv32imc)
    if(macros MATCHES "__riscv_flen ")
      set(known rv32imafc)
    endif()
  elseif(macros MATCHES "__riscv_vector ")
    set(known rv64gcv)
  elseif(macros MATCHES "__riscv_xlen ")
    set(known riscv)
  elseif(macros MATCHES "__wasm__ 1")
    set(known wasm32)
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# The onnxc target that suits what the C++ compiler generates code for.
function(_onnxc_detect_arch out)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  set(command ${CMAKE_CXX_COMPILER})
  if(CMAKE_CXX_COMPILER_TARGET)
    list(APPEND command --target=${CMAKE_CXX_COMPILER_TARGET})
  endif()
  get_property(known GLOBAL PROPERTY "_onnxc_arch ${command} ${flags}")
  if(NOT known)
    execute_process(COMMAND ${command} ${flags} -dM -E -x c++ /dev/null
                    OUTPUT_VARIABLE macros ERROR_QUIET)
    _onnxc_arch_of("${macros}" "${flags}" known)
    set_property(GLOBAL PROPERTY "_onnxc_arch ${command} ${flags}" ${known})
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# Sets <prefix>_FLAGS: what onnxc gets besides the model and the output name.
function(_onnxc_flags prefix)
  set(flags "")
  foreach(dim IN LISTS arg_DIMS)
    list(APPEND flags --dim ${dim})
  endforeach()
  set(arch "${arg_TARGET_ARCH}")
  if(NOT arch OR arch STREQUAL "auto")
    _onnxc_detect_arch(arch)
  endif()
  list(APPEND flags --target ${arch})
  foreach(pair NAMESPACE=namespace OPTIMIZE=optimize THREADS=threads WEIGHTS=weights)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 keyword)
    list(GET pair 1 option)
    if(arg_${keyword})
      list(APPEND flags --${option} ${arg_${keyword}})
    endif()
  endforeach()
  if(arg_TRAIN)
    list(APPEND flags --train)
  endif()
  list(APPEND flags ${arg_OPTIONS})
  set(${prefix}_FLAGS "${flags}" PARENT_SCOPE)
  set(${prefix}_ARCH "${arch}" PARENT_SCOPE)
endfunction()

# The rule's command and outputs. The generator writes into a folder of its own, and what changed is
# copied: equal bytes keep their time, so that nothing which reads them is built again. Whether
# weights get files of their own depends on the model, but the outputs must be known now: what onnxc
# does not write stays empty.
function(_onnxc_add_command dir command depends reports)
  set(stage "${dir}/generated/${arg_NAME}")
  set(base "${dir}/${arg_NAME}")
  set(copies "")
  foreach(file ${arg_NAME}.cpp ${arg_NAME}.h ${arg_NAME}_weights.cpp ${arg_NAME}_weights.bin
               onnxc_runtime.hpp)
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_if_different
                               "${dir}/generated/${file}" "${dir}/${file}")
  endforeach()
  set(report_flags "")
  foreach(report IN LISTS reports)
    list(APPEND report_flags --report "${report}")
  endforeach()
  add_custom_command(
    OUTPUT "${stage}.stamp" ${reports}
    BYPRODUCTS "${base}.cpp" "${base}.h" "${base}_weights.cpp" "${base}_weights.bin"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${dir}/generated"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${stage}_weights.cpp" "${stage}_weights.bin"
    COMMAND ${command} compile "${rule_MODEL}" -o "${stage}" --name ${arg_NAME}
            ${rule_FLAGS} ${report_flags} -MF "${base}.d" -MT "${stage}.stamp"
    COMMAND ${CMAKE_COMMAND} -E touch "${stage}_weights.cpp" "${stage}_weights.bin"
    ${copies}
    COMMAND ${CMAKE_COMMAND} -E rm -f "${stage}_weights.bin"
    COMMAND ${CMAKE_COMMAND} -E touch "${stage}.stamp"
    DEPENDS "${rule_MODEL}" ${depends} ${arg_DEPENDS}
    DEPFILE "${base}.d"
    COMMENT "Generating ${arg_NAME} from ${arg_MODEL}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Adds the rule. Expects the parsed arguments in arg_*; sets rule_{SOURCES,HEADERS,DIR,...}.
macro(_onnxc_add_rule who default_dir)
  get_property(_onnxc_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CXX" IN_LIST _onnxc_languages)
    message(FATAL_ERROR "${who}: the generated code is C++, with a header for C: "
                        "add CXX to the languages of project()")
  endif()
  if(NOT arg_MODEL OR NOT arg_NAME)
    message(FATAL_ERROR "${who}: MODEL is missing")
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${who}: NAME '${arg_NAME}' is not a C identifier")
  endif()
  get_filename_component(rule_MODEL "${arg_MODEL}" ABSOLUTE)
  if(NOT EXISTS "${rule_MODEL}" AND NOT arg_DEPENDS)
    message(FATAL_ERROR "${who}: no such model: ${rule_MODEL}")
  endif()
  set(rule_DIR "${default_dir}")
  if(arg_OUTPUT_DIR)
    get_filename_component(rule_DIR "${arg_OUTPUT_DIR}" ABSOLUTE BASE_DIR
                           "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_property(_onnxc_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(_onnxc_multi)
    string(APPEND rule_DIR "/$<CONFIG>")
  endif()
  _onnxc_flags(rule)
  _onnxc_find_tool(_onnxc_command _onnxc_depends)
  set(_onnxc_base "${rule_DIR}/${arg_NAME}")
  set(_onnxc_reports "")
  foreach(kind IN LISTS arg_REPORT)
    list(APPEND _onnxc_reports "${_onnxc_base}.report.${kind}")
  endforeach()
  _onnxc_add_command("${rule_DIR}" "${_onnxc_command}" "${_onnxc_depends}" "${_onnxc_reports}")
  # The compiler's own dependency files do not know .incbin, and the assembler finds the file by -I.
  set_source_files_properties("${_onnxc_base}_weights.cpp" PROPERTIES
                              OBJECT_DEPENDS "${_onnxc_base}_weights.bin"
                              INCLUDE_DIRECTORIES "${rule_DIR}")
  set(rule_SOURCES "${_onnxc_base}.cpp" "${_onnxc_base}_weights.cpp"
                   "${rule_DIR}/generated/${arg_NAME}.stamp")
  set(rule_HEADERS "${_onnxc_base}.h")
endmacro()

function(onnxc_generate)
  _onnxc_parse(0)
  _onnxc_check_arguments(onnxc_generate)
  _onnxc_add_rule(onnxc_generate "${CMAKE_CURRENT_BINARY_DIR}/onnxc/${arg_NAME}")
  set(${arg_OUT_SOURCES} "${rule_SOURCES}" PARENT_SCOPE)
  set(${arg_OUT_HEADERS} "${rule_HEADERS}" PARENT_SCOPE)
endfunction()

# Code that may become part of a shared library, which exports what `type` says.
function(_onnxc_set_visibility target type)
  get_property(shared_possible GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
  if(shared_possible AND NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  if(type STREQUAL "SHARED")
    target_compile_definitions(${target} PRIVATE ONNXC_BUILD_SHARED)
  endif()
endfunction()

# Generated code is not the user's to lint, and kernels need the optimiser even in debug builds.
function(_onnxc_set_properties target arch)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD OFF
    SKIP_PRECOMPILE_HEADERS ON
    CXX_CLANG_TIDY "" CXX_CPPCHECK "" CXX_CPPLINT "" CXX_INCLUDE_WHAT_YOU_USE "")
  target_compile_features(${target} PRIVATE cxx_std_17)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE $<$<OR:$<CONFIG:Debug>,$<CONFIG:>>:-O2>)
    # A linker with --gc-sections leaves out what the program does not call.
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    if(arch MATCHES "^(native|x86-64-v[0-9])$")
      target_compile_options(${target} PRIVATE -march=${arch})
    endif()
  endif()
endfunction()

# A library for each device of a configuration, and the target that links to all.
function(_onnxc_add_devices target who)
  list(LENGTH arg_DEVICES words)
  if(NOT words EQUAL 2 OR NOT arg_DEVICES MATCHES ";[1-9][0-9]*$")
    message(FATAL_ERROR "${who}: DEVICES wants the name of a configuration and how many devices it has")
  endif()
  list(GET arg_DEVICES 0 configuration)
  list(GET arg_DEVICES 1 count)
  set(given "")
  foreach(keyword MODEL NAMESPACE TYPE TARGET_ARCH OPTIMIZE THREADS WEIGHTS DIMS REPORT DEPENDS)
    if(arg_${keyword})
      list(APPEND given ${keyword} ${arg_${keyword}})
    endif()
  endforeach()
  add_library(${target} INTERFACE)
  add_library(onnxc_model::${target} ALIAS ${target})
  math(EXPR last "${count} - 1")
  foreach(device RANGE ${last})
    set(folder "")
    if(arg_OUTPUT_DIR)
      set(folder OUTPUT_DIR "${arg_OUTPUT_DIR}/${device}")
    endif()
    onnxc_add_model(${target}_${device} ${given} ${folder} NAME ${arg_NAME}_${device}
                    OPTIONS ${arg_OPTIONS} --devices ${configuration} --device ${device})
    target_link_libraries(${target} INTERFACE ${target}_${device})
  endforeach()
endfunction()

function(onnxc_add_model target)
  _onnxc_parse(1)
  set(who "onnxc_add_model(${target})")
  _onnxc_check_arguments("${who}")
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}" arg_NAME)
  endif()
  if(arg_DEVICES)
    _onnxc_add_devices(${target} "${who}")
    return()
  endif()
  if(NOT arg_TYPE)
    set(arg_TYPE STATIC)
  endif()
  _onnxc_add_rule("${who}" "${CMAKE_CURRENT_BINARY_DIR}/onnxc/${target}")
  add_library(${target} ${arg_TYPE} ${rule_SOURCES} ${rule_HEADERS})
  add_library(onnxc_model::${target} ALIAS ${target})
  set(header_folder include)
  if(CMAKE_INSTALL_INCLUDEDIR)
    set(header_folder ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  # A system folder to users, whose warnings do not concern it, but not to the library itself: the
  # assembler does not get -isystem.
  target_include_directories(${target} SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${rule_DIR}>" "$<INSTALL_INTERFACE:${header_folder}>")
  target_include_directories(${target} PRIVATE "${rule_DIR}")
  set_target_properties(${target} PROPERTIES PUBLIC_HEADER "${rule_HEADERS}")
  _onnxc_set_properties(${target} "${rule_ARCH}")
  _onnxc_set_visibility(${target} ${arg_TYPE})
  if(TARGET onnxc_host)
    add_dependencies(${target} onnxc_host)
  endif()
  if(arg_THREADS AND arg_THREADS GREATER 1)
    find_package(Threads REQUIRED)
    target_link_libraries(${target} PUBLIC Threads::Threads)
  endif()
  set_target_properties(${target} PROPERTIES ONNXC_MODEL "${rule_MODEL}"
                                             ONNXC_FLAGS "${rule_FLAGS}")
endfunction()

function(onnxc_verify_model target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEST_DATA;RTOL;ATOL" "")
  set(who "onnxc_verify_model(${target})")
  _onnxc_check_arguments("${who}")
  get_target_property(model ${target} ONNXC_MODEL)
  get_target_property(flags ${target} ONNXC_FLAGS)
  get_filename_component(data "${arg_TEST_DATA}" ABSOLUTE)
  file(GLOB sets LIST_DIRECTORIES true "${data}/test_data_set_*")
  if(NOT sets)
    set(sets "${data}")
  endif()
  set(options "")
  foreach(keyword RTOL ATOL)
    if(arg_${keyword})
      string(TOLOWER ${keyword} option)
      list(APPEND options --${option} ${arg_${keyword}})
    endif()
  endforeach()
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    list(APPEND options --run-with "${emulator}")
  endif()
  _onnxc_find_tool(command unused)
  foreach(set IN LISTS sets)
    get_filename_component(name "${set}" NAME)
    add_test(NAME ${target}.${name}
             COMMAND ${command} verify --model "${model}" "${set}" ${options} -- ${flags})
    set_tests_properties(${target}.${name} PROPERTIES ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
    if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
      set_tests_properties(${target}.${name} PROPERTIES DISABLED TRUE)
    endif()
  endforeach()
endfunction()

cmake_policy(POP)

# onnxc_add_tokenizer(<target> FILE tokenizer.json [NAME <id>] [GENAI genai_config.json [MODEL <base>]])
# A static library with the code of docs/tokenizers.md. NAME: prefix and files, default the target's
# name. MODEL: the files of the decoder that GENAI is about, NAME of its onnxc_add_model.
function(onnxc_add_tokenizer target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;NAME;GENAI;MODEL" "")
  if(NOT arg_FILE)
    message(FATAL_ERROR "onnxc_add_tokenizer(${target}): FILE is missing")
  endif()
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}" arg_NAME)
  endif()
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/onnxc/${target}")
  set(base "${dir}/${arg_NAME}")
  get_filename_component(file "${arg_FILE}" ABSOLUTE)
  set(flags "")
  set(inputs "${file}")
  if(arg_GENAI)
    get_filename_component(genai "${arg_GENAI}" ABSOLUTE)
    list(APPEND flags --genai "${genai}")
    list(APPEND inputs "${genai}")
  endif()
  if(arg_MODEL)
    list(APPEND flags --model "${arg_MODEL}")
  endif()
  _onnxc_find_tool(command depends)
  # Large tables get files of their own, which stay empty otherwise.
  add_custom_command(
    OUTPUT "${base}.cpp" "${base}.h" "${base}_weights.cpp" "${base}_weights.bin"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${dir}"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${base}_weights.cpp" "${base}_weights.bin"
    COMMAND ${command} tokenizer "${file}" -o "${base}" --name ${arg_NAME} ${flags} -q
    COMMAND ${CMAKE_COMMAND} -E touch "${base}_weights.cpp" "${base}_weights.bin"
    DEPENDS ${inputs} ${depends}
    COMMENT "Generating ${arg_NAME} from ${arg_FILE}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${base}_weights.cpp" PROPERTIES
                              OBJECT_DEPENDS "${base}_weights.bin" INCLUDE_DIRECTORIES "${dir}")
  add_library(${target} STATIC "${base}.cpp" "${base}_weights.cpp" "${base}.h")
  target_include_directories(${target} SYSTEM INTERFACE "${dir}")
  target_include_directories(${target} PRIVATE "${dir}")
  _onnxc_set_properties(${target} "")
  _onnxc_set_visibility(${target} STATIC)
  if(TARGET onnxc_host)
    add_dependencies(${target} onnxc_host)
  endif()
endfunction()
