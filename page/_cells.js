// Published cells by what they may stand for: numbers, ranges of numbers, or labels. Each is held
// once; a record has the place of its cell, one past the last where it is missing.

const PADDED = /^-?0\d/;

function pythonText(value) {
  // A number as Python writes it: 2138.0 is 2138, small ones with an exponent.
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (Math.abs(value) >= 1e-4) return String(value);
  const [digits, power] = value.toExponential().split("e-");
  return `${digits}e-${power.padStart(2, "0")}`;
}

function plainNumber(name) {
  // The number that a label is; null for a code such as 02138 and for anything else.
  const plain = plainDigits(name), found = Number(plain);
  if (PADDED.test(plain) || !NUMBER.test(plain)) return null;
  return Number.isFinite(found) ? found : null;
}

function matchesCode(code, name) {
  // Whether two codes of one length agree wherever neither is starred.
  const a = Array.from(code), b = Array.from(name);
  if (a.length !== b.length) return false;
  return a.every((letter, at) => letter === b[at] || letter === "*" || b[at] === "*");
}

function holdsNumber([low, high, left, right], value) {
  const above = low === null || (left ? value >= low : value > low);
  return above && (high === null || (right ? value <= high : value < high));
}

function holdsName({ names = [], ranges = [], codes = [], anything = false }, name) {
  // Whether a label may be the value that a text names.
  if (anything || names.includes(name) || codes.some((code) => matchesCode(code, name))) return true;
  const number = ranges.length ? plainNumber(name) : null;
  return number !== null && ranges.some((range) => holdsNumber(range, number));
}

class Labelled {
  constructor(facts, ends, code) {
    Object.assign(this, facts);  // name, title, unit, kind, role, labels, read, tree, ...
    this.low = ends[0];
    this.high = ends[1] ?? ends[0];
    this.code = code;
    this.none = this.low ? this.low.length : this.labels.length;
    this.isHidden = new Set(this.hidden);
  }

  shown(code) {
    if (code === this.none) return DATA.speech.missing;
    if (this.labels) return (this.dates ?? this.labels)[code];
    return this.dated ? dateText(this.low[code]) : pythonText(this.low[code]);
  }

  blank(row) { return this.code[row] === this.none; }

  path(name) {
    // The names from a node up to the root; null where the hierarchy has no such value.
    const { names, values, above } = this.tree;
    let at = names.indexOf(name);
    if (at < 0 || at >= values) return null;
    const found = new Set();
    for (; at >= 0; at = above[at]) found.add(names[at]);
    return found;
  }

  mayBe(value) {
    // By cell, and last for a missing one, whether it may be a value: a number, or a text.
    if (!this.read)
      return [...Array.from(this.low, (low, at) => low <= value && value <= this.high[at]), true];
    const name = typeof value === "number" ? pythonText(value) : value;
    const path = this.tree ? this.path(name) : null;
    return [...this.labels.map((label, at) => {
      const part = this.read[at];
      if (path === null) return label === name || holdsName(part, name);
      const inside = label[0] === "{" && (part.names ?? []).includes(name);
      return path.has(label) || Boolean(part.anything) || inside;
    }), true];
  }

  cellOf(value) {
    // The cell that stands for one value alone, or is called so; -1 where there is none.
    if (this.read) return this.labels.indexOf(typeof value === "number" ? pythonText(value) : value);
    return this.low.findIndex((low, at) => low === value && this.high[at] === value);
  }

  cover(labels) {
    // The lowest group of the hierarchy that covers some values, where it says more than its root.
    const { names, above } = this.tree, places = labels.map((label) => names.indexOf(label));
    if (places.includes(-1)) return null;
    const paths = places.map((place) => {
      const path = [];
      for (let at = place; at >= 0; at = above[at]) path.push(at);
      return path;
    });
    const shared = paths[0].find((node) => paths.every((path) => path.includes(node)));
    return above[shared] < 0 ? null : names[shared];
  }
}

function givenValues(record, role) {
  // By column the values she gave of those that others may know, or of what is sensitive.
  const found = new Map();
  for (const column of DATA.release.columns) {
    const typed = record.get(column.name) ?? "";
    if (column.role === role && typed.trim() !== "") found.set(column, column.kind === "numeric" ? Number(typed) : typed);
  }
  return found;
}

function shownOwn(value, { dated } = {}) {
  if (typeof value !== "number") return value;
  return dated ? dateText(value) : pythonText(value);
}

function numbered(columns, n) {
  // For each record the number of its class: those that agree in all columns have the same.
  let found = new Int32Array(n), classes = 1;
  for (const column of columns) {
    const known = new Map(), width = column.none + 1, next = new Int32Array(n);
    for (let row = 0; row < n; row++) {
      const key = found[row] * width + column.code[row];
      if (!known.has(key)) known.set(key, known.size);
      next[row] = known.get(key);
    }
    [found, classes] = [next, known.size];
  }
  return { labels: found, classes };
}
