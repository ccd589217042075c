// Words as a person types them: in whatever case and with whatever blanks, but of the table.

const MOST_OFFERED = 300, UNSEEN = new RegExp(`(?![${RULES.blanks}])[\\p{Cc}\\p{Cf}]`, "gu");

function seenWord(name) {
  // A word as it is seen: with single blanks inside, none around, and no invisible letters.
  return spaced(name.normalize("NFC").replace(UNSEEN, ""));
}

function folded(name) { return seenWord(name).normalize("NFKC").toUpperCase().toLowerCase(); }

function lookAlike(names) {
  // The first two names that look alike: of blanks, or letters that nobody sees.
  const known = new Map();
  for (const name of names) {
    const seen = seenWord(name);
    if (known.has(seen)) return [known.get(seen), name];
    known.set(seen, name);
  }
  return null;
}

function spelled(column, given) {
  // The category that is meant, in the spelling of the table; refused where it is none.
  const { labels = [], categories } = column, read = readOf(column), [, quoted = null] = WHOLLY.in_quotes.exec(spaced(given)) ?? [];
  const shown = labels.flatMap((label, at) => (read[at].anything || column.tree?.names.includes(label) ? [] :
    read[at].names?.length ? read[at].names : [label]));
  const known = [...new Set([...(categories ?? []), ...shown])], seen = seenWord(given);
  const alike = quoted === null ? known.filter((name) => seenWord(name) === seen) : [];
  if (alike.length > 1) throw noValue("look-alike", given, column, { known: listKnown(alike) });
  const ways = [given, spaced(given), ...(quoted === null ? [] : [stripped(given).slice(1, -1), quoted])];
  const held = ways.find((one) => known.includes(one) || shows(column, one));
  if (held !== undefined) return held;
  for (const one of ways) {
    const alike = known.filter((name) => folded(name) === folded(one));
    if (alike.length === 1) return alike[0];
  }
  if (column.closed) throw noCategory(given, column);
  if (quoted !== null) return quoted;
  const perhaps = given.includes("*") || labels.includes(given) || column.unread?.length;
  if (known.length && !perhaps) throw noValue("near-word", given, column, { known: listKnown(byLikeness(given, known)) });
  return spaced(given);
}

function readOf({ labels = [], read }) { return read ?? labels.map((label) => ({ names: [label] })); }

function offeredBy(column) {
  // The words to choose from: the declared categories, or those that labels name; few.
  const { kind, closed, categories, labels, tree } = column;
  if (kind === "numeric") return [];
  const named = readOf(column).flatMap(({ names = [], anything }, at) =>
    (anything || tree?.names.includes(labels[at]) ? [] : names));
  const found = [...new Set(closed || !labels ? categories ?? [] : named)];
  return found.length <= MOST_OFFERED ? found : [];
}

function noCategory(given, column) {
  // A refusal that lists the first of the categories, those that are spelled nearly so before others.
  const known = [...new Set([...(valuesUnder(column, given) ?? []), ...byLikeness(given, column.categories)])];
  return noValue("no-category", given, column, { known: listKnown(known) });
}

function byLikeness(given, names) { return [...names].sort((a, b) => likeness(given, b) - likeness(given, a)); }

function listKnown(known) {
  // The first of the values that a column has, fewer where they are long.
  const names = known.slice(0, 12).map(quotedText), length = () => names.reduce((sum, name) => sum + Array.from(name).length, 0);
  while (names.length > 1 && length() > 320) names.pop();
  return [...names, ...(known.length > names.length ? ["…"] : [])].join(", ");
}

function shows(column, name) {
  // Whether some label that may not be anything may be a value.
  return (column.read ?? []).some((part) => !part.anything && holdsName(part, name));
}

function isUnnamed(column, value) {
  // Whether a category stands on no label, so that only a cell that may be anything could be it.
  const { kind, categories, labels, read, unread, code, none } = column;
  if (kind === "numeric" || !read || unread || (categories ?? labels).includes(value)) return false;
  return (read.some((part) => part.anything) || code.includes(none)) && !shows(column, value);
}

function valuesUnder({ tree }, name) {
  // The values below a group of the hierarchy; null where it is none.
  if (!tree?.names.includes(name)) return null;
  const { names, values, above } = tree, group = names.indexOf(name);
  return names.slice(0, values).filter((_, leaf) => {
    let at = leaf;
    while (at >= 0 && at !== group) at = above[at];
    return at === group;
  });
}

function likeness(one, other) {
  // The share of letters in blocks that both have, as difflib counts them.
  const [a, b] = [one, other].map((text) => Array.from(folded(text)));
  const total = a.length + b.length;
  return total ? (2 * inBlocks(a, b)) / total : 1;
}

function inBlocks(a, b) {
  // How many letters the longest shared block has, and those on either side of it.
  let [size, from, to] = [0, 0, 0], before = new Int32Array(b.length + 1);
  a.forEach((letter, i) => {
    const here = new Int32Array(b.length + 1);
    b.forEach((other, j) => {
      if (letter !== other) return;
      here[j + 1] = before[j] + 1;
      if (here[j + 1] > size) [size, from, to] = [here[j + 1], i + 1 - here[j + 1], j + 1 - here[j + 1]];
    });
    before = here;
  });
  if (!size) return 0;
  return size + inBlocks(a.slice(0, from), b.slice(0, to)) + inBlocks(a.slice(from + size), b.slice(to + size));
}
