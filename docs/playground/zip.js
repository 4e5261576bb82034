// Writes zip files; part of the worker.
const zip = (() => {
  const kUtf8Names = 0x0800;
  const kStored = 0, kDeflated = 8;
  const kVersion = 20;
  const kDate = 0x0021; // 1980-01-01: equal files make equal archives.
  const kMode = 0o100644;
  // Larger files are weights, which hardly shrink and take long.
  const kLargestDeflated = 8 << 20;

  const table = Uint32Array.from({length: 256}, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });

  function checksum(bytes) {
    let sum = 0xffffffff;
    for (let i = 0; i < bytes.length; i++) sum = table[(sum ^ bytes[i]) & 255] ^ (sum >>> 8);
    return (sum ^ 0xffffffff) >>> 0;
  }

  async function deflated(bytes) {
    if (typeof CompressionStream === "undefined" || bytes.length > kLargestDeflated) return null;
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    return packed.length < bytes.length ? packed : null;
  }

  // Fields are [bytes, value] pairs, little-endian.
  function record(fields) {
    const out = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
    let at = 0;
    for (const [size, value] of fields) {
      if (size === 2) out.setUint16(at, value, true);
      else out.setUint32(at, value, true);
      at += size;
    }
    return out.buffer;
  }

  // What the two headers of a file share.
  const common = (entry) => [[2, kVersion], [2, kUtf8Names], [2, entry.method], [2, 0], [2, kDate], [4, entry.sum],
    [4, entry.packed], [4, entry.size], [2, entry.name.length], [2, 0]];

  const localHeader = (entry) => record([[4, 0x04034b50], ...common(entry)]);

  const centralHeader = (entry) => record([[4, 0x02014b50], [2, (3 << 8) | kVersion], ...common(entry), [2, 0], [2, 0],
    [2, 0], [2, 0], [2, kMode], [4, entry.at]]);

  // make(files): files are {name, bytes}; the archive as a Blob.
  async function make(files) {
    const parts = [], directory = [];
    let at = 0;
    for (const {name, bytes} of files) {
      const packed = await deflated(bytes);
      const entry = {name: new TextEncoder().encode(name), method: packed ? kDeflated : kStored, sum: checksum(bytes),
        packed: (packed || bytes).length, size: bytes.length, at};
      const header = localHeader(entry);
      parts.push(header, entry.name, packed || bytes);
      directory.push(centralHeader(entry), entry.name);
      at += header.byteLength + entry.name.length + entry.packed;
    }
    const size = directory.reduce((sum, part) => sum + part.byteLength, 0);
    const end = record([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]]);
    return new Blob([...parts, ...directory, end], {type: "application/zip"});
  }

  return {make};
})();
