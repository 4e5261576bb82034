/* A call from C, and nothing that asks for more. */
#include "flowers.h"
static unsigned char arena[FLOWERS_ARENA_BYTES] __attribute__((aligned(64)));
static float x[4], y[3];
int main(void) {
  const flowers_inputs in = {x};
  const flowers_outputs out = {y};
  return flowers_run(&in, &out, arena);
}
