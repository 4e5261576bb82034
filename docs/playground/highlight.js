// C++ as lines with the kinds of its words marked.
const highlight = (() => {
  const keywords = "alignas alignof auto break case catch class const constexpr continue default delete do else enum explicit " +
    "extern false for friend if inline mutable namespace new noexcept nullptr operator private protected public return " +
    "sizeof static static_assert static_cast reinterpret_cast const_cast struct switch template this throw true try " +
    "typedef typename union using virtual volatile while";
  const types = "bool char double float int long short signed unsigned void \\w+_t";
  const words = (list) => `\\b(?:${list.replace(/ /g, "|")})\\b`;
  // The order counts: a word in a comment is part of the comment.
  const kinds = [
    ["comment", "//[^\\n]*|/\\*[^]*?(?:\\*/|$)"],
    ["text", '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\''],
    ["directive", "^[ \\t]*#[ \\t]*\\w+"],
    ["number", "\\b(?:0[xX][\\da-fA-F.]+(?:[pP][+-]?\\d+)?|\\d[\\d.]*(?:[eE][+-]?\\d+)?)[\\w]*"],
    ["keyword", words(keywords)],
    ["type", words(types)],
  ];
  const pattern = new RegExp(kinds.map(([, form]) => `(${form})`).join("|"), "gm");
  const kChunk = 200;

  // A part of the code: [kind, text] pairs; kind is "" where nothing is marked.
  function tokens(code) {
    const out = [];
    let at = 0;
    for (const match of code.matchAll(pattern)) {
      if (match.index > at) out.push(["", code.slice(at, match.index)]);
      out.push([kinds[match.slice(1).findIndex((text) => text !== undefined)][0], match[0]]);
      at = match.index + match[0].length;
    }
    if (at < code.length) out.push(["", code.slice(at)]);
    return out;
  }

  function numbered(lines, first) {
    const row = document.createElement("div");
    row.className = "lines";
    // Browsers lay out only what is in view; the height of the rest follows from the number of lines.
    row.style.containIntrinsicSize = `auto ${lines * 1.45}em`;
    const numbers = document.createElement("span");
    numbers.className = "numbers";
    numbers.setAttribute("aria-hidden", "true");
    numbers.textContent = Array.from({length: lines}, (_, i) => first + i).join("\n");
    const text = document.createElement("code");
    row.append(numbers, text);
    return [row, text];
  }

  function marked(kind, text) {
    if (!kind) return text;
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  }

  // Tables of weights are millions of numbers, which need no marks.
  const isData = (code) => !/[g-wyzG-WYZ_]/.test(code);

  // A fragment of chunks of lines.
  function render(code) {
    const lines = code.replace(/\n$/, "").split("\n");
    const out = document.createDocumentFragment();
    for (let first = 0; first < lines.length; first += kChunk) {
      const part = lines.slice(first, first + kChunk);
      const [row, text] = numbered(part.length, first + 1);
      const code = part.join("\n");
      if (isData(code)) text.textContent = code;
      else text.append(...tokens(code).map(([kind, words]) => marked(kind, words)));
      out.append(row);
    }
    return out;
  }

  return {render, tokens};
})();
