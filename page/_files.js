// A file as Python's reader takes it: its letters, what separates its values, and its numbers.

const MISSING = ["", "NA", "NaN", "nan"], LOOKED_AT = 200, MOST_TITLES = 20, MOST_OF = 0.9, HALF_OF = 200;
const CELL = /^[+-]?[\d.,\s]*\d[\d.,]*%?$/, BY_SPACES = /^"[^"]*"(?: "[^"]*")+\s*$/;
const EUROPEAN = /^[+-]?(?:\d{1,3}(?:[. \u00a0\u202f']\d{3})+|\d+)(?:,\d+)?$/;
const ENGLISH = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^[+-]?\d+(?:\.\d+)?$/;
const SPACED = /^[+-]?(?:0|[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})*)(?:\.\d+)?$/, SPACE = /[ \u00a0\u202f]/;
const FULL_GROUPS = /^\d{3}(?:[ \u00a0\u202f]\d{3}){2,}$/;
const BY_COMMAS = { decimal: ",", thousands: /[. \u00a0\u202f']/ };
const FULL_EUROPEAN = fullOf(EUROPEAN, ","), FULL_ENGLISH = fullOf(ENGLISH, "\\.");
const LETTERS = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];

function fullOf(pattern, mark) {
  // With all that programs write: 5, and ,5 and 1,5E+03
  return new RegExp(`${pattern.source}|^[+-]?(?:\\d+${mark}?\\d*|${mark}\\d+)(?:[eE][+-]?\\d+)?$`);
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
  let at = 0, from = 0, row = [], apart = false;
  while (at < text.length && rows.length < most) {
    while (spaces && text[at] === " ") at++;
    const quoted = text[at] === '"';
    if (!row.length) from = at;
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
    if (row.length > 1 || quoted || /[^ \t]/.test(row[0])) {
      Object.assign(row, { apart, from });
      rows.push(row);
      apart = false;
    } else apart = true;
    row = [];
  }
  return rows;
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
  const column = some.slice(1).every((line) => isNumber(line.trim()));
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
  const rows = rowsOf(rest, separator, true), said = [];
  let apart = false;
  for (let at = 0; at < rows.length && said.length < LOOKED_AT; at++) {
    const values = rows[at].map((value) => value.trim());
    if (values.some(Boolean)) said.push(Object.assign(values, { at, apart: apart || rows[at].apart }));
    apart = !values.some(Boolean);
  }
  if (!said.length) throw refused("no-record", { name }, "files");
  const first = headerOf(said), names = [...said[first]], below = said.slice(first + 1);
  const count = usual(below), keys = below.map(([key]) => key);
  const blank = names.length === count && count > 1 && !names[0] && names.slice(1).every(Boolean);
  const longer = count === names.length + 1 && below[0].length === count;
  const named = (blank || longer) && new Set(keys).size === keys.length;
  const titles = said.slice(0, first), numbers = names.length === 1 && areCounted(below);
  leftOut("title", "titles", "title", titles);
  if (named) note("row-names");
  else numbersAsNames(names, below);
  if (separator === " ") note("spaces");
  const records = rows.slice(said[first].at + 1);
  const width = names.length + (named && !blank);
  const end = footerOf(rest, rows[said[first].at].from, records, width, numbers);
  leftOut("footer", "footers", "footer", records.slice(end).filter((row) => widthOf(row)));
  return { names: named && !blank ? ["", ...names] : names, rows: records.slice(0, end), named, separator };
}

function usual(lines) {
  // How many values most lines have; the first of equals.
  const found = new Map();
  for (const { length } of lines) found.set(length, (found.get(length) ?? 0) + 1);
  return [...found].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0])[0];
}

function isNumber(value) { return CELL.test(plainDigits(value)); }

function areWords(line) { return line.every((value) => value.trim() && !isNumber(value.trim())); }

function areCounted(lines) {
  // Whether lines are numbers, but for words at their end.
  const last = lines.findLastIndex((line) => !areWords(line));
  return last >= 0 && lines.slice(0, last).every((line) => !areWords(line));
}

function widthOf(line) { return line.findLastIndex((value) => value.trim()) + 1; }

function isShorter(line, count) {
  const width = widthOf(line);
  return (width === 1 && count > 1) || width < count - 1;
}

function headerOf(lines) {
  // The place of the line with the names: the first, or the first words below titles.
  for (let at = 1; at < Math.min(lines.length - 1, MOST_TITLES); at++) {
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

function footerOf(text, from, records, count, numbers) {
  // Where the lines begin that stand below all records, after a blank one, and say no record.
  const rows = records.slice(-MOST_TITLES - 1).flatMap((row) => [...(row.apart ? [[]] : []), row]);
  const none = (row) => (count === 1 ? !widthOf(row) || (numbers && areWords(row)) : widthOf(row) < count);
  let end = rows.length;
  while (end && rows.length - end < MOST_TITLES && none(rows[end - 1])) end--;
  if (end > 1 && !widthOf(rows[end - 2])) return records.length;
  for (let at = end; at < rows.length - 1; at++) {
    const [blank, line] = [rows[at], rows[at + 1]], word = (line[0] ?? "").trim();
    if (widthOf(blank) || !word || isNumber(word)) continue;
    const alike = blank.length ? line.length === blank.length : line.length < count;
    if (count > 1 && !(alike && isShorter(line, count))) continue;
    while (blank.length && at > end && rows[at - 1].length === blank.length && !widthOf(rows[at - 1])) at--;
    const place = records.indexOf(rows[blank.length ? at : at + 1]);
    const quotes = text.slice(from, records[place].from).split('"').length - 1;
    return quotes % 2 ? records.length : place;
  }
  return records.length;
}

function leftOut(one, several, called, lines) {
  // Say which lines above the names, or below the records, were left out.
  const told = lines.map((line) => quotedWord(line.map((value) => value.trim()).filter(Boolean).join(" ")));
  if (told.length === 1) note(one, { [called]: told[0] });
  if (told.length > 1) note(several, { lines: told.length, first: told[0], last: told[told.length - 1] });
}

function asWritten(marks) {
  // Marks of missing values, those that are numbers in the ways in which Python's reader knows them.
  const found = marks.filter((mark) => PLAIN_NUMBER.test(mark)).map(Number).filter(Number.isFinite);
  const texts = found.map(pythonText), whole = found.filter(Number.isInteger).map((value) => `${BigInt(value)}.0`);
  return [...marks, ...texts, ...whole];
}

function withoutMarks(column, marks) {
  // A column without the numbers that are marks of missing values, however they are written.
  const { words, numbers, code } = column, gone = new Set(marks.filter((mark) => PLAIN_NUMBER.test(mark)).map(Number));
  if (!numbers?.some((value) => gone.has(value))) return column;
  const kept = [...numbers.keys()].filter((at) => !gone.has(numbers[at]));
  const places = new Map(kept.map((at, place) => [at, place]));
  return {
    ...column, words: kept.map((at) => words[at]), numbers: kept.map((at) => numbers[at]),
    code: code.map((at) => places.get(at) ?? -1),
  };
}

function columnsOf(names, rows, missing, name, marks = []) {
  // By column its different words in the order in which they come, and the place of each record's;
  // blanks may stand around some marks of a missing value.
  const width = names.length, blank = new Set(missing), around = new Set(marks);
  const long = rows.filter((row) => row.length > width);
  const tail = long.length === rows.length && long.every((row) => row.length === width + 1 && blank.has(row[width]));
  if (long.length && !tail) throw refused("too-many", { name }, "files");
  const repeated = names.find((one, at) => names.indexOf(one) < at);
  if (repeated !== undefined) throw refused("twice", { name: repeated }, "files");
  return names.map((title, at) => {
    const places = new Map(), code = new Int32Array(rows.length);
    rows.forEach((row, place) => {
      const word = row[at] ?? "", none = blank.has(word) || around.has(word.trim());
      if (!none && !places.has(word)) places.set(word, places.size);
      code[place] = none ? -1 : places.get(word);
    });
    return { name: title, words: [...places.keys()], code };
  });
}

function numberText(word, { decimal = ".", thousands = "" } = {}) {
  // A word with the marks of a number for those of a way of writing numbers.
  let plain = plainDigits(word).trim();
  if (thousands && /^[+-]?\d/.test(plain)) {
    const [whole, ...rest] = plain.split(decimal);
    plain = [whole.split(thousands).join(""), ...rest].join(decimal);
  }
  if (decimal !== ".") plain = plain.includes(".") ? "" : plain.replace(decimal, ".");
  return plain;
}

function numberIn(word, way) {
  // The number that a word is in a way of writing numbers; NaN is none.
  const plain = numberText(word, way);
  return NUMBER.test(plain) && !isTooLong(plain) ? Number(plain) : NaN;
}

function isCode(word) { return /^0\d/.test(plainDigits(word)); }

function read({ name, words }, way) {
  // The numbers of a column's words; null where one is none, a code such as 02138, or too long.
  if (words.some(isCode)) return null;
  const found = words.map((word) => numberIn(word, way));
  const odd = words.filter((_, at) => Number.isNaN(found[at]));
  if (odd.length && odd.every((word) => /^\s*[+-]?(nan|inf|infinity)\s*$/i.test(word)))
    throw refused("cell", { title: name, value: odd[0] }, "files");
  return odd.length ? null : found;
}

function fitsMost(words, pattern, least = MOST_OF) {
  const some = (part) => part.filter((word) => pattern.test(plainDigits(word).trim())).length >= least * part.length;
  return words.length > 0 && some(words.slice(0, HALF_OF)) && some(words);
}

function whereItFits(column, way) {
  // A column in another way of writing numbers if all its words are written so, else as it was.
  const full = way === BY_COMMAS ? FULL_EUROPEAN : FULL_ENGLISH;
  if (fitsMost(column.words, full, 1)) return read(column, way);
  return read(column, way !== BY_COMMAS && fitsMost(column.words, EUROPEAN, 1) ? BY_COMMAS : undefined);
}

function inSpacedGroups({ words }) {
  // Whether spaces stand between thousands; three full groups in all words are no numbers.
  const plain = words.map((word) => plainDigits(word).trim());
  return fitsMost(words, SPACED) && plain.some((word) => SPACE.test(word)) && !words.some(isCode)
    && plain.every((word) => SPACED.test(word) || PLAIN_NUMBER.test(word)) && !plain.every((word) => FULL_GROUPS.test(word));
}

function withoutSpaces(column) { return read(column, { thousands: SPACE }); }

function withNumbers(columns, separator) {
  // The columns with their numbers: as a point tells, or as offices of other countries write them.
  const plain = columns.map((column) => read(column));
  const texts = (found) => columns.filter((_, at) => found[at] === null);
  const commas = texts(plain).filter(({ words }) =>
    !words.some(isCode) && words.some((word) => plainDigits(word).includes(",")));
  for (const [pattern, way] of [[ENGLISH, { thousands: "," }], [EUROPEAN, BY_COMMAS]]) {
    if (!commas.some(({ words }) => fitsMost(words, pattern))) continue;
    const found = columns.map((column) => whereItFits(column, way));
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

function inDays(column) {
  // The dates of a column as days.
  if (!column.dated) return column;
  const first = datesIn(column);
  return { ...column, numbers: column.words.map((word) => daysRead(word)[first]) };
}

function truths(column) {
  // Words that are all true or false are written alike.
  if (column.numbers !== null || !column.words.length) return column;
  if (!column.words.every((word) => /^(true|True|TRUE|false|False|FALSE)$/.test(word))) return column;
  const names = column.words.map((word) => (word[0].toLowerCase() === "t" ? "True" : "False"));
  const words = [...new Set(names)];
  return { ...column, words, code: column.code.map((at) => (at < 0 ? at : words.indexOf(names[at]))) };
}

function bareColumns(bytes, name, told = []) {
  // The columns of a table of which nothing is told, but for what stands for a missing value there;
  // `NOTES` says how they were read.
  NOTES = [];
  const given = lettersOf(bytes, name), text = given.includes("\n") ? given : given.replaceAll("\r", "\n");
  if (/^\s*(\[\s*[[{]|\{\s*"|\[\s*\]|\{\s*\}|<[!?/a-zA-Z])/.test(text)) throw refused("no-csv", { name }, "files");
  const { names, rows, named, separator } = layoutOf(text, name);
  const titles = names.map((title, at) => title || `column ${at + (named ? 0 : 1)}`);
  const marks = [...MISSING, ...told];
  const all = columnsOf(titles, rows, asWritten(marks), name, marks), last = all[all.length - 1];
  const found = withNumbers(all, separator).slice(named ? 1 : 0);
  const empty = found.length > 1 && last.name === `column ${found.length}` && !last.words.length;
  const kept = (empty ? found.slice(0, -1) : found).map((column) => truths(withoutMarks(column, marks)));
  if (!rows.length) throw refused("no-record", { name }, "files");
  if (empty) note("empty-end");
  shortRecord(rows, names.length - empty);
  const dated = kept.map((column) => ({ ...column, dated: asDates(column) }));
  dated.forEach(disturbed);
  dated.forEach(longNames);
  return dated.map(inDays);
}
