// Which cells of one column may be the same value, and which classes one person may fit.

function codeRange(code) {
  // The numbers that a starred code may be; none where it is no number.
  if (!/^[\d*]+$/.test(code)) return [];
  return [[Number(code.replaceAll("*", "0")), Number(code.replaceAll("*", "9")), true, true]];
}

function rangesMeet([low, high, left, right], [otherLow, otherHigh, otherLeft, otherRight]) {
  const begins = (a, b, both) => a === null || b === null || a < b || (a === b && both);
  return begins(low, otherHigh, left && otherRight) && begins(otherLow, high, otherLeft && right);
}

function partsMeet(one, two) {
  // Whether some value may be both of two labels, of which one has ranges.
  const texts = one.names.some((name) => holdsName(two, name)) || two.names.some((name) => holdsName(one, name));
  return texts || one.spans.some((span) => two.spans.some((other) => rangesMeet(span, other)));
}

function leavesBelow({ names, values, above }) {
  // By name of a hierarchy the values below it.
  const found = new Map(names.map((name) => [name, []]));
  for (let leaf = 0; leaf < values; leaf++)
    for (let at = leaf; at >= 0; at = above[at]) found.get(names[at]).push(names[leaf]);
  return found;
}

function partsOf({ labels, read, tree }) {
  // What each label may stand for, the values below a node among its names.
  const below = tree ? leavesBelow(tree) : new Map();
  return labels.map((label, at) => {
    const { names = [], ranges = [], codes = [], anything = false } = read[at];
    const own = label[0] === "{" ? [] : below.get(label) ?? [];
    const spans = [...ranges, ...codes.flatMap(codeRange)];
    return { names: [...new Set([...own, ...names])], ranges, codes, anything, spans };
  });
}

function endsOfLabels(labels, parts, { categories, tree }) {
  // The one range that each label is, where all are numbers or ranges of them; else null.
  if (categories || tree || !parts.some((part) => part.ranges.length)) return null;
  const found = parts.map(({ names, ranges, spans, anything }, at) => {
    if (anything) return [null, null, true, true];
    const number = names.length === 1 && !ranges.length ? plainNumber(labels[at]) : null;
    if (number !== null) return [number, number, true, true];
    return spans.length === 1 && !names.length ? spans[0] : null;
  });
  return found.includes(null) ? null : found;
}

function patternOf(text) {
  return Array.from(text, (letter) => (letter === "*" ? "*" : "."));
}

class Texts {
  // The names and codes of a column by the letters that they show, to find those that match.
  constructor(parts) {
    this.patterns = new Map();
    parts.forEach(({ names, codes }, at) => {
      for (const name of names) this.add(name, false, at);
      for (const code of codes) this.add(code, true, at);
    });
  }

  add(text, masked, at) {
    const pattern = patternOf(text), key = `${masked} ${pattern.join("")}`;
    if (!this.patterns.has(key))
      this.patterns.set(key, { pattern, masked, texts: [], known: new Map() });
    this.patterns.get(key).texts.push([Array.from(text), at]);
  }

  matching(text, masked) {
    // The cells with a text that may be this one; two names are so only if they are equal.
    const letters = Array.from(text), found = [];
    for (const { pattern, masked: other, texts, known } of this.patterns.values()) {
      if (pattern.length !== letters.length) continue;
      const compared = masked || other;
      const both = pattern.map((mark, at) => !compared || (mark !== "*" && letters[at] !== "*"));
      const shown = (all) => all.filter((_, at) => both[at]).join(""), key = both.join();
      if (!known.has(key)) known.set(key, this.byLetters(texts, shown));
      found.push(...known.get(key).get(shown(letters)) ?? []);
    }
    return found;
  }

  byLetters(texts, shown) {
    const found = new Map();
    for (const [text, at] of texts) {
      const key = shown(text);
      found.has(key) ? found.get(key).push(at) : found.set(key, [at]);
    }
    return found;
  }
}

