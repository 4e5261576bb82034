#!/usr/bin/env bash
# --hook and --steps: a hook that ends the call at any step leaves nothing behind, runs in blocks of steps give the
# same results, and without the options the code does not change.
. "$(dirname "$0")/check.sh"

golden=$source_dir/tests/golden
strict="-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror
  -fno-exceptions -fno-rtti -O1 -fsanitize=address,undefined"

# One run, into `to`, or with `blocks` steps at a time. A model is its prefix in lower and upper case and its ports: the
# rest is the same.
cat >run.hpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(x) JOIN(MODEL, x)
#define CAPS(x) JOIN(MODEL_CAPS, x)

struct Stop {
  uint32_t at, calls;
};
inline int stop_at(void* context, uint32_t step, const char* name) {
  auto* stop = static_cast<Stop*>(context);
  if (step != stop->calls++ || name == nullptr || *name == '\0') std::abort();
  return step == stop->at ? 1 : 0;
}

#define REQUIRE(x) \
  if (!(x)) return std::printf("%s:%d: %s\n", __FILE__, __LINE__, #x), 1

alignas(64) static unsigned char arena[CAPS(_ARENA_BYTES) + 1];

// run(hook, y): the status of one run into y.
template <class Run, class Y>
int cancel_everywhere(Run run, const Y& want) {
  for (uint32_t k = 0; k <= CAPS(_STEPS); ++k) {
    Y y = {};
    Stop stop{k, 0};
    const NAME(_hook) hook = {stop_at, &stop};
    REQUIRE(run(&hook, y) == CAPS(_CANCELLED) && stop.calls == k + 1);
    std::memset(arena, 0xa5, sizeof arena);
    REQUIRE(run(nullptr, y) == CAPS(_OK) && std::memcmp(&y, &want, sizeof y) == 0);
  }
  Y y = {};
  Stop never{~0u, 0};
  const NAME(_hook) hook = {stop_at, &never};
  REQUIRE(run(&hook, y) == CAPS(_OK) && never.calls == CAPS(_STEPS) + 1);
  REQUIRE(std::memcmp(&y, &want, sizeof y) == 0);
  return 0;
}
END
build() { # name, more flags
  ${CXX:-g++} $strict -I. "$1_main.cpp" "$1.cpp" -o "$1_main" -DMODEL="$1" -DMODEL_CAPS="${1^^}" -pthread "${@:2}"
}

# A model of fixed sizes.
cat >shapes_main.cpp <<'END'
#include "shapes.h"
#include "run.hpp"

struct Result {
  float y[SHAPES_OUTPUT_PROBABILITY_SIZE];
};
static float x[SHAPES_INPUT_PICTURE_SIZE];

int main() {
  for (int i = 0; i < 256; ++i) x[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
  const auto run = [](const shapes_hook* hook, Result& r) {
    return shapes::run(x, r.y, arena, hook);
  };
  Result want = {};
  REQUIRE(run(nullptr, want) == SHAPES_OK);
  if (const int bad = cancel_everywhere(run, want)) return bad;
#ifdef STEPS
  shapes_inputs in = {};
  in.picture = x;
  for (uint32_t block = 1; block <= SHAPES_STEPS; ++block) {
    Result r = {};
    const shapes_outputs out = {r.y};
    for (uint32_t at = 0; at < SHAPES_STEPS; at += block) {
      const uint32_t end = at + block < SHAPES_STEPS ? at + block : SHAPES_STEPS;
      REQUIRE(shapes_run_steps(&in, &out, arena, at, end) == SHAPES_OK);
    }
    REQUIRE(std::memcmp(&r, &want, sizeof r) == 0);
  }
  Result r = {};
  const shapes_outputs out = {r.y};
  REQUIRE(shapes_run_steps(&in, &out, arena, 0, SHAPES_STEPS + 1) == SHAPES_BAD_ARGUMENT);
  REQUIRE(shapes_run_steps(&in, &out, arena, 2, 1) == SHAPES_BAD_ARGUMENT);
  REQUIRE(shapes_run_steps(nullptr, &out, arena, 0, 1) == SHAPES_BAD_ARGUMENT);
#endif
  return 0;
}
END
for options in "--hook" "--hook --steps" "--hook --threads 3"; do
  "$onnxc" "$cnn" -o shapes --name shapes -q $options
  case $options in *steps*) steps=-DSTEPS ;; *) steps= ;; esac
  check "$options: it compiles" build shapes $steps
  check "$options: it can be ended at every step" ./shapes_main
done
echo '#include "shapes.h"' >header.c
check "the header is C" ${CC:-gcc} -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only header.c

