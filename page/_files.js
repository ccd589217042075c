// A file as Python's reader takes it: its letters, what separates its values, and its numbers.

const LETTERS = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];

let LINES = null;
const [ENGLISH, EUROPEAN, BY_SPACES] = RULES.ways.map((way) => {
  const [mostly, full, never] = [way.mostly, `${way.mostly}|${way.also}`, way.never ?? "(?!)"].map((one) => new RegExp(`^(?:${one})$`));
  return { ...way, mark: new RegExp(way.mark), mostly, full, never };
});

function lettersOf(bytes, name) {
  // The text of a file in UTF-8, UTF-16 or Windows-1252.
  const head = bytes.subarray(0, 4096), zeros = [0, 0];
  head.forEach((byte, at) => { if (!byte) zeros[at % 2]++; });
  const marked = LETTERS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return decoded(bytes, marked[0], name);
  const [even, odd] = zeros.map((count) => count / Math.max(head.length / 2, 1));
  if (Math.max(even, odd) > LIMITS.zeros && Math.min(even, odd) <= LIMITS.zeros) {
    note("utf-16");
    return decoded(bytes, odd > even ? "utf-16le" : "utf-16be", name);
  }
  try {
    return decoded(bytes, "utf-8", name);
  } catch (error) {
    const known = (byte) => byte > 31 || [9, 10, 12, 13].includes(byte);
    if (!head.every(known) || bytes.some((byte) => [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte))) throw error;
    note("letters-guessed");
    return decoded(bytes, "windows-1252", name);
  }
}

function decoded(bytes, letters, name) {
  // The text of a file in some letters; what holds others than these is none, nor is a zip file.
  const none = refused("no-csv", { name }, "files");
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw none;
  try {
    const text = new TextDecoder(letters, { fatal: true }).decode(bytes).replace(/^\ufeff+/, "");
    if (!text.slice(0, 4096).includes("\0")) return text;
  } catch { /* said below */ }
  throw none;
}

function rowsOf(text, separator, spaces, open = false) {
  // The records of a text; quoted values may hold separators, line ends and doubled quotes, and are
  // closed unless the end may be left open.
  const rows = Object.assign([], { blank: 0 }), mark = separator.charCodeAt(0);
  const ends = (code) => code === mark || code === 10 || code === 13;
  let at = 0, from = 0, row = [], apart = false;
  while (at < text.length) {
    if (!row.length) from = at;
    while (spaces && text[at] === " ") at++;
    const quoted = text[at] === '"';
    let value = "", again = "";
    for (; text[at] === '"' && quoted; again = '"') {
      const found = text.indexOf('"', at + 1), end = found < 0 ? text.length : found;
      if (found < 0 && !open) throw refused("quotes", {}, "files");
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
    if (quoted || (row.length > 1 && separator !== " ") || /[^ \t]/.test(row.join(""))) {
      rows.push(Object.assign(row, { apart, from, lines: linesOf(text.slice(from, at)).length }));
      apart = false;
    } else [apart, rows.blank] = [true, rows.blank + 1];
    row = [];
  }
  return rows;
}

function linesOf(text) { return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g) ?? []; }

function lineOf(text, separator) { return (rowsOf(text, separator, true, true)[0] ?? []).map(stripped); }

function separatorOf(lines) {
  // What most lines have the same number of; of several what the first line has most of.
  const some = lines.filter(stripped).slice(0, LIMITS.lines), [first] = some;
  if (!some.length) return ",";
  if (WHOLLY.by_spaces.test(stripped(`.${first}`).slice(1)) && ![...RULES.separators].some((mark) => first.includes(mark))) return " ";
  let found = null;
  for (const mark of RULES.separators) {
    const counts = rowsOf(some.join(""), mark, false, true).map((row) => row.length);
    const often = [...new Set(counts)].map((count) => [counts.filter((c) => c === count).length, count]);
    const [times, number] = often.sort((a, b) => b[0] - a[0] || b[1] - a[1])[0] ?? [0, 1];
    const told = [number > 1 ? times / some.length : 0, number > 1 ? number : 1, first.split(mark).length];
    const more = found && told.findIndex((part, at) => part !== found.told[at]);
    if (!found || (more >= 0 && told[more] > found.told[more])) found = { mark, told };
  }
  const column = some.slice(1).every((line) => isNumber(stripped(line)));
  return !first.includes(found.mark) && column ? "\t" : found.mark;
}

