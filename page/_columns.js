// Published columns by rank. Of each: its values in order without repeats, for each record which of
// them is its own (one past the last where a cell is missing), and where in the ranks each value's
// block begins. A missing cell may be any value: it is 0 places away from everybody.

class Published {
  constructor(facts, values, code) {
    Object.assign(this, facts);  // name, title, unit, kind, categories, asked
    this.values = values;
    this.code = code;
    this.none = values.length;
    this.starts = new Int32Array(values.length + 2);
    for (let row = 0; row < code.length; row++) this.starts[code[row] + 1]++;
    for (let at = 0; at <= values.length; at++) this.starts[at + 1] += this.starts[at];
    this.known = this.starts[values.length];
    this.missing = code.length - this.known;
    this.order = this.sortedAgain(code.map((_, row) => row));
    this.ordered = new Float64Array(this.known);
    for (let at = 0; at < values.length; at++)
      this.ordered.fill(values[at], this.starts[at], this.starts[at + 1]);
  }

  sortedAgain(rows) {
    // The rows in the order of this column; where values tie, in the order they come in.
    const found = new Int32Array(rows.length), next = this.starts.slice();
    for (const row of rows) found[next[this.code[row]]++] = row;
    return found;
  }

  get constant() { return this.values.length === 1; }

  get untied() { return this.values.length === this.known; }

  blank(row) { return this.code[row] === this.none; }

  first(code) { return this.starts[code] + 1; }

  last(code) { return this.starts[code + 1]; }

  codeAt(rank) { return this.code[this.order[rank - 1]]; }

  within(first, last, places) {
    // The slots of all known values that are at most some places away from a block of ranks.
    const low = this.codeAt(Math.max(first - places, 1));
    const high = this.codeAt(Math.min(last + places, this.known));
    return [this.starts[low], this.starts[high + 1]];
  }

  gap(row, first, last) {
    const code = this.code[row];
    return code === this.none ? 0 : Math.max(this.starts[code] + 1 - last, first - this.starts[code + 1], 0);
  }

  shown(score) {
    return this.kind === "numeric" ? score : this.categories[score];
  }

  written(score) {
    if (this.dated) return dateText(score);
    return this.kind === "numeric" ? writtenNumber(score) : this.categories[score];
  }
}

function writtenNumber(score) {
  return Number.isInteger(score) ? BigInt(score).toString() : local(digits(score));
}

const SLACK = 4 * 2 ** -52;

function halfWay(lean, low, high) {
  return Math.abs(lean) <= SLACK * Math.max(Math.abs(low), Math.abs(high));
}

function closestBlock(column, value) {
  // The ranks of the value closest to hers; of both where hers is half-way between two.
  const { values } = column, end = values.length - 1, place = lowerBound(values, value);
  const below = Math.max(place - 1, 0), above = Math.min(place, end);
  const low = values[below], high = values[above];
  const lean = (value - low) - (high - value);
  let first = lean > 0 ? above : below, last = first;
  if (halfWay(lean, low, high)) {
    first = high === value ? above : below;
    last = above;
  }
  return { first: column.first(first), last: column.last(last), code: first };
}

function closestOther(column, code) {
  // The same for a published value that is taken out itself.
  if (column.unordered) return [code, 1];
  const first = column.first(code), last = column.last(code), end = column.values.length - 1;
  if (first < last) return [first, last];
  const value = column.values[code];
  const low = column.values[Math.max(code - 1, 0)], high = column.values[Math.min(code + 1, end)];
  const at = code === end ? -Infinity : code === 0 ? Infinity : (value - low) - (high - value);
  const both = Number.isFinite(at) && halfWay(at, low, high);
  return [
    both || at <= 0 ? column.first(Math.max(code - 1, 0)) : first,
    both || at > 0 ? column.last(Math.min(code + 1, end)) : last,
  ];
}

function reaches(columns, firsts, lasts, places, own) {
  // Whether some record, other than one's own, is at most some places away on every column.
  let best = null, size = Infinity, lead = 0;
  for (let j = 0; j < columns.length; j++) {
    const [begin, end] = columns[j].within(firsts[j], lasts[j], places);
    if (end - begin < size) [best, size, lead] = [[begin, end], end - begin, j];
  }
  const { order } = columns[lead];
  for (const [begin, end] of [best, [columns[lead].known, order.length]])
    for (let slot = begin; slot < end; slot++) {
      const row = order[slot];
      if (row !== own && near(columns, row, firsts, lasts, places)) return true;
    }
  return false;
}

function near(columns, row, firsts, lasts, places) {
  for (let j = 0; j < columns.length; j++)
    if (columns[j].gap(row, firsts[j], lasts[j]) > places) return false;
  return tells(columns, row);
}

function tells(columns, row) {
  // Whether a record shows something at all: what shows nothing is close to everybody.
  for (const column of columns) if (!column.missing || !column.blank(row)) return true;
  return false;
}

function countSilent(columns) {
  // How many records show nothing: they have no distance, and may be anybody's.
  let silent = 0;
  if (columns.every((column) => column.missing))
    for (const row of columns[0].order) if (!tells(columns, row)) silent++;
  return silent;
}

function countNear(columns, firsts, lasts, places) {
  const [begin, end] = columns[0].within(firsts[0], lasts[0], places);
  let found = 0;
  for (let slot = begin; slot < end; slot++)
    if (near(columns, columns[0].order[slot], firsts, lasts, places)) found++;
  return found;
}
