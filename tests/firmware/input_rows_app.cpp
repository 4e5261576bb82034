// input_rows_app.cpp - supplies the rows of an image to a model, and ends calls at each of them.
// Compiled with -DMODEL_HEADER, -DMODEL and -DMODEL_CAPS; the input is named picture; data.h comes
// from the host.
#include <cstdint>

#include "../cli/model.hpp"
#include "data.h"
#include "startup.hpp"

namespace {

constexpr std::uint32_t kRows = CAPS(_INPUT_PICTURE_ROWS);
constexpr std::uint32_t kRowSize = CAPS(_INPUT_PICTURE_ROW_SIZE);

alignas(CAPS(_ARENA_ALIGN)) std::uint8_t arena[CAPS(_ARENA_BYTES) + 1];
float result[kOutputs];

struct Camera {
  std::uint32_t next = 0;     // the row that has to come
  std::uint32_t end = kRows;  // the first one that fails
};

int next_rows(void* context, std::uint32_t first, std::uint32_t count, void* rows) {
  auto* camera = static_cast<Camera*>(context);
  if (first != camera->next || first + count > camera->end) return 1;
  camera->next += count;
  for (std::uint32_t i = 0; i < count * kRowSize; ++i)
    static_cast<float*>(rows)[i] = kInput[first * kRowSize + i];
  return 0;
}

int fail(const char* what) {
  print(what);
  return 1;
}

bool is_right() {
  for (int i = 0; i < kOutputs; ++i)
    if (!(result[i] - kWanted[i] <= 1e-5f && kWanted[i] - result[i] <= 1e-5f)) return false;
  return true;
}

}  // namespace

extern "C" int app_main() {
  for (std::uint32_t end = 0; end < kRows; ++end) {
    Camera camera = {0, end};
    if (MODEL::run({next_rows, &camera}, result, arena) != CAPS(_CANCELLED) || camera.next != end)
      return fail("it was not cancelled\n");
  }
  if (MODEL::run({nullptr, nullptr}, result, arena) != CAPS(_BAD_ARGUMENT))
    return fail("a null function is no error\n");
  Camera camera;
  NAME(_inputs) in = {};
  in.picture.next_rows = next_rows;
  in.picture.context = &camera;
  const NAME(_outputs) out = {result};
  if (NAME(_run)(&in, &out, arena) != CAPS(_OK) || !is_right()) return fail("the run is wrong\n");
  return camera.next == kRows ? 0 : fail("rows are missing\n");
}
