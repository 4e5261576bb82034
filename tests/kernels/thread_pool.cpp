// thread_pool.cpp - every chunk is computed once, whatever the threads do meanwhile.
#include "templates/threads/thread_pool.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "templates/threads/openmp_team.hpp"
#include "templates/threads/threads.hpp"

using onnxc::Chunk;
using onnxc::Index;
using onnxc::Status;

namespace {

using Pool = onnxc::ThreadPool<8>;

std::vector<int> visits(Pool& pool, Index count) {
  std::vector<int> seen(static_cast<std::size_t>(count), 0);
  auto visit = [&](Chunk chunk) {
    if (chunk.count == count)
      return static_cast<void>(++seen[static_cast<std::size_t>(chunk.index)]);
    for (int& n : seen) ++n;  // all of it at once
  };
  pool.run(count, visit);
  return seen;
}

struct Rows {
  Index rows;
};

}  // namespace

TEST_CASE("a pool visits every chunk once", "[threads]") {
  for (Index threads : {1, 2, 3, 8}) {
    Pool pool(threads);
    REQUIRE(pool.threads() == threads);
    for (Index count : {1, 2, 3, 7, 8, 64, 1000}) {
      for (int again = 0; again < 20; ++again)
        REQUIRE(visits(pool, count) == std::vector<int>(static_cast<std::size_t>(count), 1));
    }
  }
}

TEST_CASE("a pool wakes sleeping threads", "[threads]") {
  Pool pool(4);
  for (int again = 0; again < 5; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(visits(pool, 8) == std::vector<int>(8, 1));
  }
}

TEST_CASE("results of a job are there when it ends", "[threads]") {
  Pool pool(3);
  std::vector<Index> values(300, 0);
  for (Index round = 1; round <= 3000; ++round) {
    auto add = [&](Chunk chunk) {
      const onnxc::Span own = onnxc::share(chunk.index, chunk.count, 300, 7);
      for (Index i = own.begin; i < own.end; ++i) values[static_cast<std::size_t>(i)] += round;
    };
    pool.run(11, add);
  }
  CHECK(values == std::vector<Index>(300, 3000 * 3001 / 2));
}

TEST_CASE("several callers of one pool, and several pools", "[threads]") {
  Pool shared(2);
  const auto work = [&](bool own) {
    const auto mine = own ? std::make_unique<Pool>(2) : nullptr;
    for (int i = 0; i < 300; ++i)
      if (visits(own ? *mine : shared, 16) != std::vector<int>(16, 1)) return false;
    return true;
  };
  bool fine[4] = {};
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < 4; ++i) callers.emplace_back([&, i] { fine[i] = work(i % 2 == 1); });
  for (std::thread& t : callers) t.join();
  for (const bool f : fine) CHECK(f);
}

TEST_CASE("threads of a pool are distinguished", "[threads]") {
  Pool pool(4);
  std::atomic<int> inside[4] = {};
  std::atomic<bool> clash{false};
  auto enter = [&](Chunk chunk) {
    auto& mine = inside[static_cast<std::size_t>(chunk.thread)];
    if (mine.fetch_add(1) != 0) clash = true;
    mine.fetch_sub(1);
  };
  for (int i = 0; i < 500; ++i) pool.run(32, enter);
  CHECK_FALSE(clash);
}

TEST_CASE("the first chunk that fails decides", "[threads]") {
  Pool pool(3);
  const onnxc::Threads<Pool> threads(&pool), alone(nullptr);
  for (int again = 0; again < 200; ++again) {
    const Status status = threads.check(9, [](Chunk chunk) {
      return chunk.index == 4  ? Status::bad_index
             : chunk.index > 4 ? Status::bad_value
                               : Status::ok;
    });
    REQUIRE(status == Status::bad_index);
  }
  CHECK(threads.check(9, [](Chunk) { return Status::ok; }) == Status::ok);
  CHECK(alone.check(9, [](Chunk chunk) {
    return chunk.count == 1 ? Status::ok : Status::bad_value;
  }) == Status::ok);
}

TEST_CASE("shares cover everything once", "[threads]") {
  for (Index count : {1, 2, 3, 7, 16})
    for (Index extent : {0, 1, 5, 16, 100, 1001})
      for (Index step : {1, 4, 64}) {
        Index next = 0;
        for (Index i = 0; i < count; ++i) {
          const onnxc::Span s = onnxc::share(i, count, extent, step);
          REQUIRE(s.begin <= s.end);
          if (s.size() == 0) continue;
          REQUIRE(s.begin == next);
          REQUIRE(s.begin % step == 0);
          next = s.end;
        }
        REQUIRE(next == extent);
      }
}

TEST_CASE("grid shares cover everything once", "[threads]") {
  for (Index count : {1, 2, 6, 8, 12})
    for (Index rows : {1, 3, 10})
      for (Index columns : {1, 2, 9}) {
        std::set<std::pair<Index, Index>> seen;
        Index cells = 0;
        for (Index i = 0; i < count; ++i) {
          const onnxc::ChunkGrid g = onnxc::chunk_grid({i, count}, rows, 14, columns, 32);
          for (Index r = g.rows.begin; r < g.rows.end; ++r)
            for (Index c = g.columns.begin; c < g.columns.end; ++c, ++cells) seen.emplace(r, c);
        }
        REQUIRE(cells == rows * columns);
        REQUIRE(seen.size() == static_cast<std::size_t>(cells));
      }
}

TEST_CASE("only a shape with a chunk has one", "[threads]") {
  const Rows rows{10};
  CHECK(onnxc::chunk_range(rows, rows.rows).size() == 10);
  const auto second = onnxc::with_chunk(rows, {1, 2});
  CHECK(second.rows == 10);
  CHECK(onnxc::chunk_range(second, second.rows).begin == 5);
}

TEST_CASE("an OpenMP team computes every chunk once", "[threads]") {
  onnxc::OpenMpTeam<4> team;
  for (Index count : {1, 2, 7, 64}) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    std::atomic<bool> bad_thread{false};
    auto visit = [&](Chunk chunk) {
      if (chunk.thread < 0 || chunk.thread >= 4) bad_thread = true;
      if (chunk.count == count)
        return static_cast<void>(++seen[static_cast<std::size_t>(chunk.index)]);
      for (auto& n : seen) ++n;  // without OpenMP: all of it at once
    };
    team.run(count, visit);
    for (const auto& n : seen) CHECK(n == 1);
    CHECK_FALSE(bad_thread);
  }
}
