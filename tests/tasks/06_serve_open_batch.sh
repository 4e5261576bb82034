# Serve an open batch with four threads.
# Wants: the sum of the probabilities of five rows.
cat >model.py <<'END'
import numpy as np, onnx, onnx.parser
from onnx import helper, numpy_helper

rng = np.random.default_rng(1)
graph = onnx.parser.parse_graph("scorer (float[batch,256] x) => (float[batch,3] score) {"
                                " h = Gemm (x, w1) a = Relu (h) l = Gemm (a, w2) score = Softmax (l) }")
for name, shape in ("w1", (256, 512)), ("w2", (512, 3)):
    graph.initializer.append(numpy_helper.from_array(rng.normal(size=shape).astype("float32") / 16, name))
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "scorer.onnx")
END
python3 model.py
onnxc scorer.onnx -o generated/scorer --threads 4 --dim batch=1..64
cat >serve.cpp <<'END'
#include <cstdio>
#include <numeric>
#include <vector>
#include "generated/scorer.h"

alignas(SCORER_ARENA_ALIGN) static unsigned char arena[SCORER_ARENA_BYTES], memory[SCORER_POOL_BYTES];

int main() {
  scorer::pool* pool = scorer_pool_start(memory, SCORER_THREADS);
  std::vector<float> x(5 * 256, 0.5f), score(5 * 3);
  const int status = scorer::run({x, {5, 256}}, {score}, arena, pool);
  scorer_pool_stop(pool);
  std::printf("status %d, sum %.3f\n", status, std::accumulate(score.begin(), score.end(), 0.0));
}
END
g++ -std=c++17 -O2 serve.cpp generated/scorer*.cpp -I. -pthread -o serve
./serve | grep 'status 0, sum 5.000'