function layoutOf(text, name) {
  // The names of the columns and the records below them, without the titles above and the footer;
  // `LINES` says what became of each line.
  const most = text.slice(0, LIMITS.head), whole = most.length < LIMITS.head ? most.length : most.lastIndexOf("\n") + 1;
  const lines = linesOf(most.slice(0, whole || most.length));
  let above = 0, hint = null;
  for (; above < lines.length; above++) {
    const told = WHOLLY.hint.exec(lines[above].replace(/[\r\n]+$/, ""));
    hint = told ? told[1] : hint;
    if (stripped(lines[above]) && !told && !lines[above].startsWith("#")) break;
  }
  const separator = hint ?? separatorOf(lines.slice(above)), skipped = lines.slice(0, above).join("").length;
  const rows = rowsOf(lines.slice(above).join(""), separator, true, true), said = [];
  let apart = false;
  for (let at = 0; at < rows.length && said.length < LIMITS.lines; at++) {
    const values = rows[at].map(stripped);
    if (values.some(Boolean)) said.push(Object.assign(values, { from: rows[at].from, apart: apart || rows[at].apart }));
    apart = !values.some(Boolean);
  }
  if (!said.length) throw refused("no-record", { name }, "files");
  const first = headerOf(said), names = [...said[first]], below = said.slice(first + 1);
  const count = usual(below), keys = below.map(([key]) => key);
  const blank = names.length === count && count > 1 && !names[0] && names.slice(1).every(Boolean);
  const named = (blank || count === names.length + 1) && below[0]?.length === count && new Set(keys).size === keys.length;
  leftOut("title", "titles", "title", said.slice(0, first));
  if (named) note("row-names");
  else numbersAsNames(names, below);
  if (separator === " ") note("spaces");
  const from = skipped + said[first].from, rest = text.slice(from);
  const [end, footer] = footerOf(rest, separator, names.length + (named && !blank), names.length === 1 && areCounted(below));
  leftOut("footer", "footers", "footer", footer.filter(widthOf));
  const found = rowsOf(rest.slice(0, end), separator, true), [header, ...records] = found;
  const held = (part) => part.filter((line) => widthOf(lineOf(line, separator))).length, before = linesOf(text.slice(0, from));
  const [title, kept] = [held(before), footer.filter(widthOf).length];
  LINES = {
    title, names: header.lines, records: records.reduce((sum, row) => sum + row.lines, 0),
    blank: before.length - title + found.blank + footer.length - kept, footer: kept,
  };
  return { names: named && !blank ? ["", ...names] : names, rows: records, named, separator };
}

function usual(lines) {
  // How many values most lines have; the first of equals.
  const found = new Map();
  for (const { length } of lines) found.set(length, (found.get(length) ?? 0) + 1);
  return [...found].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0])[0];
}

function isNumber(value) { return WHOLLY.number_like.test(plainDigits(value)); }

function areWords(line) { return line.map(stripped).every((value) => value && !isNumber(value)); }

function areCounted(lines) {
  // Whether lines are numbers, but for words at their end.
  const last = lines.findLastIndex((line) => !areWords(line));
  return last >= 0 && lines.slice(0, last).every((line) => !areWords(line));
}

function widthOf(line) { return line.findLastIndex(stripped) + 1; }

function isShorter(line, count) {
  const width = widthOf(line);
  return (width === 1 && count > 1) || width < count - 1;
}

function headerOf(lines) {
  // The place of the line with the names: the first, or the first words below titles.
  for (let at = 1; at < Math.min(lines.length - 1, LIMITS.titles); at++) {
    const names = lines[at], count = usual(lines.slice(at));
    if (names.length === count && areWords(names) && areTitles(lines, at, count)) return at;
  }
  return 0;
}

function areTitles(lines, at, count) {
  const above = lines.slice(0, at), below = lines.slice(at + 1);
  if (above.every((line) => isShorter(line, count))) return true;
  if (at === 1) return lines[1].apart && above[0].length <= count && !areWords(below[0]);
  return lines[at].apart && count === 1 && areCounted(below);
}

