// Forks the workers, sends them tasks and reads their results through pipes.
#include "compiler/support/platform/workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

// While an object exists, SIGINT and SIGTERM only set a flag.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  std::deque<std::size_t> open;  // tasks without a result
  std::size_t current = SIZE_MAX;
  std::string pending;  // an incomplete line
};

void send(int pipe, const std::string& line) {
  std::size_t at = 0;
  while (at < line.size()) {
    const ssize_t n = write(pipe, line.data() + at, line.size() - at);
    if (n < 0 && errno != EINTR) _exit(1);
    if (n > 0) at += static_cast<std::size_t>(n);
  }
}

class Scheduler {
 public:
  Scheduler(const WorkerPool& pool, std::size_t tasks) : pool_(pool) {
    for (std::size_t i = 0; i < tasks; ++i) queue_.push_back(i);
  }

  void run() {
    const InterruptGuard guard;
    while (!queue_.empty() || !workers_.empty()) {
      while (!queue_.empty() && workers_.size() < static_cast<std::size_t>(pool_.jobs)) start();
      listen();
      if (interrupted != 0) stop();
    }
  }

 private:
  void start();
  void listen();
  void read_from(Worker& worker);
  void handle(Worker& worker, const std::string& line);
  void finish(Worker& worker);
  [[noreturn]] void stop();
  [[noreturn]] void become_worker(int pipe, const std::vector<std::size_t>& tasks);

  const WorkerPool& pool_;
  std::deque<std::size_t> queue_;
  std::vector<Worker> workers_;
  std::size_t batches_ = 0;
};

void Scheduler::become_worker(int pipe, const std::vector<std::size_t>& tasks) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  WorkerChannel channel;
  channel.begin = [pipe](std::size_t task) { send(pipe, fmt::format("B{}\n", task)); };
  channel.end = [pipe](std::size_t task, const std::string& text) {
    send(pipe, fmt::format("E{} {}\n", task, text));
  };
  try {
    pool_.work(tasks, batches_, channel);
  } catch (const std::exception& e) {
    terminal::print(stderr, "onnxc: {}\n", e.what());
    _exit(1);
  }
  _exit(0);
}

void Scheduler::start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw FatalError(exit_code::io, "cannot make a pipe");
  const std::size_t n = std::min(pool_.batch, queue_.size());
  const auto last = queue_.begin() + static_cast<std::ptrdiff_t>(n);
  const std::vector<std::size_t> tasks(queue_.begin(), last);
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw FatalError(exit_code::io, "cannot start another process");
  if (pid == 0) become_worker(ends[1], tasks);
  ++batches_;
  close(ends[1]);
  queue_.erase(queue_.begin(), last);
  workers_.push_back({pid, ends[0], {tasks.begin(), tasks.end()}, SIZE_MAX, ""});
}

void Scheduler::listen() {
  std::vector<pollfd> waits;
  for (const Worker& w : workers_) waits.push_back({w.pipe, POLLIN, 0});
  if (poll(waits.data(), waits.size(), -1) <= 0) return;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].revents != 0) read_from(workers_[i]);
  }
  std::erase_if(workers_, [](const Worker& w) { return w.pipe < 0; });
}

void Scheduler::read_from(Worker& worker) {
  std::array<char, 16384> buffer;
  const ssize_t n = read(worker.pipe, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) return finish(worker);
  worker.pending.append(buffer.data(), static_cast<std::size_t>(n));
  std::size_t end = 0;
  while ((end = worker.pending.find('\n')) != std::string::npos) {
    handle(worker, worker.pending.substr(0, end));
    worker.pending.erase(0, end + 1);
  }
}

void Scheduler::handle(Worker& worker, const std::string& line) {
  const std::size_t task = std::strtoull(line.c_str() + 1, nullptr, 10);
  worker.current = line[0] == 'B' ? task : SIZE_MAX;
  if (line[0] == 'B') return;
  std::erase(worker.open, task);
  pool_.done(task, line.substr(line.find(' ') + 1));
}

// The worker has closed its pipe. Its remaining tasks are queued again.
void Scheduler::finish(Worker& worker) {
  close(worker.pipe);
  worker.pipe = -1;
  int status = 0;
  while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (worker.open.empty()) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && worker.current == SIZE_MAX) {
    throw FatalError(exit_code::io, "a worker process failed");
  }
  const std::size_t culprit = worker.current == SIZE_MAX ? worker.open.front() : worker.current;
  std::erase(worker.open, culprit);
  queue_.insert(queue_.begin(), worker.open.begin(), worker.open.end());
  pool_.died(culprit, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

void Scheduler::stop() {
  for (const Worker& w : workers_) kill(w.pid, SIGKILL);
  for (const Worker& w : workers_) waitpid(w.pid, nullptr, 0);
  throw FatalError(128 + SIGINT, "interrupted");
}

}  // namespace

void run_workers(const WorkerPool& pool, std::size_t tasks) { Scheduler(pool, tasks).run(); }

}  // namespace onnxc
