// What the labels of a column may stand for, as Python reads them with the same patterns.

const WORD = "[\\p{L}\\p{N}_]";
const STARRED = new RegExp(`^(?:${WORD}+\\*+|[\\d*]*\\d[\\d*]*\\*[\\d*]*)$`, "u");
const CROSSED = /^(\d+)([xX]+)$/, HYPHENS = pattern("\\d[\\d.,]*(?:\\s*-\\s*\\d[\\d.,]*)+");
const THOUSANDS = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const PLAIN_MEMBER = '[^,{}"\\s](?:[^,{}"]*[^,{}"\\s])?'.replaceAll("\\s", RULES.blanks);
const QUOTED_MEMBER = '"(?:[^"\\\\]|\\\\.)*"';
const MEMBER = `(?:${QUOTED_MEMBER}|${PLAIN_MEMBER})`, SET = new RegExp(`^\\{${MEMBER}(?:, ${MEMBER})*\\}$`);

function pattern(text, flags = "u", whole = true) {
  // Letters, digits and blanks are those of any script, as in Python.
  const found = text.replaceAll("\\w", WORD).replaceAll("\\d", "\\p{Nd}").replaceAll("\\s", `[${RULES.blanks}]`);
  return new RegExp(whole ? `^(?:${found})$` : found, flags);
}

function patterns() {
  // How ranges are written, from the one table of patterns that Python has.
  if (DATA.compiled) return DATA.compiled;
  const { brackets, bands, ends, around, looks } = DATA.patterns;
  return DATA.compiled = {
    brackets: pattern(brackets), bands: bands.map((text) => pattern(text)),
    ends: ends.map(([text, upper, closed]) => [pattern(text), upper, closed]),
    around: pattern(around, "gu", false), looks: pattern(looks),
  };
}

function endOf(written) {
  // One end of a range: a number, with thousands, in thousands, or without bound; null is none.
  if ("fy∞".includes(written[written.length - 1])) return written[0] === "-" ? -Infinity : Infinity;
  const digits = plainDigits(written.replace(/k$/, ""));
  if (digits.includes(",") && !THOUSANDS.test(digits)) return null;
  return Number(digits.replaceAll(",", "")) * (written.endsWith("k") ? 1000 : 1);
}

