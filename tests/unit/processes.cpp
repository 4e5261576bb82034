// processes.cpp - running programs, and workers that may crash.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>

#include "compiler/run/process.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/platform/workers.hpp"
#include "compiler/support/words.hpp"

using namespace onnxc;

TEST_CASE("a process tells how it ended") {
  CHECK(run_process({"true"}, 10).ok());
  CHECK(run_process({"sh", "-c", "echo hello; exit 3"}, 10).exit_code == 3);
  CHECK(run_process({"sh", "-c", "echo hello; exit 3"}, 10).output == "hello\n");
  CHECK(run_process({"sh", "-c", "kill -SEGV $$"}, 10).signal == SIGSEGV);
  CHECK(run_process({"no-such-program-here"}, 10).exit_code == 127);
  CHECK(run_process({"sleep", "30"}, 0.1).timed_out);
}

TEST_CASE("words are split as in a shell") {
  using Words = std::vector<std::string>;
  CHECK(split_words("  -O1  -g ") == Words{"-O1", "-g"});
  CHECK(split_words("-DX='a b' \"c d\"e f\\ g ''") == Words{"-DX=a b", "c de", "f g", ""});
  CHECK(split_words("") == Words{});
  CHECK(split_words(" # nothing\n#\n") == Words{});
  CHECK(split_words("--dim batch=1\n\t-o out/a # the board's\r\n-q") ==
        Words{"--dim", "batch=1", "-o", "out/a", "-q"});
  CHECK(split_words("'a b' \"c 'd'\" e\\ f g\"h i\"j \"\\\"\" '\\' '' a#b") ==
        Words{"a b", "c 'd'", "e f", "gh ij", "\"", "\\", "", "a#b"});
  CHECK(split_words("C:\\gcc\\bin\\g++.exe \"C:\\My Files\\x\" \\#") ==
        Words{"C:\\gcc\\bin\\g++.exe", "C:\\My Files\\x", "#"});
  CHECK_THROWS_AS(split_words("-o 'a"), FatalError);
  CHECK_THROWS_AS(split_words("\"a\\\""), FatalError);
}

TEST_CASE("every task gets a result though workers crash") {
  std::map<std::size_t, std::string> done;
  std::map<std::size_t, int> died;
  WorkerPool pool;
  pool.jobs = 3;
  pool.batch = 4;
  pool.work = [](const auto& tasks, std::size_t, const WorkerChannel& channel) {
    for (std::size_t task : tasks) {
      channel.begin(task);
      if (task % 7 == 3) raise(SIGKILL);
      channel.end(task, std::to_string(task * task));
    }
  };
  pool.done = [&](std::size_t task, const std::string& text) { done[task] = text; };
  pool.died = [&](std::size_t task, int signal) { died[task] = signal; };
  run_workers(pool, 30);
  CHECK(done.size() + died.size() == 30);
  CHECK(died.size() == 4);
  CHECK(died.at(10) == SIGKILL);
  CHECK(done.at(11) == "121");
}
