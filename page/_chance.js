// Whether a match is closer than chance would make it: the same draws as Python, or none.

const EXACT_RECORDS = 40, EXACT_ATTRIBUTES = 3;
const PLAIN = 2000, CLOSER = 4000, SMALL = 0.15, CELLS = 200000;
const EVERYBODY = 4000, SAMPLE = 2000;

function chanceOf(columns, n, places, alpha, looks) {
  // Who misses a value may match anybody there, and is asked nothing: with less than two others
  // there is nothing to compare with.
  columns = [...columns].sort((a, b) => a.unordered - b.unordered || (a.name < b.name ? -1 : 1));
  const gaps = columns.some((column) => column.missing);
  const order = remembered("order", columns, () => {
    const rows = sortedRows(columns);
    return gaps ? rows.filter((row) => !columns.some((column) => column.blank(row))) : rows;
  });
  if (order.length < 2) return null;
  const told = strangers(columns, order.length, places, alpha / looks, order);
  const share = gaps ? drawnPlainly(columns, places, order) : madeUp(columns, n, places, order);
  const found = { ...share, ...told, alpha, looks };
  const unordered = columns.some((column) => column.unordered);
  found.independent = !unordered && !remembered("correlated", columns, () => correlated(columns, order));
  found.limit = alpha / looks;
  found.warns = found.others <= found.limit;
  found.blind = found.least > found.limit;
  found.disagree = (found.made_up <= found.limit) !== found.warns;
  return found;
}

function remembered(what, columns, work) {
  // What depends on the columns alone is worked out once for the table.
  const known = DATA.release.known ??= new Map();
  const key = JSON.stringify([what, ...columns.map((column) => column.name)]);
  if (!known.has(key)) known.set(key, work());
  return known.get(key);
}

function sortedRows(columns) {
  // The rows in the order from which some are drawn: by a column without ties, or by all of them.
  const silent = countSilent(columns);
  const free = columns.find((column) => column.untied && column.missing === silent);
  if (free) return free.order;
  let rows = columns[columns.length - 1].order;
  for (const column of columns.slice(0, -1).reverse()) rows = column.sortedAgain(rows);
  return rows;
}

function standardError(share, draws) {
  return Math.max(Math.sqrt(share * (1 - share) / draws), 1 / draws);
}

function madeUp(columns, n, places, order) {
  const m = columns.length;
  if (n <= EXACT_RECORDS && m <= EXACT_ATTRIBUTES)
    return { made_up: Math.min(exactShare(columns, n, places), 1), error: 0 };
  const found = drawnPlainly(columns, places, order);
  if (found.made_up > SMALL || n * m > CELLS || !columns.every((column) => column.untied))
    return found;
  return karpLuby(columns, order, places);
}

function drawnPlainly(columns, places, order) {
  const draws = new Draws(0);
  let hits = 0;
  for (let draw = 0; draw < PLAIN; draw++) {
    const codes = columns.map(({ code }) => code[order[draws.below(order.length)]]);
    const firsts = columns.map((column, j) => column.first(codes[j]));
    const lasts = columns.map((column, j) => column.last(codes[j]));
    if (reaches(columns, firsts, lasts, places, -1)) hits++;
  }
  const share = hits / PLAIN;
  return { made_up: share, error: standardError(share, PLAIN) };
}

function exactShare(columns, n, places) {
  // Count, of all records that can be put together from the columns, those that match.
  const sets = columns.map((column) => Array.from({ length: n }, (_, at) => {
    const code = column.codeAt(at + 1);
    return matching(column, n, column.first(code), column.last(code), places);
  }));
  let found = 0;
  const count = (at, held) => {
    if (held === 0n) return;
    if (at === sets.length) { found++; return; }
    for (const set of sets[at]) count(at + 1, held & set);
  };
  count(0, (1n << BigInt(n)) - 1n);
  return found / n ** columns.length;
}