function bareLabel(label, name) {
  const small = (text) => text.normalize("NFC").toLowerCase().replaceAll("ß", "ss");
  let said = small(label).replaceAll("−", "-");
  if (name) {
    const escaped = small(name).replace(/[.*+?^${}()|[\]\\/-]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
    said = said.replace(pattern(`(?<!\\w)${escaped}(?!\\w)`, "gu", false), " ");
  }
  const plain = spaced(said.replace(patterns().around, " "));
  return plain.replace(/^[ :]+|[ :]+$/g, "");
}

function rangeOf(label, name = "") {
  // The range that a label names: its ends, and whether they belong to it; null where it names none.
  const said = bareLabel(label, name), { brackets, bands, ends } = patterns();
  const bracketed = brackets.exec(said);
  if (bracketed) {
    const [, opening, first, last, closing] = bracketed, [low, high] = [endOf(first), endOf(last)];
    const [left, right] = [opening === "[", closing === "]"];
    const empty = low === null || high === null || low > high || (low === high && !(left && right));
    return empty ? null : [low, high, left, right];
  }
  for (const one of bands) {
    const found = one.exec(said);
    if (found) return bandOf(found[1], found[2], said.replace(/^-/, "").includes("-"));
  }
  for (const [one, upper, closed] of ends) {
    const found = one.exec(said);
    if (!found) continue;
    const end = endOf(found[1]);
    if (end === null || (PADDED.test(found[1]) && found[1].length > 2)) return null;
    return upper ? [-Infinity, end, true, closed] : [end, Infinity, closed, true];
  }
  return null;
}

function bandOf(first, last, hyphen) {
  // Two ends without brackets; months such as 2020-01 and 12-2020 are none.
  const low = endOf(first), high = endOf(last), padded = PADDED.test(first) || PADDED.test(last);
  if (low === null || high === null || low > high || (padded && first.length !== last.length)) return null;
  if (hyphen && low >= 1 && low <= 12 && high >= 1900 && high < 2100) return null;
  return [low, high, true, true];
}

function membersOf(label) {
  // The categories that a label such as {a, b} names; none if it is no set.
  if (!SET.test(label)) return [];
  const found = label.slice(1, -1).match(new RegExp(MEMBER, "g"));
  return found.map((name) => (name[0] === '"' ? JSON.parse(name) : name));
}

function meaningsOf(labels, column, sets = true) {
  // What each label of a column may stand for, decided for the column as a whole; * and {a, b} as
  // others only where they may be.
  if (column.words && !column.tree) return labels.map((label) => ({ names: [label] }));
  let found = labels.map((label) => meaningOf(label, column, sets));
  const hyphens = labels.filter((label) => HYPHENS.test(label)).length;
  const bands = labels.filter((label, at) => HYPHENS.test(label) && found[at].ranges).length;
  if (2 * bands < hyphens)  // most cannot be bands: dates, or codes
    found = found.map((part, at) => (HYPHENS.test(labels[at]) ? { names: [labels[at]] } : part));
  found = withoutGrades(labels, found);
  return column.tree ? found : withoutUnread(labels, found);
}

function withoutUnread(labels, found) {
  // Beside ranges, a label with a number and words is one in words that are not known.
  if (!found.some(({ ranges }) => ranges)) return found;
  const odd = (label) => /\p{Nd}/u.test(label) && !/^\p{Nd}+$/u.test(label) && plainNumber(label) === null;
  return found.map((part, at) => (isSingle(part) && odd(labels[at]) ? { anything: true, unread: true } : part));
}

function meaningOf(label, column, sets) {
  const { tree, name } = column;
  if (sets && /^\*+$/.test(label)) return { anything: true, names: tree?.root === label ? tree.order : [] };
  if (tree?.root === label) return { anything: true, names: tree.order };
  if (tree?.names.includes(label)) return { names: tree.leaves(label), ...leafRange(label, column) };
  const inside = sets ? membersOf(label) : [], parts = inside.map((part) => meaningOf(part, column, sets));
  if (parts.length) {
    const all = (key) => [...new Set(parts.flatMap((part) => part[key] ?? []))];
    // {a, b} or 20-29 among others stands for what it says, or is the very name of a value
    const own = inside.filter((part, at) => !parts[at].codes && !tree?.names.includes(part));
    const found = { names: [...new Set([...all("names"), ...own])], anything: parts.some((part) => part.anything) };
    for (const key of ["ranges", "codes"]) if (all(key).length) found[key] = all(key);
    return found;
  }
  const range = rangeOf(label, name);
  if (range) return { ranges: [range] };
  if (patterns().looks.test(label)) return { anything: true, unread: true };
  const crossed = CROSSED.exec(label);
  if (crossed) return { codes: [crossed[1] + "*".repeat(crossed[2].length)] };
  return STARRED.test(label) ? { codes: [label] } : { names: [label] };
}

function leafRange(label, { kind, tree, name }) {
  // The numbers of a node: those that its label names, else those from its least to its most.
  const leaves = tree.leaves(label);
  if (kind !== "numeric" || leaves.includes(label)) return {};
  const range = rangeOf(label, name), ends = leaves.map(plainNumber).filter((end) => end !== null);
  if (range) return { ranges: [range] };
  return ends.length ? { ranges: [[Math.min(...ends), Math.max(...ends), true, true]] } : {};
}

function isSingle({ names = [], ranges, codes, anything }) {
  return !(ranges || codes || anything) && names.length === 1;
}

function isHalves(read) {
  // Whether all that stands for several values is a range without end, or two that never meet.
  const coarse = (read ?? []).filter((part) => !isSingle(part)), ranges = coarse.flatMap((part) => part.ranges ?? []);
  const half = ({ names = [], ranges: own = [], codes, anything }) => own.length === 1 && !names.length && !codes &&
    !anything && own[0].slice(0, 2).some((end) => !Number.isFinite(end));
  const numbers = (read ?? []).some((part) => isSingle(part) && plainNumber(part.names[0]) !== null);
  if (numbers || !coarse.length || coarse.length > 2 || !coarse.every(half)) return false;
  const [[low, high], other] = ranges.map(endsOf);
  return !other || low > other[1] || other[0] > high;
}

function withoutGrades(labels, found) {
  // Stars mask a code where most of the column is starred, or most codes are as long.
  const starred = found.map((part, at) => Boolean(part.codes) && !membersOf(labels[at]).length);
  const plain = labels.filter((_, at) => isSingle(found[at])), count = starred.filter(Boolean).length;
  const size = (text) => Array.from(text).length;
  const lengths = plain.map((name) => (/^[\p{L}\p{N}]+$/u.test(name) ? size(name) : 0));
  return found.map((part, at) => {
    if (!starred[at]) return part;
    const label = labels[at], same = lengths.filter((length) => length === size(label)).length;
    const most = /\d/.test(label) ? count >= plain.length : !plain.length;
    if (2 * same >= Math.max(plain.length, 1) || most) return part;
    return /^\d+$/.test(label.replace(/\*+$/, "")) ? { anything: true, unread: true } : { names: [label] };
  });
}

function nextAfter(value, up) {
  // The next number that a computer knows.
  if (!Number.isFinite(value)) return value;
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (up === value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

function endsOf([low, high, left, right]) {
  return [left ? low : nextAfter(low, true), right ? high : nextAfter(high, false)];
}
