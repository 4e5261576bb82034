// Linked into programs that are built with -finstrument-functions -falign-functions=16: where REACH
// names a folder, a process leaves the functions that it entered in its file PID, as multiples of
// 16 bytes from the first address of the program.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" char __executable_start, etext;

namespace {

constexpr std::ptrdiff_t kAlignment = 16;
char* entered = nullptr;  // for each such address; null: not wanted

std::ptrdiff_t size() { return (&etext - &__executable_start) / kAlignment + 1; }

__attribute__((constructor)) void begin() {
  if (std::getenv("REACH"))
    entered = static_cast<char*>(std::calloc(static_cast<std::size_t>(size()), 1));
}

__attribute__((destructor)) void write() {
  if (!entered) return;
  char name[4096];
  std::snprintf(name, sizeof name, "%s/%d", std::getenv("REACH"), getpid());
  std::FILE* const file = std::fopen(name, "wb");
  if (!file) return;
  for (std::ptrdiff_t i = 0; i < size(); ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    if (entered[i]) std::fwrite(&at, sizeof at, 1, file);
  }
  std::fclose(file);
}

}  // namespace

extern "C" {

void __cyg_profile_func_enter(void* function, void*) {
  if (entered) entered[(static_cast<char*>(function) - &__executable_start) / kAlignment] = 1;
}
void __cyg_profile_func_exit(void*, void*) {}

// Workers end by _exit; the programs are linked with --wrap=_exit.
[[noreturn]] void __real__exit(int code);
[[noreturn]] void __wrap__exit(int code) {
  write();
  __real__exit(code);
}
}
