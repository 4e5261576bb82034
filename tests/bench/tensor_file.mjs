// Reads a TensorProto (onnx.proto3) for ONNX Runtime's JavaScript binding.
import { readFileSync } from "node:fs";

const kTypes = {
  1: ["float32", Float32Array], 2: ["uint8", Uint8Array], 3: ["int8", Int8Array],
  5: ["int16", Int16Array], 6: ["int32", Int32Array], 7: ["int64", BigInt64Array],
  9: ["bool", Uint8Array], 10: ["float16", Uint16Array], 11: ["float64", Float64Array],
};

// The fields of a message as [number, wire type, value]; lengths give Buffers, the rest BigInts.
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n, shift = 0n, byte;
    do {
      byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte > 127);
    return BigInt.asIntN(64, value);
  };
  while (at < bytes.length) {
    const key = Number(varint()), wire = key & 7;
    if (wire === 0) yield [key >> 3, wire, varint()];
    else {
      const size = wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4;
      yield [key >> 3, wire, bytes.subarray(at, at + size)];
      at += size;
    }
  }
}

function* varints(bytes) {
  for (let value = 0n, shift = 0n, at = 0; at < bytes.length; ++at) {
    value |= BigInt(bytes[at] & 127) << shift;
    shift += 7n;
    if (bytes[at] < 128) {
      yield BigInt.asIntN(64, value);
      value = shift = 0n;
    }
  }
}

// { name, type, dims, data }
export function readTensor(path) {
  const dims = [], numbers = [], packed = [];
  let elem = 0, name = "", raw = null;
  for (const [field, wire, value] of fields(readFileSync(path))) {
    if (field === 1) dims.push(...Array.from(wire === 2 ? varints(value) : [value], Number));
    else if (field === 2) elem = Number(value);
    else if (field === 8) name = value.toString();
    else if (field === 9) raw = value;
    else if (field === 4 || field === 10) packed.push(value);  // floats, doubles
    else if (field === 5 || field === 7 || field === 11) numbers.push(...(wire === 2 ? varints(value) : [value]));
  }
  if (!(elem in kTypes)) throw new Error(`${path}: element type ${elem} is not supported`);
  const [type, Elements] = kTypes[elem];
  const bytes = raw ?? (packed.length > 0 ? Buffer.concat(packed) : null);
  const data = bytes ? new Elements(new Uint8Array(bytes).buffer)
                     : Elements.from(numbers, elem === 7 ? (v) => v : Number);
  return { name, type, dims, data };
}
