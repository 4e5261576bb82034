// Runs models in ONNX Runtime, without graph optimisations, for record.py and tests/random.
// usage: run_ort.mjs JOBS.json     ORT_NODE_DIR: a folder with node_modules/onnxruntime-node
// JOBS.json: [{model, inputs: [{name, type, dims, file}], outputs: file prefix}, ...]; for each
// job it writes PREFIX.json and one file of raw bytes an output; strings are a list in JSON.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
const require = createRequire(path.join(process.env.ORT_NODE_DIR ?? process.cwd(), 'x.js'));
const ort = require('onnxruntime-node');

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, uint8: Uint8Array,
  int8: Int8Array, uint16: Uint16Array, int16: Int16Array, int32: Int32Array,
  uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array,
  int4: Uint8Array, uint4: Uint8Array };

const load = ({ type, dims, file }) => {
  if (type === 'string') return new ort.Tensor(type, JSON.parse(fs.readFileSync(file, 'utf8')), dims);
  const bytes = new Uint8Array(fs.readFileSync(file));
  const Arr = ARRAYS[type];
  return new ort.Tensor(type, new Arr(bytes.buffer, 0, bytes.byteLength / Arr.BYTES_PER_ELEMENT), dims);
};

for (const job of JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))) {
  const result = { version: ort.env.versions.node ?? ort.env.versions.common, outputs: [] };
  try {
    const session = await ort.InferenceSession.create(job.model, {
      graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, logSeverityLevel: 3 });
    const feeds = Object.fromEntries(job.inputs.map((i) => [i.name, load(i)]));
    const answers = await session.run(feeds);
    session.outputNames.forEach((name, i) => {
      const t = answers[name], file = `${job.outputs}_${i}.bin`;
      fs.writeFileSync(file, t.type === 'string' ? JSON.stringify(t.data)
        : new Uint8Array(t.data.buffer, t.data.byteOffset, t.data.byteLength));
      result.outputs.push({ name, type: t.type, dims: t.dims, file });
    });
  } catch (e) {
    result.error = String(e.message ?? e);
  }
  fs.writeFileSync(`${job.outputs}.json`, JSON.stringify(result));
}