function endsMeeting(cells, ends, none) {
  // How ranges meet: of those that begin before one ends, in the order of their beginnings.
  const low = (cell) => ends(cell)[0] ?? -Infinity, high = (cell) => ends(cell)[1] ?? Infinity;
  const order = cells.filter((cell) => cell !== none).sort((a, b) => low(a) - low(b) || 0);
  const begins = order.map(low), reach = [], gaps = order.length < cells.length ? [none] : [];
  for (const cell of order) reach.push(Math.max(reach[reach.length - 1] ?? -Infinity, high(cell)));
  const meets = (one, two) => one === two || one === none || two === none || rangesMeet(ends(one), ends(two));
  const met = function* (cell) {
    const first = cell === none ? 0 : lowerBound(reach, low(cell)), last = cell === none ? Infinity : high(cell);
    for (let at = first; at < order.length && begins[at] <= last; at++)
      if (meets(cell, order[at])) yield order[at];
    yield* gaps;
  };
  const beside = order.some((cell, at) => at && reach[at - 1] >= begins[at] && some(met(cell), (one) => one !== cell));
  return { meets, met, apart: cells.length < 2 || !(gaps.length || beside) };
}

function some(items, holds) {
  for (const item of items) if (holds(item)) return true;
  return false;
}

function labelsMeeting(cells, parts, none) {
  // How labels meet: by names and codes at once, by ranges one by one.
  const named = cells.filter((cell) => cell !== none), texts = new Texts(named.map((cell) => parts[cell]));
  const free = cells.filter((cell) => cell === none || parts[cell].anything);
  const ranged = named.filter((cell) => parts[cell].ranges.length), known = new Map();
  const found = (cell) => {
    if (free.includes(cell)) return cells;
    const part = parts[cell], told = part.ranges.length ? named : ranged;
    const alike = [...part.names.map((name) => texts.matching(name, false)),
      ...part.codes.map((code) => texts.matching(code, true))].flat().map((at) => named[at]);
    return [cell, ...free, ...alike, ...told.filter((other) => partsMeet(part, parts[other]))];
  };
  const met = (cell) => {
    if (!known.has(cell)) known.set(cell, new Set(found(cell)));
    return known.get(cell);
  };
  const apart = !cells.some((cell) => met(cell).size > 1);
  return { meets: (one, two) => met(one).has(two), met, apart };
}

function cellsMeeting(column, places) {
  // How the cells that some records show meet; what is missing may be any.
  const { code, none, labels, low, high } = column;
  const cells = [...new Set(places.map((row) => code[row]))];
  if (!column.read)
    return { code, cells, ...endsMeeting(cells, (cell) => [low[cell], high[cell], true, true], none) };
  const parts = partsOf(column), ends = endsOfLabels(labels, parts, column);
  const found = ends ? endsMeeting(cells, (cell) => ends[cell], none) : labelsMeeting(cells, parts, none);
  return { code, cells, ...found };
}

function meetingClasses(columns, places) {
  // Of some classes, given by a record of each, those that one person may fit; null where no two
  // do. Only those are compared that are equal where no two different cells meet.
  const all = columns.map((column) => cellsMeeting(column, places));
  const [lead, ...others] = all.filter(({ apart }) => !apart).sort((a, b) => b.cells.length - a.cells.length);
  if (!lead) return null;
  const { labels } = numbered(columns.filter((_, at) => all[at].apart), columns[0].code.length);
  const known = new Map();
  places.forEach((row, at) => {
    const key = `${labels[row]} ${lead.code[row]}`;
    known.has(key) ? known.get(key).push(at) : known.set(key, [at]);
  });
  return function* (own) {
    const row = places[own];
    for (const cell of lead.met(lead.code[row]))
      for (const at of known.get(`${labels[row]} ${cell}`) ?? [])
        if (others.every(({ code, meets }) => meets(code[row], code[places[at]]))) yield at;
  };
}