function footerOf(text, separator, count, numbers) {
  // Where a footer begins, and its lines: below all records, after a blank line, it says no record.
  const below = text.indexOf("\n") + 1 || text.indexOf("\r") + 1;
  const lines = linesOf(text.slice(Math.max(below, text.length - LIMITS.tail))), rows = lines.map((line) => lineOf(line, separator));
  const none = (row) => (count === 1 ? !widthOf(row) || (numbers && areWords(row)) : widthOf(row) < count);
  let end = rows.length;
  while (end && rows.length - end < LIMITS.titles && none(rows[end - 1])) end--;
  if (end > 1 && !widthOf(rows[end - 2])) return [text.length, []];
  for (let at = end; at < rows.length - 1; at++) {
    const [blank, line] = [rows[at], rows[at + 1]], word = line[0] ?? "";
    if (widthOf(blank) || !word || isNumber(word)) continue;
    const alike = blank.length ? line.length === blank.length : line.length < count;
    if (count > 1 && !(alike && isShorter(line, count))) continue;
    while (at > end && rows[at - 1].length === blank.length && !widthOf(rows[at - 1])) at--;
    const place = text.length - lines.slice(at).join("").length;
    return text.slice(0, place).split('"').length % 2 ? [place, rows.slice(at)] : [text.length, []];
  }
  return [text.length, []];
}

function leftOut(one, several, called, lines) {
  // Say which lines above the names, or below the records, were left out.
  const told = lines.map((line) => quotedText(line.map(stripped).filter(Boolean).join(" ")));
  if (told.length === 1) note(one, { [called]: told[0] });
  if (told.length > 1) note(several, { lines: told.length, first: told[0], last: told[told.length - 1] });
}

function asWritten(marks) {
  // Marks of missing values, those that are numbers in the ways in which Python's reader knows them.
  const found = marks.filter((mark) => NUMBER.test(mark)).map(Number).filter(Number.isFinite);
  const texts = found.map(pythonText), whole = found.filter(Number.isInteger).map((value) => `${BigInt(value)}.0`);
  return [...marks, ...texts, ...whole];
}

function withoutMarks(column, marks) {
  // A column without the numbers that are marks of missing values, however they are written.
  const { words, plain, numbers, code } = column, gone = new Set(marks.filter((mark) => NUMBER.test(mark)).map(Number));
  if (!numbers?.some((value) => gone.has(value))) return column;
  const kept = [...numbers.keys()].filter((at) => !gone.has(numbers[at]));
  const places = new Map(kept.map((at, place) => [at, place]));
  return {
    ...column, words: kept.map((at) => words[at]), plain: kept.map((at) => plain[at]), numbers: kept.map((at) => numbers[at]),
    code: code.map((at) => places.get(at) ?? -1),
  };
}

function columnsOf(names, rows, missing, name, marks = []) {
  // By column its different words in the order in which they come, and the place of each record's;
  // blanks may stand around some marks of a missing value.
  const width = names.length, blank = new Set(missing), around = new Set(marks);
  const none = (word) => blank.has(word) || around.has(stripped(word));
  if (rows.some((row) => !row.slice(width).every(none))) throw refused("too-many", { name }, "files");
  const repeated = names.find((one, at) => names.indexOf(one) < at);
  if (repeated !== undefined) throw refused("twice", { name: repeated }, "files");
  return names.map((title, at) => {
    const places = new Map(), code = new Int32Array(rows.length);
    rows.forEach((row, place) => {
      const word = row[at] ?? "";
      if (!none(word) && !places.has(word)) places.set(word, places.size);
      code[place] = places.get(word) ?? -1;
    });
    const words = [...places.keys()];
    return { name: title, words, plain: words.map((word) => stripped(plainDigits(word))), code };
  });
}

function numberIn(word) {
  // The number that a word is; NaN is none.
  return NUMBER.test(word) && longWhole(word) === null ? Number(word) : NaN;
}

function isNumeral(plain) { return NUMBER.test(plain) || WHOLLY.infinite.test(plain); }

function isCode(plain) { return partlyFits(plain, PARTLY.code); }

function read({ name, words, plain }, way) {
  // The numbers of a column's words; null where one is none, a code such as 02138, or too long.
  if (plain.some(isCode)) return null;
  const found = plain.map((word) => (way ? [...word].filter((mark) => !way.groups.includes(mark)).join("").replace(way.decimal, ".") : word));
  if (!found.every(isNumeral) || lostNumber(found)) return null;
  const numbers = found.map(Number), endless = numbers.findIndex((value) => !Number.isFinite(value));
  if (endless >= 0) throw refused("cell", { title: name, value: words[endless] }, "files");
  return numbers;
}

