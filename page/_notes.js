// How a file was read, where it could have been read otherwise: what Python's reader says of it.

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/, IN_GROUPS = /^[+-]?(?:0|[1-9]\d{0,2}(?:\.\d{3})?)$/;
const MARKS = /^[€$£¥]\s*|\s*(?:[€$£¥%]|[A-Za-z]{1,4})$/, LONGEST = 78;
let NOTES = [];

function note(name, told = {}) { NOTES.push({ name: `note-${name}`, told }); }

function noteWords({ name, told }) { return filled(DATA.words[name], told); }

function quotedWord(word) {
  // A word in quotes, cut where it is long.
  const cut = word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word;
  const mark = cut.includes("'") && !cut.includes('"') ? '"' : "'";
  return mark + cut.replaceAll("\\", "\\\\").replace(/'/g, mark === "'" ? "\\'" : "'") + mark;
}

function countOn(names) {
  // Whether names are numbers one after the other, such as years.
  if (names.length < 2 || !/^\d{1,4}$/.test(names[0])) return false;
  return names.every((name, at) => name === String(Number(names[0]) + at));
}

function numbersAsNames(names, below) {
  const odd = names.filter((name, at) =>
    isNumber(name) && below.some((values) => values[at]) && below.every((values) => !values[at] || isNumber(values[at])));
  if (odd.length && !countOn(odd)) note("no-names", { cell: quotedWord(odd[0]) });
}

function perhapsThousands(columns, separator) {
  // Of which columns the points may stand between thousands: 1.234 beside a semicolon.
  if (separator === ",") return;
  const found = columns.filter(({ numbers, words }) =>
    numbers !== null && words.some((word) => word.includes(".")) && fitsMost(words, IN_GROUPS, 1));
  if (found.length) note("perhaps-thousands", { names: found.map(({ name }) => quotedWord(name)) });
}

function readAs(way, columns) {
  // Say of the first column that became numbers how they were read.
  const cell = columns[0].words.find((word) => plainDigits(word).includes(",")).trim();
  const name = way.decimal === "," ? "read-commas" : "read-thousands";
  note(name, { cell: quotedWord(cell), name: quotedWord(columns[0].name) });
}

function readWithSpaces({ name, words }) {
  const cell = words.map((word) => word.trim()).find((word) => SPACE.test(word));
  note("read-spaces", { cell: quotedWord(cell.replace(/[\u00a0\u202f]/g, " ")), name: quotedWord(name) });
}

function shortRecord(rows, width) {
  // The first record that ends before its last value, as in a file cut short.
  const at = rows.findIndex((row) => row.length < width);
  if (at >= 0) note("short-record", { row: at + 1, records: rows.length });
}

function disturbed({ name, words, code, numbers, dated }) {
  // The first cell that keeps a column from numbers.
  if (numbers !== null || dated || words.some(isCode)) return;
  const plain = [...new Set(words.map((word) => word.trim()))];
  const odd = plain.filter((word) => !PLAIN_NUMBER.test(plainDigits(word))), share = 1 - odd.length / Math.max(plain.length, 1);
  const told = { name: quotedWord(name), cell: quotedWord(odd[0] ?? "") };
  if (odd.length && (share >= MOST_OF || (share > 0.5 && odd.length === 1))) {
    const row = code.findIndex((at) => at >= 0 && words[at].trim() === odd[0]) + 1;
    note("words-odd", { ...told, row });
  } else if (odd.length && besideMarks(plain)) note("words-unit", told);
}

function longNames({ name, words, numbers, dated }) {
  // Whole numbers with more digits than a number keeps are names.
  const plain = words.map((word) => word.trim());
  if (numbers !== null || dated || words.some(isCode) || !plain.every((word) => PLAIN_NUMBER.test(word))) return;
  const long = plain.find(isTooLong);
  if (long !== undefined) note("long-names", { name: quotedWord(name), cell: BigInt(long.replace("+", "").replace(/\.0*$/, "")).toString() });
}

function besideMarks(words) {
  const plain = words.map(plainDigits), bare = plain.map((word) => word.replace(MARKS, ""));
  if (bare.every((word, at) => word === plain[at])) return false;
  return [PLAIN_NUMBER, ENGLISH, EUROPEAN].some((pattern) => fitsMost(bare, pattern, 1));
}

function asDates(column) {
  // Whether a column holds dates, which is said with the part that stands first.
  const first = datesIn(column);
  if (first) note(`dates-${first}`, { name: quotedWord(column.name), cell: quotedWord(column.words[0]) });
  return Boolean(first);
}
