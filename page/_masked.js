// The records closest to hers, by the ranks of their values, and one line for each attribute.

function findClosest(attributes, n) {
  // All records at the smallest distance: look inside a window, and widen it while it is empty.
  const m = attributes.length;
  for (let most = Math.ceil(n * (4 / n) ** (1 / m) / 2); ; most *= 2) {
    const found = closestWithin(attributes, most);
    if (found.rows.length) return sortedMatches(attributes, found);
  }
}

function closestWithin(attributes, most) {
  const windows = attributes.map((a) => a.column.within(a.block.first, a.block.last, most));
  const sizes = windows.map(([begin, end]) => end - begin), lead = sizes.indexOf(Math.min(...sizes));
  const { order, known } = attributes[lead].column, columns = attributes.map((a) => a.column);
  const found = { worst: most, rows: [] };
  for (const [begin, end] of [windows[lead], [known, order.length]])
    for (let slot = begin; slot < end; slot++) {
      const row = order[slot], worst = worstGap(attributes, row, found.worst);
      if (worst > found.worst || !tells(columns, row)) continue;
      if (worst < found.worst) found.rows = [];
      found.worst = worst;
      found.rows.push(row);
    }
  return found;
}

function worstGap(attributes, row, most) {
  let worst = 0;
  for (const { column, block } of attributes) {
    worst = Math.max(worst, column.gap(row, block.first, block.last));
    if (worst > most) return worst;
  }
  return worst;
}

function sortedMatches(attributes, { worst, rows }) {
  // By distances from the first attribute on, then by values from the last, then by row.
  const keys = [
    ...attributes.map((a) => (row) => a.column.gap(row, a.block.first, a.block.last)),
    ...attributes.map((a) => (row) => a.column.values[a.column.code[row]] ?? Infinity).reverse(),
    (row) => row,
  ];
  const difference = (x, y) => {
    for (const key of keys) if (key(x) !== key(y)) return key(x) - key(y);
    return 0;
  };
  const ordered = rows.sort(difference);
  const distances = ordered.map((row) => keys.slice(0, attributes.length).map((key) => key(row)));
  return { distance: worst, rows: ordered, distances };
}

function copiesOf(attributes, rows, n) {
  // How many of the closest records show exactly her values, and how common copies are.
  const alike = (row) => attributes.every((a) => a.column.values[a.column.code[row]] === a.score);
  const hers = rows.filter(alike).length;
  return hers ? { hers, share: sharedRows(attributes.map((a) => a.column), n) / n } : null;
}

function sharedRows(columns, n) {
  // The number of records that have a copy: a table of records by a mixture of their values.
  const size = 2 ** Math.ceil(Math.log2(2 * n + 1)), slots = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size);
  const same = (a, b) => columns.every(({ code }) => code[a] === code[b]);
  for (let row = 0; row < n; row++) {
    if (columns.some((column) => column.blank(row))) continue;
    let at = 0;
    for (const { code } of columns) at = Math.imul(at ^ code[row], 0x9e3779b1) ^ (at >>> 15);
    at = (at ^ (at >>> 13)) & (size - 1);
    while (slots[at] >= 0 && !same(slots[at], row)) at = (at + 1) & (size - 1);
    slots[at] = row;
    counts[at]++;
  }
  return counts.reduce((sum, held) => sum + (held > 1 ? held : 0), 0);
}

function crowdOf(attributes, release) {
  // The records within the bounds that the publisher promises; none where she cannot be in it.
  const promised = release.parameters.places;
  const isCount = (v) => typeof v === "number" && v >= 0 && Number.isFinite(v);
  if (!release.permutation || promised === null || typeof promised !== "object") return null;
  if (Array.isArray(promised)) return null;
  const ranked = attributes.filter((a) => !a.column.unordered);
  if (!ranked.length || !attributes.every((a) => a.closest === a.score)) return null;
  if (!ranked.every((a) => isCount(promised[a.column.name]))) return null;
  const bounds = ranked.map((a) => Math.trunc(promised[a.column.name]));
  let fitting = 0;
  for (let row = 0; row < release.n; row++)
    if (ranked.every((a, at) => a.column.gap(row, a.block.first, a.block.last) <= bounds[at]))
      fitting++;
  const places = ranked.map((a, at) => [a.column.name, bounds[at]]);
  return fitting ? { places, fitting } : null;
}

const RANKS = [
  "first_rank", "last_rank", "match_rank", "window_first", "window_last", "match_first", "match_last",
];

function diversityOf(column, block, reach, required, at) {
  // The diversity near hers; what is not defined without an order is refused if it is required.
  if (!column.unordered) return smallestDiversity(column, block, reach, required.criterion);
  const found = column.diversity(block, reach, required.criterion);
  if (found === null && required.diversity[at] !== null)
    throw new Refused(uiWords("undefined", { title: column.title }), column.name);
  return found;
}

function attributeLine(attribute, at, found, required) {
  const { column, block } = attribute;
  const gaps = found.distances.map((line) => line[at]), attained = Math.min(...gaps);
  const asked = required.distance[at], reach = asked ?? attained;
  const code = column.code[found.rows[gaps.indexOf(attained)]];
  const blank = code === column.none;
  const diversity = diversityOf(column, block, reach, required, at);
  const line = {
    attribute: column.name,
    own: attribute.own,
    closest: column.shown(attribute.closest),
    match: blank ? null : column.shown(column.values[code]),
    distance: attained,
    diversity,
    required_distance: asked,
    required_diversity: required.diversity[at],
    met: metBy(required, at, attained, diversity),
    criterion: required.criterion.name,
  };
  if (column.unordered) return { ...line, ...Object.fromEntries(RANKS.map((name) => [name, null])) };
  const first = blank ? 1 : column.first(code), last = blank ? column.known : column.last(code);
  return {
    ...line,
    first_rank: block.first,
    last_rank: block.last,
    match_rank: Math.min(Math.max(first, block.first), last),
    window_first: Math.max(block.first - reach, 1),
    window_last: Math.min(block.last + reach, column.known),
    match_first: first,
    match_last: last,
  };
}

function tooNear(required, at, attained) {
  return required.distance[at] !== null && attained < required.distance[at];
}

function tooAlike(required, at, diversity) {
  const asked = required.diversity[at];
  return asked !== null && !holds(required.criterion, diversity, asked);
}

function metBy(required, at, attained, diversity) {
  if (required.distance[at] === null && required.diversity[at] === null) return null;
  return !tooNear(required, at, attained) && !tooAlike(required, at, diversity);
}
