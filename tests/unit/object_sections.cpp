// The sections of objects, whatever system they are for. A format whose compiler is missing is left
// out; ELF is this one's.
#include <catch2/catch.hpp>
#include <fstream>

#include "compiler/run/measure.hpp"
#include "compiler/run/process.hpp"

using namespace onnxc;

namespace {

// Code, 4000 bytes of constants, 800 of initial values and 64000 of zeros, with debug information,
// which is longer than the code.
constexpr const char* kSource = R"(
extern const int table[1000];
const int table[1000] = {1, 2, 3};
int state[200] = {4, 5, 6};
int zeros[16000];
int total(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += table[i] * state[i % 200] + zeros[i];
  return sum;
}
)";
constexpr int kData = 4000 + 800;

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// "" without the compiler. `link` makes a program: its sections fill blocks of the file.
std::string object_of(const TemporaryFolder& folder, std::vector<std::string> compile,
                      bool link = false) {
  const std::string source = folder.path() + "/m.cpp", out = folder.path() + "/out.exe";
  write(source, link ? std::string(kSource) + "int main() { return total(10); }\n" : kSource);
  for (const char* word : {"-O1", "-g"}) compile.emplace_back(word);
  if (!link) compile.emplace_back("-c");
  for (const std::string& word : {source, std::string("-o"), out}) compile.push_back(word);
  const ProcessResult result = run_process(compile, 60);
  if (result.exit_code == 127) return "";
  INFO(result.output);
  CHECK(result.ok());
  return result.ok() ? out : "";
}

// Beyond the data there are tables of exceptions and the name of the compiler.
void check_object(const std::string& object) {
  const std::int64_t code = code_bytes_of(object), flash = flash_bytes_of(object);
  CHECK(code >= 20);
  CHECK(code <= 300);
  CHECK(flash - code >= kData);
  CHECK(flash - code <= kData + 400);
  CHECK(byte_order_of(object) == std::endian::little);
}

}  // namespace

TEST_CASE("objects of every format have code and data, without zeros and debug information",
          "[sections]") {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> compilers = {
      {"g++"},
      {"arm-none-eabi-g++", "-mcpu=cortex-m4", "-mthumb"},
      {"x86_64-w64-mingw32-g++"},
      {"i686-w64-mingw32-g++"},
      {"clang++", "--target=aarch64-pc-windows-msvc"},
      {"clang++", "--target=x86_64-apple-macos11"},
      {"clang++", "--target=arm64-apple-macos11"},
  };
  for (const auto& compile : compilers) {
    INFO(compile.front() << ' ' << compile.back());
    if (const std::string object = object_of(folder, compile); !object.empty())
      check_object(object);
  }
}

TEST_CASE("the other order of bytes", "[sections]") {
  const TemporaryFolder folder;
  const std::string object = object_of(folder, {"clang++", "--target=s390x-linux-gnu"});
  if (object.empty()) return;
  CHECK(byte_order_of(object) == std::endian::big);
  CHECK(code_bytes_of(object) >= 20);
  CHECK(flash_bytes_of(object) - code_bytes_of(object) >= kData);
}

TEST_CASE("a program for Windows has its code and data", "[sections]") {
  const TemporaryFolder folder;
  const std::string program = object_of(folder, {"x86_64-w64-mingw32-g++"}, true);
  if (program.empty()) return;
  const std::int64_t code = code_bytes_of(program), flash = flash_bytes_of(program);
  CHECK(code >= 1000);
  CHECK(flash >= code + kData);
  // A fifth of the file is code and data, the rest symbols and debug information.
  CHECK(flash < 60'000);
}

TEST_CASE("an object that ends early, and what is none, count nothing", "[sections]") {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& compile : {std::vector<std::string>{"g++"},
                                                  {"x86_64-w64-mingw32-g++"},
                                                  {"clang++", "--target=arm64-apple-macos11"}}) {
    const std::string object = object_of(folder, compile);
    if (object.empty()) continue;
    std::ifstream stream(object, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(stream), {}};
    const std::string cut = folder.path() + "/cut";
    for (const std::size_t length : {2, 16, 30, 100}) {
      write(cut, whole.substr(0, length));
      CHECK(flash_bytes_of(cut) == 0);
    }
  }
  write(folder.path() + "/text", "MZ of no program");
  CHECK(flash_bytes_of(folder.path() + "/text") == 0);
}
