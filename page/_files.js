// A file as Python's reader takes it: its letters, what separates its values, and its numbers.

const MISSING = ["", "NA", "NaN", "nan"], LOOKED_AT = 200, MOST_OF = 0.9, HALF_OF = 200;
const CELL = /^[+-]?[\d.,\s]*\d[\d.,]*%?$/, BY_SPACES = /^"[^"]*"(?: "[^"]*")+\s*$/;
const EUROPEAN = /^[+-]?(?:\d{1,3}(?:[. \u00a0\u202f']\d{3})+|\d+)(?:,\d+)?$/;
const ENGLISH = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^[+-]?\d+(?:\.\d+)?$/;
const SPACED = /^[+-]?(?:0|[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})*)(?:\.\d+)?$/, SPACE = /[ \u00a0\u202f]/;
const FULL_GROUPS = /^\d{3}(?:[ \u00a0\u202f]\d{3}){2,}$/;
const FULL_EUROPEAN = fullOf(EUROPEAN, ","), FULL_ENGLISH = fullOf(ENGLISH, "\\.");
const LETTERS = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];

function fullOf(pattern, mark) {
  // With all that programs write: 5, and ,5 and 1,5E+03
  const part = pattern.source.replace(/[$^]/g, "");
  return new RegExp(`^(?:${part}|[+-]?\\d+${mark}|[+-]?${mark}\\d+)(?:[eE][+-]?\\d+)?$`);
}

function lettersOf(bytes, name) {
  // The text of a file in UTF-8, UTF-16 or Windows-1252.
  const head = bytes.subarray(0, 4096), zeros = [0, 0];
  head.forEach((byte, at) => { if (!byte) zeros[at % 2]++; });
  const marked = LETTERS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return withoutControls(new TextDecoder(marked[0]).decode(bytes), name);
  const [even, odd] = zeros.map((count) => count / Math.max(head.length / 2, 1));
  if (Math.max(even, odd) > 0.3 && Math.min(even, odd) <= 0.3) {
    note("utf-16");
    return withoutControls(new TextDecoder(odd > even ? "utf-16le" : "utf-16be").decode(bytes), name);
  }
  const known = (byte) => byte > 31 || [9, 10, 12, 13].includes(byte);
  if (!head.every(known)) throw refused("no-csv", { name }, "files");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    if (bytes.some((byte) => [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte)))
      throw refused("no-csv", { name }, "files");
    note("letters-guessed");
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function withoutControls(text, name) {
  // What is taken for wide letters and holds others than text, such as a zip file, is none.
  if (/[\0-\x08\x0e-\x1f]/.test(text.slice(0, 4096))) throw refused("no-csv", { name }, "files");
  return text;
}

function rowsOf(text, separator, spaces, most = Infinity) {
  // The records of a text; quoted values may hold separators, line ends and doubled quotes.
  const rows = [], mark = separator.charCodeAt(0);
  const ends = (code) => code === mark || code === 10 || code === 13;
  let at = 0, row = [], apart = false;
  while (at < text.length && rows.length < most) {
    while (spaces && text[at] === " ") at++;
    const quoted = text[at] === '"';
    let value = "", again = "";
    for (; text[at] === '"' && quoted; again = '"') {
      const end = text.indexOf('"', at + 1);
      if (end < 0) throw refused("quotes", {}, "files");
      value += again + text.slice(at + 1, end);
      at = end + 1;
    }
    const begin = at;
    while (at < text.length && !ends(text.charCodeAt(at))) at++;
    row.push(value + text.slice(begin, at));
    if (text[at] === separator) {
      at++;
      if (at < text.length) continue;
      row.push("");
    }
    at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
    if (row.length > 1 || quoted || row[0].trim()) {
      row.apart = apart;
      rows.push(row);
      apart = false;
    } else apart = true;
    row = [];
  }
  return rows;
}

function usual(counts) {
  // The most frequent number, and how often; the first of equals.
  const found = new Map();
  for (const count of counts) found.set(count, (found.get(count) ?? 0) + 1);
  return [...found].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0]);
}

function separatorOf(lines) {
  // What most lines have the same number of; of several what the first line has most of.
  const some = lines.filter((line) => line.trim()).slice(0, LOOKED_AT), [first] = some;
  if (!some.length) return ",";
  if (BY_SPACES.test(first) && ![...",;\t|"].some((mark) => first.includes(mark))) return " ";
  let found = null;
  for (const mark of ",;\t|") {
    const counts = rowsOf(some.join("\n"), mark, false).map((row) => row.length);
    const often = [...new Set(counts)].map((count) => [counts.filter((c) => c === count).length, count]);
    const [times, number] = often.sort((a, b) => b[0] - a[0] || b[1] - a[1])[0] ?? [0, 1];
    const told = [number > 1 ? times / some.length : 0, number > 1 ? number : 1, first.split(mark).length];
    const more = found && told.findIndex((part, at) => part !== found.told[at]);
    if (!found || (more >= 0 && told[more] > found.told[more])) found = { mark, told };
  }
  const column = some.slice(1).every((line) => CELL.test(line.trim()));
  return !first.includes(found.mark) && column ? "\t" : found.mark;
}

