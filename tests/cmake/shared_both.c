/* Two models, each a shared library, in one program. */
#include <stdalign.h>

#include "flowers.h"
#include "net.h"

static alignas(NET_ARENA_ALIGN) unsigned char arena[NET_ARENA_BYTES + FLOWERS_ARENA_BYTES];
static float x[1024], y[1000];

int main(void) {
  const float lengths[4] = {6.1f, 2.9f, 4.7f, 1.4f};
  float probability[3];
  const flowers_inputs in = {lengths};
  const flowers_outputs out = {probability};
  const net_inputs net_in = {.x = x};
  const net_outputs net_out = {y};
  if (flowers_run(&in, &out, arena) != FLOWERS_OK || !(probability[1] > 0.5f)) return 1;
  return net_run(&net_in, &net_out, arena) != NET_OK || y[0] != 0;
}
