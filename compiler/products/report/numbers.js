// Amounts for people: the texts of compiler/support/quantity.cpp.
const prefixes = ["", "k", "M", "G", "T", "P", "E"];
// As printf rounds: a tie goes to the even digit, which toFixed() does not do.
const fixed = (value, digits) => {
  const twice = value * 2 ** (digits + 1);
  if (!Number.isInteger(twice) || twice % 2 === 0) return value.toFixed(digits);
  const below = Math.floor(value * 10 ** digits);
  return ((below + (below % 2)) / 10 ** digits).toFixed(digits);
};
const threeDigits = (value) => fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
const scaled = (value, base, prefix = 0) => {
  while (value >= base - 0.5 && prefix + 1 < prefixes.length) {
    value /= base;
    ++prefix;
  }
  return { value, prefix };
};
const bytesText = (bytes) => {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes / 1024 < 1023.95) return `${fixed(bytes / 1024, 1)} KiB`;
  const s = scaled(bytes / 1024 / 1024, 1024, 2);
  return `${threeDigits(s.value)} ${prefixes[s.prefix]}iB`;
};
const countText = (count) => {
  if (count < 10000) return `${count}`;
  const s = scaled(count, 1000);
  return `${threeDigits(s.value)} ${prefixes[s.prefix]}`;
};
const macsText = (macs) => countText(macs) + (macs < 10000 ? " MAC" : "MAC");
const timeText = (seconds) => {
  if (seconds >= 0.9995) return `${threeDigits(seconds)} s`;
  if (seconds >= 0.9995e-3) return `${threeDigits(seconds * 1e3)} ms`;
  if (seconds >= 0.9995e-6) return `${threeDigits(seconds * 1e6)} us`;
  return `${threeDigits(seconds * 1e9)} ns`;
};
const rateText = (perSecond, unit) => {
  const s = scaled(perSecond, 1000);
  return `${threeDigits(s.value)} ${prefixes[s.prefix]}${unit}`;
};

const isNumber = (x) => typeof x === "number";
const sum = (list) => list.reduce((a, b) => a + (isNumber(b) ? b : 0), 0);
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");
const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
// Names of sizes that are no words are in quotes, which only programs need.
const plain = (expression) => `${expression}`.replaceAll('"', "").replaceAll("*", " * ").replaceAll("  ", " ");

// An amount is a number, or an expression of open sizes, of which KEY_about has the leading terms.
const amountText = (item, key, text) =>
  isNumber(item[key]) ? text(item[key]) : plain(item[`${key}_about`] ?? item[key] ?? "");
const shortText = (item, key, text) => amountText(item, key, text).replace(/^about /, "~ ");
// Of an open amount the value in the run, or at typical sizes.
const valueOf = (item, key) => [item[`run_${key}`], item[key], item[`typical_${key}`]].find(isNumber);
const valueText = (item, key, text) => {
  const value = valueOf(item, key);
  return isNumber(value) ? text(value) : shortText(item, key, text);
};