function layoutOf(text, name) {
  // The names of the columns and the records below them; titles and comments above are left out.
  const lines = text.slice(0, 2 ** 18).split(/\r\n|\n|\r/);
  let above = 0, hint = null;
  for (; above < lines.length; above++) {
    const told = /^sep=(.)\s*$/i.exec(lines[above]);
    hint = told ? told[1] : hint;
    if (lines[above].trim() && !told && !lines[above].startsWith("#")) break;
  }
  const separator = hint ?? separatorOf(lines.slice(above));
  const rest = above ? text.split(/(?<=\r\n|\n|\r(?!\n))/).slice(above).join("") : text;
  const rows = rowsOf(rest, separator, true);
  const said = rows.map((row, at) => [row.map((value) => value.trim()), at])
    .slice(0, LOOKED_AT).filter(([values]) => values.some(Boolean));
  if (!said.length) throw refused("no-record", { name }, "files");
  const first = headerOf(said.map(([values, at]) => Object.assign(values, { apart: rows[at].apart })));
  const [names, at] = said[first], below = said.slice(first + 1).map(([values]) => values);
  const [count] = usual(below.map((values) => values.length));
  const keys = below.map(([key]) => key);
  const blank = names.length === count && count > 1 && !names[0] && names.slice(1).every(Boolean);
  const named = (blank || count === names.length + 1) && new Set(keys).size === keys.length;
  if (first) note("title", { title: quotedWord(said[0][0].filter(Boolean).join(" ")) });
  if (named) note("row-names");
  else numbersAsNames(names, below);
  if (separator === " ") note("spaces");
  return { names: named && !blank ? ["", ...names] : names, rows: rows.slice(at + 1), named, separator };
}

function headerOf(lines) {
  const words = (line) => line.every((value) => value && !CELL.test(value));
  for (let at = 0; at < lines.length - 2; at++) {
    const [line, names, record] = lines.slice(at, at + 3);
    const [count] = usual(lines.slice(at + 1).map((values) => values.length));
    const shorter = (line.length === 1 && count > 1) || line.length < count - 1;
    const apart = names.apart && line.length <= count && !words(record);
    if (!(names.length === count && words(names) && (shorter || apart))) return at;
  }
  return Math.max(lines.length - 2, 0);
}

function columnsOf(names, rows, missing, name) {
  // By column its different words in the order in which they come, and the place of each record's.
  const width = names.length, blank = new Set(missing);
  const long = rows.filter((row) => row.length > width);
  const tail = long.length === rows.length && long.every((row) => row.length === width + 1 && blank.has(row[width]));
  if (long.length && !tail) throw refused("too-many", { name }, "files");
  const repeated = names.find((one, at) => names.indexOf(one) < at);
  if (repeated !== undefined) throw refused("twice", { name: repeated }, "files");
  return names.map((title, at) => {
    const places = new Map(), code = new Int32Array(rows.length);
    rows.forEach((row, place) => {
      const word = row[at] ?? "";
      if (!blank.has(word) && !places.has(word)) places.set(word, places.size);
      code[place] = blank.has(word) ? -1 : places.get(word);
    });
    return { name: title, words: [...places.keys()], code };
  });
}

function numberIn(word, { decimal = ".", thousands = "" } = {}) {
  // The number that a word is in a way of writing numbers; NaN is none.
  let plain = word.trim();
  if (thousands && /^[+-]?\d/.test(plain)) {
    const [whole, ...rest] = plain.split(decimal);
    plain = [whole.split(thousands).join(""), ...rest].join(decimal);
  }
  if (decimal !== ".") plain = plain.includes(".") ? "" : plain.replace(decimal, ".");
  return NUMBER.test(plain) && !isTooLong(plain) ? Number(plain) : NaN;
}

function isCode(word) { return /^0\d/.test(word); }

function read({ name, words }, way) {
  // The numbers of a column's words; null where one is none, or a code such as 02138.
  if (words.some(isCode)) return null;
  const found = words.map((word) => numberIn(word, way));
  const odd = words.filter((_, at) => Number.isNaN(found[at]));
  if (odd.length && odd.every((word) => /^\s*[+-]?(nan|inf|infinity)\s*$/i.test(word)))
    throw refused("cell", { title: name, value: odd[0] }, "files");
  return odd.length ? null : found;
}

