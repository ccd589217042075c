// The short form of a table: between what a distance lies, from the buckets of neighbouring values.

class Bucketed {
  constructor(facts, [lowest, highest], code) {
    Object.assign(this, facts, { lowest, highest, code });
    this.none = lowest.length;
    const counts = countsOf(code, this.none + 1);
    this.missing = counts[this.none];
    this.last = new Int32Array(this.none);
    for (let at = 0, sum = 0; at < this.none; at++) this.last[at] = sum += counts[at];
    this.first = this.last.map((last, at) => last - counts[at] + 1);
    this.single = Array.from(lowest, (value, at) => value === highest[at]);
    this.widest = this.single.reduce((most, one, at) => (one ? most : Math.max(most, counts[at])), 1);
    this.edges = Float64Array.from(new Set([...lowest, ...highest])).sort();
    this.ordered = [lowest[0], highest[this.none - 1]];
  }

  written(score) { return Published.prototype.written.call(this, score); }

  nearest(score) {
    // Within bounds, the first and the last rank of the value closest to a score.
    const at = upperBound(this.lowest, score) - 1;
    if (at >= 0 && this.lowest[at] < score && score < this.highest[at]) {
      const ends = [this.first[at], this.last[at]];
      return [ends, ends];
    }
    const { edges } = this, itself = (place) => place;
    const { first, last } = closestBlock({ values: edges, first: itself, last: itself }, score);
    return [this.edge(edges[first])[0], this.edge(edges[last])[1]];
  }

  edge(value) {
    // The ranks of a value at the end of its bucket.
    const at = upperBound(this.lowest, value) - 1, first = this.first[at], last = this.last[at];
    if (this.single[at]) return [[first, first], [last, last]];
    if (value === this.lowest[at]) return [[first, first], [first, last - 1]];
    return [[first + 1, last], [last, last]];
  }

  gaps([begin, end]) {
    // By bucket the fewest and the most places between a block and a value in it; last a missing one.
    const fewest = new Int32Array(this.none + 1), most = new Int32Array(this.none + 1);
    for (let at = 0; at < this.none; at++) {
      const [first, last] = [this.first[at], this.last[at]];
      fewest[at] = Math.max(first - end[1], begin[0] - last, 0);
      const [low, high] = this.single[at] ? [first, last] : [last, first];
      most[at] = Math.max(low - end[0], begin[1] - high, 0);
    }
    return { fewest, most };
  }
}

function boundsOf(given, n) {
  // Between what the distance to the closest record lies, and where on each attribute.
  const gaps = given.map(({ column, score }) => column.gaps(column.nearest(score)));
  const worst = (side, row) =>
    given.reduce((most, { column }, j) => Math.max(most, gaps[j][side][column.code[row]]), 0);
  const shown = [];
  for (let row = 0; row < n; row++)
    if (given.some(({ column }) => column.code[row] !== column.none)) shown.push(row);
  const fewest = shown.map((row) => worst("fewest", row));
  const least = (numbers) => numbers.reduce((a, b) => Math.min(a, b));
  const upper = least(shown.map((row) => worst("most", row)));
  const near = shown.filter((_, at) => fewest[at] <= upper);
  const ends = given.map(({ column }, j) => {
    const places = (side) => near.map((row) => gaps[j][side][column.code[row]]);
    return [least(places("fewest")), Math.min(-least(places("most").map((most) => -most)), upper)];
  });
  return { lower: least(fewest), upper, near: near.length, ends, nothing: n - shown.length };
}

function checkIndexed(record, options) {
  const { release } = DATA;
  const given = release.columns.filter((column) => (record.get(column.name) ?? "").trim() !== "")
    .map((column) => ({ column, ...scoreOf(column, record.get(column.name)) }));
  if (!given.length) throw new Refused(uiWords("empty"), null);
  const required = requirementOf(options, given), names = new Set(given.map((a) => a.column.name));
  const leftOut = release.schema.filter((column) => !names.has(column.name)).map((c) => c.title);
  const found = { given, required, release, ...boundsOf(given, release.n) };
  return assembled(INDEXED, found, given.map((a) => a.column), leftOut);
}

function* indexedHeads({ release }) {
  if (release.links !== null && moreThanLuck(release.links))
    yield head(...reportedLinks(release));
  yield head("indexed.cannot-tell");
}

function indexedFigures({ lower, upper, near }) {
  const distance = lower === upper ? figure("masked.figure-distance", { distance: lower })
    : figure("indexed.figure-bounds", { lower, upper });
  return [distance, figure("indexed.figure-near", { near })];
}

function* indexedSentences({ release, given, lower, upper, near, nothing }) {
  const told = { records: release.n - nothing, over: given.map((a) => a.column.title) };
  if (release.links !== null)
    yield say("masked.reported", { links: said(...reportedLinks(release)) });
  const largest = given.reduce((most, { column }) => Math.max(most, column.widest), 1);
  if (lower === upper) yield say("indexed.exact", { distance: lower, ...told });
  else yield say("indexed.bounds", { largest, lower, upper, width: upper - lower, ...told });
  if (nothing) yield say("masked.blank", { blank: nothing, over: told.over });
  yield near === 1 ? say("indexed.one") : say("indexed.several", { near });
  yield say("indexed.no-conclusion");
}

function* indexedNotes({ given, release }) {
  for (const { column, score, own } of given) {
    const { title, missing, ordered: [low, high] } = column;
    if (missing) yield said("masked.missing", { title, share: missing / release.n });
    if (score < low || score > high) yield said("indexed.beyond", { title, own: valueWords(shownOwn(own, column), column) });
  }
}

function indexedUnmet({ given, required, ends }) {
  // The distances that are less than required; null where the bounds leave that open.
  if (!required.stated) return null;
  const asked = given.map(({ column }, at) => ({ title: column.title, required: required.distance[at], ends: ends[at] }))
    .filter((line) => line.required !== null && line.ends[0] < line.required);
  const parts = asked.filter((line) => line.ends[1] < line.required).map((line) =>
    said("indexed.too-near", { title: line.title, most: line.ends[1], required: line.required }));
  return asked.length && !parts.length ? null : parts;
}

function indexedTables({ given, ends, required }) {
  const attributes = given.map(({ column, written }, at) => ({
    attribute: column.title, own: written, fewest_places: ends[at][0], most_places: ends[at][1],
    largest_bucket: column.widest, required_distance: required.distance[at],
  }));
  return { attributes };
}

const INDEXED = {
  heads: indexedHeads, figures: indexedFigures, sentences: indexedSentences, notes: indexedNotes,
  unmet: indexedUnmet, tables: indexedTables,
};
