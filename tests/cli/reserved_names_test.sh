#!/usr/bin/env bash
# Names in a model that are keywords or macros: the code compiles, also after standard headers.
. "$(dirname "$0")/check.sh"
needs onnx

c="assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
  stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
  wchar wctype stdbit stdckdint"
posix="aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen
  monetary mqueue net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd sched search
  semaphore spawn strings sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm
  sys/socket sys/stat sys/statvfs sys/time sys/times sys/types sys/uio sys/un sys/utsname sys/wait
  syslog tar termios unistd utime utmpx wordexp regex"
cpp="algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
  condition_variable deque exception execution expected filesystem format forward_list
  fstream functional future generator initializer_list iomanip ios iosfwd iostream istream iterator
  latch limits list locale map mdspan memory memory_resource mutex new numbers numeric optional
  ostream print queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
  source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf
  string string_view syncstream system_error thread tuple type_traits typeindex typeinfo
  unordered_map unordered_set utility valarray variant vector version"
keywords="alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
  char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval
  constexpr constinit continue contract_assert decltype default delete do double dynamic_cast else
  enum explicit export extern false final float for friend goto if import inline int long module
  mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected
  public register reinterpret_cast requires restrict return short signed sizeof static
  static_assert static_cast struct switch template this thread_local throw true try typedef typeid
  typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq"

includes() {
  local name
  for name in "$@"; do printf '#if __has_include(<%s>)\n#include <%s>\n#endif\n' "$name" "$name"; done
}
# shellcheck disable=SC2086
includes $(for name in $c $posix; do echo "$name.h"; done) >every_c.h
# shellcheck disable=SC2086
{
  includes $cpp
  includes $(for name in $c $posix; do echo "$name.h"; done | grep -v stdatomic)
} >every_cpp.h
clang=""
! installed clang++ || clang=1
macros() { "$@" -D_GNU_SOURCE -dM -E 2>/dev/null | awk '{print $2}' | sed 's/(.*//'; }
{
  macros gcc -std=gnu17 -x c every_c.h
  macros gcc -std=gnu2x -x c every_c.h
  macros g++ -std=gnu++20 -x c++ every_cpp.h
  macros g++ -std=gnu++17 -x c++ every_cpp.h
  if [ -n "$clang" ]; then
    macros clang -std=gnu17 -x c every_c.h
    macros clang++ -std=gnu++20 -x c++ every_cpp.h
  fi
} | sort -u >macros
check "the headers define macros" sh -c '[ $(wc -l <macros) -gt 3000 ]'
# Names that identifier_from can make.
{
  grep -E '^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$' macros
  printf '%s\n' $keywords
} | sort -u >names

"$python" "$source_dir/tests/cli/reserved_names_model.py" names .
# The words of a file's code, without its strings, that are macros.
words() {
  gcc -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null | sed 's/"[^"]*"//g' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' |
    sort -u | comm -12 - macros
}
for model in ports tensors; do
  check "$model" "$onnxc" $model.onnx -o $model --weights inline -q
  words $model.h | grep -vxE 'bool|true|false|_Bool|static_assert|__cplusplus|__ELF__|__GNUC__' >lacking || true
  check "$model.h uses no macro; compiler/interface/reserved_names.cpp lacks these" \
    sh -c 'cat lacking; ! [ -s lacking ]'
  check "$model.h is C++ after every header" \
    g++ -std=gnu++20 -fsyntax-only -include every_cpp.h -x c++ $model.h
  check "$model.h is C after every header" \
    gcc -std=gnu17 -fsyntax-only -include every_c.h -x c $model.h
  check "$model.cpp is C++" \
    g++ -std=gnu++17 -O0 -Wall -Wextra -Wshadow -Werror -fsyntax-only $model.cpp
  [ -z "$clang" ] ||
    check "$model.cpp is C++ of clang" clang++ -std=gnu++17 -fsyntax-only $model.cpp
done

check "weights outside" "$onnxc" tensors.onnx -o outside --weights extern --threads 2 -q
check "whose member has a name of its own" \
  g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only outside.cpp

# Names of models: the prefix of functions, types and constants, and the namespace.
prefixes="R W X F r w x f linux unix errno assert I NAN EOF stdin M_PI INFINITY signal int class E SIG
  S INT"
for name in $prefixes; do
  "$onnxc" "$mlp" -o "prefixes/$name" -q || check "a model named $name" false
  echo "#include \"$name.h\""
done >prefixes.c
check "names of models are C++ after every header" \
  g++ -std=gnu++20 -fsyntax-only -iquote prefixes -include every_cpp.h -x c++ prefixes.c
check "and C" gcc -std=gnu17 -fsyntax-only -iquote prefixes -include every_c.h prefixes.c
finish