function fitsMost(words, pattern, least = MOST_OF) {
  const some = (part) => part.filter((word) => pattern.test(word.trim())).length >= least * part.length;
  return words.length > 0 && some(words.slice(0, HALF_OF)) && some(words);
}

function whereItFits(column, way) {
  // A column in another way of writing numbers if all its words are written so, else as it was.
  const pattern = way.decimal === "," ? FULL_EUROPEAN : FULL_ENGLISH;
  return read(column, fitsMost(column.words, pattern, 1) ? way : undefined);
}

function inSpacedGroups({ words }) {
  // Whether spaces stand between thousands; three full groups in all words are no numbers.
  const plain = words.map((word) => word.trim());
  return fitsMost(words, SPACED) && plain.some((word) => SPACE.test(word)) && !words.some(isCode)
    && plain.every((word) => SPACED.test(word) || PLAIN_NUMBER.test(word)) && !plain.every((word) => FULL_GROUPS.test(word));
}

function withoutSpaces({ words }) { return words.map((word) => Number(word.trim().replace(/[ \u00a0\u202f]/g, ""))); }

function withNumbers(columns, separator) {
  // The columns with their numbers: as a point tells, or as offices of other countries write them.
  const plain = columns.map((column) => read(column));
  const texts = (found) => columns.filter((_, at) => found[at] === null);
  const commas = texts(plain).filter(({ words }) =>
    !words.some(isCode) && words.some((word) => word.includes(",")));
  for (const [pattern, way] of [
    [ENGLISH, { thousands: "," }], [EUROPEAN, { decimal: ",", thousands: "." }],
  ]) {
    if (!commas.some(({ words }) => fitsMost(words, pattern))) continue;
    const found = columns.map((column) => whereItFits(column, way) ?? (
      fitsMost(column.words, EUROPEAN, 1) && !column.words.some(isCode) ? column.words.map((word) => Number(word.replace(/[^\d,+-]/g, "").replaceAll(",", "."))) : null));
    const better = texts(plain).filter((column) => commas.includes(column) && !texts(found).includes(column));
    if (better.length) {
      readAs(way, better);
      return columns.map((column, at) => ({ ...column, numbers: found[at] }));
    }
  }
  const spaced = texts(plain).filter(inSpacedGroups);
  const found = columns.map((column, at) => ({ ...column, numbers: spaced.includes(column) ? withoutSpaces(column) : plain[at] }));
  if (spaced.length) readWithSpaces(spaced[0]);
  else perhapsThousands(found, separator);
  return found;
}

function datesIn({ words, numbers }) {
  // What stands first if all words of a column are dates of which it is known: "" if they are none.
  if (numbers !== null || !words.length) return "";
  const orders = words.map((word) => Object.keys(daysRead(word)));
  const fitting = ["year", "day", "month"].filter((one) => orders.every((found) => found.includes(one)));
  return fitting.length === 1 ? fitting[0] : "";
}

function truths(column) {
  // Words that are all true or false are written alike.
  if (column.numbers !== null || !column.words.length) return column;
  if (!column.words.every((word) => /^(true|True|TRUE|false|False|FALSE)$/.test(word))) return column;
  const names = column.words.map((word) => (word[0].toLowerCase() === "t" ? "True" : "False"));
  const words = [...new Set(names)];
  return { ...column, words, code: column.code.map((at) => (at < 0 ? at : words.indexOf(names[at]))) };
}

function bareColumns(bytes, name) {
  // The columns of a table of which nothing is told; `NOTES` says how they were read.
  NOTES = [];
  const text = lettersOf(bytes, name);
  if (/^\s*(\[\s*[[{]|\{\s*"|\[\s*\]|\{\s*\}|<[!?/a-zA-Z])/.test(text)) throw refused("no-csv", { name }, "files");
  const { names, rows, named, separator } = layoutOf(text, name);
  const titles = names.map((title, at) => title || `column ${at + (named ? 0 : 1)}`);
  const all = columnsOf(titles, rows, MISSING, name), last = all[all.length - 1];
  const found = withNumbers(all, separator).slice(named ? 1 : 0);
  const empty = found.length > 1 && last.name === `column ${found.length}` && !last.words.length;
  const kept = (empty ? found.slice(0, -1) : found).map(truths);
  if (!rows.length) throw refused("no-record", { name }, "files");
  if (empty) note("empty-end");
  shortRecord(rows, names.length - empty);
  const dated = kept.map((column) => ({ ...column, dated: asDates(column) }));
  dated.forEach(disturbed);
  dated.forEach(longNames);
  return dated;
}
