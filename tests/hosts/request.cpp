// A compiler for programs of wine: asks tests/hosts/run_requests.py, through files of the folder
// $REQUESTS, to run one, and ends as it does.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

namespace fs = std::filesystem;

int main(int argc, char** argv) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string name = std::string(std::getenv("REQUESTS")) + "/" + std::to_string(now);
  {
    std::ofstream file(name + ".new", std::ios::binary);
    file << fs::current_path().string() << '\0';
    for (int i = 1; i < argc; ++i) file << argv[i] << '\0';
  }
  fs::rename(name + ".new", name + ".request");
  while (!fs::exists(name + ".answer")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  int code = 1;
  {
    std::ifstream file(name + ".answer", std::ios::binary);
    file >> code;
    file.get();
    if (file.peek() != EOF) std::cout << file.rdbuf();
  }
  fs::remove(name + ".answer");
  return code;
}
