/* Preloaded into onnxc: lets chosen calls fail. Counts from the start of main().
 *
 *   FAULT_CALL   which: memory, or the name of a function below
 *   FAULT_AT     the first call that fails, from 1
 *   FAULT_KEEP   1: all later ones fail, too
 *   FAULT_COUNT  a file that gets "NAME NUMBER" for each name at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { MEMORY, OPEN, READ, MMAP, FSTAT, WRITE, FSYNC, CLOSE, RENAME, LINK, MKDIR, KINDS };
static const char* const names[KINDS] = {"memory", "open",  "read",   "mmap", "fstat", "write",
                                         "fsync",  "close", "rename", "link", "mkdir"};
static long counts[KINDS];
static int armed, wanted = -1, keeps;
static long at;

/* Whether this call fails. */
static int fails(int kind) {
  if (!armed) return 0;
  const long n = ++counts[kind];
  return kind == wanted && (keeps ? n >= at : n == at);
}

#define REAL(type, name, ...)                                \
  static type (*real)(__VA_ARGS__);                          \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static void* none(void) {
  errno = ENOMEM;
  return NULL;
}
void* malloc(size_t n) { return fails(MEMORY) ? none() : __libc_malloc(n); }
void* calloc(size_t n, size_t each) { return fails(MEMORY) ? none() : __libc_calloc(n, each); }
void* realloc(void* p, size_t n) { return fails(MEMORY) ? none() : __libc_realloc(p, n); }
void* aligned_alloc(size_t a, size_t n) { return fails(MEMORY) ? none() : __libc_memalign(a, n); }

static int refused(int reason) {
  errno = reason;
  return -1;
}

static int mode_of(int flags, va_list list) { return flags & 0100 ? va_arg(list, int) : 0; }

#define OPENER(name)                                         \
  int name(const char* path, int flags, ...) {               \
    va_list list;                                            \
    va_start(list, flags);                                   \
    const int mode = mode_of(flags, list);                   \
    va_end(list);                                            \
    REAL(int, #name, const char*, int, ...);                 \
    return fails(OPEN) ? refused(EMFILE) : real(path, flags, mode); \
  }
OPENER(open)
OPENER(open64)

int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = mode_of(flags, list);
  va_end(list);
  REAL(int, "openat", int, const char*, int, ...);
  return fails(OPEN) ? refused(EMFILE) : real(folder, path, flags, mode);
}

ssize_t read(int fd, void* to, size_t n) {
  REAL(ssize_t, "read", int, void*, size_t);
  return fails(READ) ? refused(EIO) : real(fd, to, n);
}
ssize_t pread(int fd, void* to, size_t n, off_t where) {
  REAL(ssize_t, "pread", int, void*, size_t, off_t);
  return fails(READ) ? refused(EIO) : real(fd, to, n, where);
}
void* mmap(void* address, size_t n, int protection, int flags, int fd, off_t where) {
  REAL(void*, "mmap", void*, size_t, int, int, int, off_t);
  if (fd >= 0 && fails(MMAP)) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return real(address, n, protection, flags, fd, where);
}
int fstat(int fd, struct stat* s) {
  REAL(int, "fstat", int, struct stat*);
  return fails(FSTAT) ? refused(EIO) : real(fd, s);
}
/* A disk that is full takes a part first. */
ssize_t write(int fd, const void* from, size_t n) {
  REAL(ssize_t, "write", int, const void*, size_t);
  if (fd <= 2 || !fails(WRITE)) return real(fd, from, n);
  if (n > 1) real(fd, from, n / 2);
  return refused(ENOSPC);
}
int fsync(int fd) {
  REAL(int, "fsync", int);
  return fails(FSYNC) ? refused(EIO) : real(fd);
}
int close(int fd) {
  REAL(int, "close", int);
  const int result = real(fd);
  return fails(CLOSE) ? refused(EIO) : result;
}
int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  return fails(RENAME) ? refused(EIO) : real(from, to);
}
int link(const char* from, const char* to) {
  REAL(int, "link", const char*, const char*);
  return fails(LINK) ? refused(EPERM) : real(from, to);
}
int mkdir(const char* path, mode_t mode) {
  REAL(int, "mkdir", const char*, mode_t);
  return fails(MKDIR) ? refused(EACCES) : real(path, mode);
}

static void write_counts(void) {
  const char* path = getenv("FAULT_COUNT");
  FILE* out = path ? fopen(path, "w") : NULL;
  if (!out) return;
  for (int i = 0; i < KINDS; ++i) fprintf(out, "%s %ld\n", names[i], counts[i]);
  fclose(out);
}

static int (*real_main)(int, char**, char**);

static int faulty_main(int argc, char** argv, char** environment) {
  const char* call = getenv("FAULT_CALL");
  for (int i = 0; call && i < KINDS; ++i)
    if (strcmp(call, names[i]) == 0) wanted = i;
  if (getenv("FAULT_AT")) at = atol(getenv("FAULT_AT"));
  keeps = getenv("FAULT_KEEP") != NULL;
  armed = 1;
  const int code = real_main(argc, argv, environment);
  armed = 0;
  write_counts();
  return code;
}

int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void* stack_end) {
  REAL(int, "__libc_start_main", int (*)(int, char**, char**), int, char**, void (*)(void),
       void (*)(void), void (*)(void), void*);
  real_main = program;
  return real(faulty_main, argc, argv, init, fini, loader, stack_end);
}
