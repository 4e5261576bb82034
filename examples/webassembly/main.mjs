// Which flower is this? The network of examples/01_mlp as WebAssembly, without imports: in node, and in browsers with
// fetch() in place of readFile().
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { memory, flowers_run, flowers_info, flowers_status_text, __heap_base } = instance.exports;

// Behind what the module itself uses: the structures, the tensors and the arena, at multiples of 64 bytes.
let free = __heap_base.value;
function allocate(bytes) {
  const at = Math.ceil(free / 64) * 64;
  free = at + bytes;
  const missing = Math.ceil((free - memory.buffer.byteLength) / 65536);
  if (missing > 0) memory.grow(missing);
  return at;
}
function text(at) {
  const bytes = new Uint8Array(memory.buffer, at);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

// flowers_model_info begins with five pointers and two counts.
const arenaBytes = new Uint32Array(memory.buffer, flowers_info(), 8)[7];
const [lengths, probability, inputs, outputs, arena] = [16, 12, 4, 4, arenaBytes].map(allocate);
new Uint32Array(memory.buffer, inputs, 1)[0] = lengths;
new Uint32Array(memory.buffer, outputs, 1)[0] = probability;

new Float32Array(memory.buffer, lengths, 4).set([6.1, 2.9, 4.7, 1.4]);
const status = flowers_run(inputs, outputs, arena);
if (status !== 0) throw new Error(text(flowers_status_text(status)));
const result = new Float32Array(memory.buffer, probability, 3);
const best = result.indexOf(Math.max(...result));
console.log(`It is a ${["setosa", "versicolor", "virginica"][best]} (${(100 * result[best]).toFixed(1)} %).`);
