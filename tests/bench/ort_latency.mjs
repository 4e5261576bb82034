// Median time of ONNX Runtime on one model: ort_latency.mjs ORT_DIR MODEL_DIR THREADS SECONDS
// ORT_DIR is where onnxruntime-node is installed. Prints milliseconds.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { readTensor } from "./tensor_file.mjs";

const [ortDir, dir, threads, seconds] = process.argv.slice(2);
const ort = createRequire(`${ortDir}/index.js`)("onnxruntime-node");
const session = await ort.InferenceSession.create(`${dir}/model.onnx`, {
  intraOpNumThreads: Number(threads), interOpNumThreads: 1, executionMode: "sequential",
  graphOptimizationLevel: "all", logSeverityLevel: 3,
});
const feeds = {};
for (let i = 0; existsSync(`${dir}/test_data_set_0/input_${i}.pb`); ++i) {
  const t = readTensor(`${dir}/test_data_set_0/input_${i}.pb`);
  const name = session.inputNames.includes(t.name) ? t.name : session.inputNames[i];
  feeds[name] = new ort.Tensor(t.type, t.data, t.dims);
}
const times = [], start = performance.now();
for (let warm = 0; times.length < 5 || performance.now() - start < seconds * 1000; ++warm) {
  const before = performance.now();
  await session.run(feeds);
  if (warm >= 3) times.push(performance.now() - before);
}
times.sort((a, b) => a - b);
console.log(times[times.length >> 1]);