function matching(column, n, first, last, places) {
  let held = 0n;
  for (let row = 0; row < n; row++)
    if (column.gap(row, first, last) <= places) held |= 1n << BigInt(row);
  return held;
}

function karpLuby(columns, order, places) {
  // Boxes drawn by their volume, points in them, and one over how many boxes cover each point.
  const draws = new Draws(0), m = columns.length, n = order.length, codes = columns.map(({ code }) => order.map((row) => code[row]));
  const low = codes.map((code) => code.map((one) => Math.max(one - places, 0)));
  const high = codes.map((code) => code.map((one) => Math.min(one + 1 + places, n)));
  const volumes = new Float64Array(n).fill(1);
  for (let row = 0; row < n; row++)
    for (let j = 0; j < m; j++) volumes[row] *= (high[j][row] - low[j][row]) / n;
  const total = sumOf(volumes), until = new Float64Array(n);
  for (let row = 0, sum = 0; row < n; row++) until[row] = sum += volumes[row];
  const boxes = Array.from({ length: CLOSER }, () => draws.random() * total)
    .map((drawn) => Math.min(lowerBound(until, drawn), n - 1));
  const weights = Float64Array.from(boxes, (box) => {
    const ranks = columns.map((_, j) => {
      const inside = draws.random() * (high[j][box] - low[j][box]);
      return Math.min(low[j][box] + Math.floor(inside), high[j][box] - 1) + 1;
    });
    return 1 / countNear(columns, ranks, ranks, places);
  });
  const deviation = Math.sqrt(varianceOf(weights, 0, CLOSER));
  const share = Math.min(total * (sumOf(weights) / CLOSER), 1);
  return { made_up: share, error: total * deviation / Math.sqrt(CLOSER) };
}

function strangers(columns, n, places, limit, order) {
  // Take published records out, and check each against the rest exactly as she is checked.
  const rows = asked(n, limit, order);
  let least = 1, others = 1;
  for (const row of rows) {
    const blocks = columns.map((column) => closestOther(column, column.code[row]));
    const firsts = blocks.map((block) => block[0]), lasts = blocks.map((block) => block[1]);
    const exact = reaches(columns, firsts, lasts, 0, row);
    if (exact) least++;
    if (exact || reaches(columns, firsts, lasts, places, row)) others++;
  }
  const total = rows.length + 1, share = others / total;
  const error = rows.length === n ? 0 : standardError(share, rows.length);
  return { others: share, others_error: error, least: least / total, asked: rows.length };
}

function asked(n, limit, order) {
  if (n <= EVERYBODY) return order;
  const sample = Math.min(n, Math.max(SAMPLE, Math.ceil(2 / limit)));
  return Array.from(new Draws(1).choice(n, sample), (at) => order[at]);
}

function correlated(columns, rows) {
  // Whether some two columns correlate more than chance and a little would explain.
  const n = rows.length;
  const varied = columns.filter(({ code }) => rows.some((row) => code[row] !== code[rows[0]]));
  const middles = varied.map((column) => {
    const found = Float64Array.from(rows, (row) =>
      column.first(column.code[row]) + column.last(column.code[row]));
    const mean = sumOf(found) / n;
    return found.map((middle) => middle - mean);
  });
  const product = (a, b) => {
    let sum = 0;
    for (let row = 0; row < n; row++) sum += a[row] * b[row];
    return sum * (1 / (n - 1));
  };
  const roots = middles.map((a) => Math.sqrt(product(a, a)));
  const limit = Math.max(0.1, 3 / Math.sqrt(n));
  for (let i = 0; i < varied.length; i++)
    for (let j = 0; j < i; j++) {
      const both = Math.abs(product(middles[i], middles[j]));
      const found = Math.max(both / roots[i] / roots[j], both / roots[j] / roots[i]);
      if (Math.min(found, 1) > limit) return true;
    }
  return false;
}
