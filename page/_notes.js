// How a file was read, where it could have been read otherwise: what Python's reader says of it.

let NOTES = [];

function note(name, told = {}) { NOTES.push({ name: `note-${name}`, told }); }

function noteWords({ name, told }) { return filled(DATA.words[name], told); }

function numbersAsNames(names, below) {
  const odd = names.filter((name, at) =>
    isNumber(name) && below.some((values) => values[at]) && below.every((values) => !values[at] || isNumber(values[at])));
  const years = odd.length > 1 && /^\d{1,4}$/.test(odd[0]) && odd.every((name, at) => name === String(Number(odd[0]) + at));
  if (odd.length && !years) note("no-names", { cell: quotedText(odd[0]) });
}

function perhapsThousands(columns, separator) {
  // Of which columns the points may stand between thousands: 1.234 beside a semicolon.
  if (separator === ",") return;
  const found = columns.filter(({ numbers, plain }) =>
    numbers !== null && plain.some((word) => word.includes(".")) && fitsMost(plain, WHOLLY.point_in_thousands, 1));
  if (found.length) note("perhaps-thousands", { names: found.map(({ name }) => quotedText(name)) });
}

function readAs({ note: how, mark }, { name, words, plain }) {
  // Say of a column that became numbers how they were read, by the first with a mark between digits.
  const cell = stripped(words[plain.findIndex((word) => mark.test(word))]);
  note(how, { cell: quotedText(cell.replace(PARTLY.space, " ")), name: quotedText(name) });
}

function shortRecord(rows, width) {
  // The first record that ends before its last value, as in a file cut short.
  const at = rows.findIndex((row) => row.length < width);
  if (at >= 0) note("short-record", { row: at + 1, records: rows.length });
}

function disturbed({ name, words, plain, code, numbers, dated }) {
  // The first cell that keeps a column from numbers.
  if (numbers !== null || dated || plain.some(isCode)) return;
  const known = new Map(plain.map((word, at) => [word, stripped(words[at])])), values = [...known.keys()];
  const odd = values.filter((word) => !NUMBER.test(word)).map((word) => known.get(word));
  const share = 1 - odd.length / Math.max(values.length, 1), told = { name: quotedText(name), cell: quotedText(odd[0] ?? "") };
  if (odd.length && (share >= LIMITS.nearly_all || (share > LIMITS.more_than_half && odd.length === 1))) {
    const row = code.findIndex((at) => at >= 0 && stripped(words[at]) === odd[0]) + 1;
    note("words-odd", { ...told, row });
  } else if (odd.length && besideMarks(values)) note("words-unit", told);
}

function besideMarks(plain) {
  const bare = plain.map((word) => word.replace(PARTLY.unit, ""));
  if (bare.every((word, at) => word === plain[at])) return false;
  return [NUMBER, ENGLISH.mostly, EUROPEAN.mostly].some((pattern) => fitsMost(bare, pattern, 1));
}

function longNames(column) {
  // Numbers with more digits than are kept are names, without the blanks around them.
  const { name, words, plain, code, numbers, dated } = column;
  if (numbers !== null || dated || plain.some(isCode) || !plain.every(isNumeral)) return column;
  const lost = lostNumber(plain);
  if (!lost) return column;
  note(lost.name, { name: quotedText(name), cell: lost.cell });
  const bare = words.map(stripped), found = [...new Set(bare)];
  return { ...column, words: found, plain: found, code: code.map((at) => (at < 0 ? at : found.indexOf(bare[at]))) };
}

function perhapsWords(column, words) {
  // A column, and its cell that may be a band, a set or a masked code, and may be a word: it is asked,
  // and so are two words that look alike.
  const { name, numbers, dated } = column, labels = numbers !== null || dated ? [] : [...column.words].sort();
  const looks = labels.map((word) => /\p{Nd}|^[{<>≤≥⩽⩾]/u.test(word) && !/^\p{Nd}+$/u.test(word)), wordy = words.includes(name);
  const read = looks.includes(true) ? meaningsOf(labels, { name, tree: null, kind: "nominal" }) : [];
  const doubtful = labels.find((label, at) => looks[at] && !(isSingle(read[at]) && read[at].names[0] === label));
  if (doubtful !== undefined && !wordy) note("ask-words", { name: quotedText(name), cell: quotedText(doubtful) });
  const [first, second] = (lookAlike(labels) ?? []).map(quotedText);
  if (first !== undefined) note("alike-words", { name: quotedText(name), first, second });
  return { ...column, wordy, doubtful };
}

function asDates(column) {
  // Whether a column holds dates, which is said with the part that stands first.
  const first = datesIn(column);
  if (first) note(`dates-${first}`, { name: quotedText(column.name), cell: quotedText(column.words[0]) });
  return Boolean(first);
}