# Steps of functions of the model and of a loop are one each.
"$onnxc" "$golden/functions.onnx" -o functions -q --hook --steps
cat >functions_main.cpp <<'END'
#include "functions.h"
#include "run.hpp"

struct Result {
  float y[16];
};

int main() {
  float x[16];
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i % 5) - 2.0f;
  const auto run = [&](const functions_hook* hook, Result& r) {
    functions_inputs in = {};
    in.x = x, in.hook_ = hook;
    const functions_outputs out = {r.y};
    return functions_run(&in, &out, arena);
  };
  Result want = {};
  REQUIRE(run(nullptr, want) == FUNCTIONS_OK);
  return cancel_everywhere(run, want);
}
END
check "functions: it compiles" build functions
check "functions: it can be ended at every step" ./functions_main

# Memory from the heap is freed.
cat >open.case <<'END'
=== open
<ir_version: 8, opset_import: ["": 17]>
(float[n] x) => (float[k] y) {
  at = NonZero (x)
  flat = Squeeze (at)
  some = Gather (x, flat)
  y = Exp (some)
}
given float[3] x = {1, 0, 2}
expect float[2] y = {2.7182817, 7.3890562}
END
"$onnxc" verify --export . open.case
"$onnxc" open/open/model.onnx -o opened -q --hook
cat >opened_main.cpp <<'END'
#include "opened.h"
#include "run.hpp"

struct Result {
  float y[2];
};
static int blocks;
static void* take(void*, size_t bytes) { return ++blocks, std::malloc(bytes); }
static void give(void*, void* memory) { --blocks, std::free(memory); }

int main() {
  const float x[3] = {1, 0, 2};
  const opened_allocator allocator = {take, give, nullptr};
  const auto run = [&](const opened_hook* hook, Result& r) {
    opened_inputs in = {};
    in.x = x, in.x_dims[0] = 3, in.allocator_ = &allocator, in.hook_ = hook;
    opened_outputs out = {};
    out.y = r.y, out.y_capacity = 2;
    const opened_status status = opened_run(&in, &out, arena);
    if (blocks != 0) std::abort();
    return status;
  };
  Result want = {};
  REQUIRE(run(nullptr, want) == OPENED_OK);
  return cancel_everywhere(run, want);
}
END
check "heap: it compiles" build opened
check "heap: it can be ended at every step" ./opened_main
check "heap: no parts" exits 1 "$onnxc" open/open/model.onnx -o parts -q --steps
check "which it says" grep -q 'error\[steps\]' exits.log

# Training is not ended once the state has begun to change.
"$onnxc" prepare "$mlp" --loss mse --optimizer sgd --train '*' -o trained.onnx
"$onnxc" trained.onnx -o trained -q --hook --train
in=$(sed -n 's/^ \* train in  *\([a-z_0-9]*\) .*/\1/p' trained.h | paste -sd' ')
cat >trained_main.cpp <<'END'
#include "trained.h"
#include "run.hpp"

alignas(64) static unsigned char state[TRAINED_STATE_BYTES], before[TRAINED_STATE_BYTES];
alignas(64) static unsigned char memory[TRAINED_TRAIN_ARENA_BYTES];
static float some[1024];

int main() {
  for (int i = 0; i < 1024; ++i) some[i] = static_cast<float>(i % 7) / 7.0f;
  trained_train_inputs in = {};
  FILL
  const trained_train_outputs out = {};
  uint32_t cancelled = 0;
  for (uint32_t k = 0; k <= TRAINED_TRAIN_STEPS; ++k) {
    REQUIRE(trained_reset(state) == TRAINED_OK);
    std::memcpy(before, state, sizeof state);
    Stop stop{k, 0};
    const trained_hook hook = {stop_at, &stop};
    in.hook_ = &hook;
    const trained_status status = trained_train(&in, &out, state, memory);
    const bool same = std::memcmp(before, state, sizeof state) == 0;
    REQUIRE(status == (same ? TRAINED_CANCELLED : TRAINED_OK));
    cancelled += same ? 1u : 0u;
  }
  REQUIRE(cancelled > 1 && cancelled <= TRAINED_TRAIN_STEPS);
  return 0;
}
END
fill=
for member in $in; do fill="$fill in.$member = some;"; done
sed -i "s/FILL/$fill/" trained_main.cpp
check "training: it compiles" build trained
check "training: ended before its state changes, or not at all" ./trained_main

"$onnxc" "$cnn" -o plain --name shapes -q
check "without the options there is nothing of them" sh -c '! grep -qE "hook|HOOK|cancel|CANCEL|_STEPS|run_steps" plain.h plain.cpp'
finish
