// The words of Python 3.
#include "compiler/products/python/names.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// What programs with numpy import, themselves or through others.
constexpr std::string_view kModules[] = {
    "abc",         "argparse",   "array",       "ast",          "asyncio",     "atexit",
    "base64",      "bisect",     "builtins",    "bz2",          "calendar",    "cmath",
    "code",        "codecs",     "collections", "configparser", "contextlib",  "contextvars",
    "copy",        "copyreg",    "csv",         "ctypes",       "dataclasses", "datetime",
    "decimal",     "difflib",    "dis",         "email",        "enum",        "errno",
    "fnmatch",     "fractions",  "functools",   "gc",           "getopt",      "getpass",
    "gettext",     "glob",       "gzip",        "hashlib",      "heapq",       "hmac",
    "html",        "http",       "importlib",   "inspect",      "io",          "ipaddress",
    "itertools",   "json",       "keyword",     "linecache",    "locale",      "logging",
    "lzma",        "marshal",    "math",        "mimetypes",    "mmap",        "multiprocessing",
    "ntpath",      "numbers",    "numpy",       "opcode",       "operator",    "os",
    "pathlib",     "pickle",     "pip",         "pkgutil",      "platform",    "posixpath",
    "pprint",      "profile",    "queue",       "random",       "re",          "reprlib",
    "resource",    "runpy",      "sched",       "secrets",      "select",      "selectors",
    "setuptools",  "shelve",     "shlex",       "shutil",       "signal",      "site",
    "socket",      "sqlite3",    "ssl",         "stat",         "statistics",  "string",
    "struct",      "subprocess", "symtable",    "sys",          "sysconfig",   "tarfile",
    "tempfile",    "test",       "textwrap",    "threading",    "time",        "timeit",
    "token",       "tokenize",   "trace",       "traceback",    "types",       "typing",
    "unicodedata", "unittest",   "urllib",      "uuid",         "venv",        "warnings",
    "wave",        "weakref",    "wheel",       "xml",          "zipfile",     "zipimport",
    "zlib",        "zoneinfo"};

template <class List>
bool has(const List& list, const std::string& name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

}  // namespace

bool is_python_identifier(const std::string& name) {
  return identifier_from(name, name.size()).text() == name && !has(kKeywords, name);
}

bool is_python_module(const std::string& name) { return has(kModules, name); }

std::string python_name(const Port& port) {
  const std::string& member = port.identifier.text();
  const std::size_t start = member.find_first_not_of('_');
  const std::string name = start == std::string::npos ? "value" : member.substr(start);
  return has(kKeywords, name) ? name + "_" : name;
}

}  // namespace onnxc
