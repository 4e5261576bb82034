// Which flower is this? The network of examples/01_mlp, called from Go: cgo compiles flowers.cpp next to this file.
package main

/*
#cgo CXXFLAGS: -std=c++17 -O2
#include <stdlib.h>

#include "flowers.h"

// Go's rules about pointers do not allow a structure of them.
static flowers_status run(const float* lengths, float* probability, void* arena) {
  const flowers_inputs in = {lengths};
  const flowers_outputs out = {probability};
  return flowers_run(&in, &out, arena);
}

// Its scratch memory; one for each goroutine that runs the model.
static void* new_arena(void) {
  void* arena = NULL;
  return posix_memalign(&arena, FLOWERS_ARENA_ALIGN, FLOWERS_ARENA_BYTES) == 0 ? arena : NULL;
}
*/
import "C"

import (
	"fmt"
	"log"
)

func main() {
	names := []string{"setosa", "versicolor", "virginica"}
	lengths := [4]C.float{6.1, 2.9, 4.7, 1.4}
	var probability [3]C.float
	arena := C.new_arena()
	defer C.free(arena)
	if status := C.run(&lengths[0], &probability[0], arena); status != C.FLOWERS_OK {
		log.Fatal(C.GoString(C.flowers_status_text(status)))
	}
	best := 0
	for i, p := range probability {
		if p > probability[best] {
			best = i
		}
	}
	fmt.Printf("It is a %s (%.1f %%).\n", names[best], 100*probability[best])
}
