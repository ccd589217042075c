// Published columns without an order: values share groups of a tree, or are equal or not. Codes follow
// the groups, so that those of a group stand together.

class Related extends Published {
  constructor(facts, scores, code) {
    const held = countsOf(code, scores.length + 1), inside = new Map();
    const paths = Array.from(scores, (score) => pathOf(facts.tree, facts.labels[score]));
    paths.forEach((path, at) => path.forEach((name) => inside.set(name, (inside.get(name) ?? 0) + held[at])));
    const before = (a, b) => inside.get(a) - inside.get(b) || (a < b ? -1 : 1);
    const order = [...paths.keys()].sort((x, y) => {
      const at = sharedBy(paths[x], paths[y]);
      return at < paths[x].length ? before(paths[x][at], paths[y][at]) : 0;
    });
    const place = new Int32Array(scores.length + 1).fill(scores.length);
    order.forEach((from, to) => { place[from] = to; });
    super(facts, Float64Array.from(order, (at) => scores[at]), code.map((at) => place[at]));
    this.paths = order.map((at) => paths[at]);
    this.groups = new Map();  // of each group the codes in it
    this.paths.forEach((path, at) => path.forEach((name) => {
      this.groups.set(name, [this.groups.get(name)?.[0] ?? at, at + 1]);
    }));
    this.levels = [];
  }

  get untied() { return false; }

  first(code) { return code; }

  last() { return 0; }

  related(code, out) {
    // How a value, itself taken out or not, is related to all: level by level of its groups the codes
    // in them, how many records they hold, and the places of what shares no more; and which is closest.
    return this.levels[2 * code + out] ??= this.relate(this.paths[code], out);
  }

  relate(path, out) {
    const groups = [[0, this.values.length], ...path.map((name) => this.groups.get(name) ?? [0, 0])];
    const levels = groups.map(([from, to]) => ({ from, to, held: this.starts[to] - this.starts[from] - out }));
    const nearest = Math.max(levels.findLastIndex(({ held }) => held > 0), 0), close = levels[nearest].held;
    levels.forEach((level, at) => { level.places = at < nearest ? 1 + levels[at + 1].held - close : 0; });
    return { levels, nearest, close };
  }

  within(code, out, places) {
    const { from, to } = this.related(code, out).levels.find((level) => level.places <= places);
    return [this.starts[from], this.starts[to]];
  }

  gap(row, code, out) {
    const at = this.code[row];
    if (at === this.none) return 0;
    return this.related(code, out).levels.findLast(({ from, to }) => from <= at && at < to).places;
  }

  shown(score) { return this.labels[score] ?? null; }

  written(score) { return this.labels[score]; }

  own(score, typed) {
    // Her value, which may not have been published, and the closest one that was.
    const known = this.values.indexOf(score);
    const code = known < 0 ? this.paths.push(pathOf(this.tree, typed)) - 1 : known;
    const { levels, nearest } = this.related(code, 0), { from, to } = levels[nearest];
    const closest = nearest ? Math.min(...this.values.subarray(from, to)) : null;
    return { closest: known < 0 ? closest : score, block: { first: code, last: 0 } };
  }

  diversity({ first }, places, criterion) {
    // How much the values differ of which all records lie within some places of hers.
    const { levels, nearest, close } = this.related(first, 0);
    const at = Math.min(levels.findIndex(({ held }) => held - close <= places), nearest);
    const { from, to } = levels[at], counts = Array.from(this.values, (_, code) => this.starts[code + 1] - this.starts[code]);
    const here = counts.slice(from, to), size = sumOf(here);
    if (criterion.name === "distinct") return here.length;
    if (criterion.name === "entropy") return sumOf(here.map((n) => -(n / size) * Math.log(n / size))) + 0;
    if (criterion.name === "variance") return this.marginality(from, here) / size;
    if (criterion.name !== "t-closeness") return null;
    return sumOf(counts.map((n, code) => Math.abs((from <= code && code < to ? n / size : 0) - n / this.known))) / 2;
  }

  marginality(from, counts) {
    let found = 0;
    counts.forEach((one, i) => counts.forEach((other, j) => {
      found += one * other * apartIn(this.tree, this.paths[from + i], this.paths[from + j]);
    }));
    return found;
  }
}

function pathOf(tree, name) {
  // The groups that lead to a value from below the root, and the value itself.
  const path = [name];
  if (tree)
    for (let at = tree.above[tree.names.indexOf(name)] ?? -1; at >= 0 && tree.above[at] >= 0; at = tree.above[at])
      path.unshift(tree.names[at]);
  return path;
}

function sharedBy(one, other) {
  // How many groups two values share.
  const at = one.findIndex((name, level) => name !== other[level]);
  return at < 0 ? one.length : at;
}

function apartIn(tree, one, other) {
  // The share of the leaves that the smallest common group of two values holds beyond one.
  const shared = sharedBy(one, other);
  if (shared === one.length || !tree) return shared === one.length ? 0 : 1;
  const leaves = shared ? valuesUnder({ tree }, one[shared - 1]).length : tree.values;
  return (leaves - 1) / (tree.values - 1);
}