function fitsMost(plain, pattern, least = LIMITS.nearly_all) {
  const some = (part) => part.filter((word) => pattern.test(word)).length >= least * part.length;
  return plain.length > 0 && some(plain.slice(0, LIMITS.lines)) && some(plain);
}

function whereItFits(column, way) {
  // A column in another way of writing numbers if all its words are written so, else as it was.
  if (fitsMost(column.plain, way.full, 1) && !fitsMost(column.plain, way.never, 1)) return read(column, way);
  return read(column, way === ENGLISH && fitsMost(column.plain, EUROPEAN.mostly, 1) ? EUROPEAN : undefined);
}

function withNumbers(columns, separator) {
  // The columns with their numbers: as a point tells, or as offices of other countries write them.
  const plain = columns.map((column) => read(column));
  const texts = (found) => columns.filter((_, at) => found[at] === null);
  for (const way of [ENGLISH, EUROPEAN, BY_SPACES]) {
    const marked = texts(plain).filter((column) => !column.plain.some(isCode) && column.plain.some((word) => way.mark.test(word)));
    if (!marked.some((column) => fitsMost(column.plain, way.mostly))) continue;
    const found = columns.map((column) => whereItFits(column, way)), [better] = marked.filter((column) => !texts(found).includes(column));
    if (!better) continue;
    readAs(way, better);
    return columns.map((column, at) => ({ ...column, numbers: found[at] }));
  }
  const found = columns.map((column, at) => ({ ...column, numbers: plain[at] }));
  perhapsThousands(found, separator);
  return found;
}

function datesIn({ words, numbers }) {
  // What stands first if all words of a column are dates of which it is known: "" if they are none.
  if (numbers !== null || !words.length) return "";
  const orders = words.map((word) => Object.keys(daysRead(word)));
  const fitting = ["year", "day", "month"].filter((one) => orders.every((found) => found.includes(one)));
  return fitting.length === 1 ? fitting[0] : "";
}

function inDays(column) {
  // The dates of a column as days.
  if (!column.dated) return column;
  const first = datesIn(column);
  return { ...column, numbers: column.words.map((word) => daysRead(word)[first]) };
}

function truths(column) {
  // Words that are all true or false are written alike, unless one is spelled in several ways.
  const names = column.words.map((word) => TRUTHS.get(word)), words = [...new Set(names)];
  if (column.numbers !== null || !names.length || words.includes(undefined) || words.length < names.length) return column;
  return { ...column, words, plain: words, code: column.code.map((at) => (at < 0 ? at : words.indexOf(names[at]))) };
}

function bareColumns(bytes, name, told = [], words = []) {
  // The columns of a table of which nothing is told, but for what stands for a missing value there,
  // and which columns hold words;
  // `NOTES` says how they were read.
  NOTES = [];
  const given = lettersOf(bytes, name), text = given.includes("\n") ? given : given.replaceAll("\r", "\n");
  if (/^\s*(\[\s*[[{]|\{\s*"|\[\s*\]|\{\s*\}|<[!?/a-zA-Z])/.test(text)) throw refused("no-csv", { name }, "files");
  const { names, rows, named, separator } = layoutOf(text, name);
  const titles = names.map((title, at) => title || (named && !at ? "\0" : `column ${at + (named ? 0 : 1)}`));
  const marks = [...RULES.missing, ...told];
  const all = columnsOf(titles, rows, asWritten(marks), name, marks), last = all[all.length - 1];
  const found = withNumbers(named ? all.slice(1) : all, separator);
  const empty = found.length > 1 && last.name === `column ${found.length}` && !last.words.length;
  const kept = (empty ? found.slice(0, -1) : found).map((column) => truths(withoutMarks(column, marks)));
  if (!rows.length) throw refused("no-record", { name }, "files");
  if (empty) note("empty-end");
  shortRecord(rows, names.length - empty);
  const dated = kept.map((column) => ({ ...column, dated: asDates(column) }));
  dated.forEach(disturbed);
  return dated.map(longNames).map(inDays).map((column) => perhapsWords(column, words));
}
