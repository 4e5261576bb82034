// Scores as a tensor and as maps are the same.
#include <cstring>

#include "maps.h"
#include "pets.h"

alignas(64) static unsigned char arena[MAPS_ARENA_BYTES + PETS_ARENA_BYTES + 1], memory[4096];

int main() {
  const float x[2][2] = {{3, 0}, {-2, -2}};
  pets_string label[2];
  float scores[2][3];
  if (pets::run(x, label, scores, arena) != PETS_OK) return 1;
  if (label[0].size != 3 || std::memcmp(label[0].data, "cat", 3) != 0) return 2;
  maps_string names[2];
  maps_value rows = {};
  const maps_inputs in = {x[0], nullptr};
  maps_outputs out = {};
  char text[64];
  out.label = names;
  out.label_text = text;
  out.label_text_capacity = sizeof text;
  out.probabilities = &rows;
  out.probabilities_memory = memory;
  out.probabilities_capacity = sizeof memory;
  if (maps_run(&in, &out, arena) != MAPS_OK) return 3;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c) {
      const maps_value* map = &rows.items[r];
      const auto* keys = static_cast<const maps_string*>(map->items[0].data);
      for (int k = 0; k < 3; ++k)
        if (std::strncmp(pets::out::probabilities::labels[c], keys[k].data, 3) == 0 &&
            static_cast<const float*>(map->items[1].data)[k] != scores[r][c])
          return 4;
    }
  return 0;
}
