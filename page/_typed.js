// Numbers as people write them: with a decimal comma, spaces between thousands, a unit behind.

const BETWEEN = /(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(?!\d))/g, SIGN = /^[€$£¥]\s*|\s*[€$£¥%]$/g;
const NO_END = /^[+-]*(?:inf|infinity|nan)$/i;
const GROUPED = { ",": /^[+-]?(?!0)\d{1,3}(,\d{3})+$/, ".": /^[+-]?(?!0)\d{1,3}(\.\d{3})+$/ };

function understood(record) {
  // A record with plain numbers and the words of the table, and how each number was read.
  const known = new Map(record), notes = [];
  for (const column of DATA.release.columns) {
    const typed = spaced(known.get(column.name) ?? "");
    if (!typed) continue;
    const [, quoted = null] = WHOLLY.in_quotes.exec(typed) ?? [];
    if (quoted === null) refuseDate(typed, column);
    if (column.kind !== "numeric") {
      known.set(column.name, spelled(column, known.get(column.name)));
      continue;
    }
    const { plain, read } = meant(quoted ?? typed, column);
    if (quoted === null) refuseFar(typed, Number(plain), column);
    known.set(column.name, plain);
    const value = local(column.dated ? dateText(Number(plain)) : plain);
    const told = { title: column.title, given: quotedText(typed), value };
    if (read) notes.push(filled(DATA.speech.read, told));
    const [low, high] = column.domain ?? [-Infinity, Infinity], shown = (end) => local(column.dated ? dateText(end) : pythonText(end));
    if (!(low <= Number(plain) && Number(plain) <= high)) notes.push(filled(DATA.speech.beyond, { ...told, low: shown(low), high: shown(high) }));
  }
  return { known, notes };
}

function meant(given, column) {
  // The number that is meant, as Python writes it, and whether it was written otherwise.
  const typed = plainDigits(given);
  const counted = NUMBER.test(typed) && !YEAR_ALONE.test(typed) && !WHOLLY.year_joined.test(typed);
  if (column.dated && !counted) return meantDate(typed, column);
  if (longWhole(typed) !== null) throw noValue("too-long", typed, column);
  const asIs = NUMBER.test(typed) && !isGrouped(typed);
  if (NO_END.test(typed) || (asIs && !Number.isFinite(Number(typed)))) throw noValue("not-finite", given, column);
  if (asIs) return { plain: pythonText(Number(typed)), read: false };
  const bare = withoutUnit(typed.replace(SIGN, ""), column), found = readingsOf(bare.replace(BETWEEN, ""));
  if (!found.length) throw noValue("no-number", given, column);
  const [number, other] = asSpoken(bare, among(found, publishedEnds(column)));
  if (other === undefined) return { plain: pythonText(number), read: typed !== local(pythonText(number)) };
  const [first, second] = [number, other].map(pythonText);
  throw noValue("two-numbers", given, column, { first, second });
}

function meantDate(typed, column) {
  // The days to the date that is meant; the published ones decide which part of it is the day.
  if (YEAR_ALONE.test(typed)) throw noValue("whole-date", typed, column);
  const plain = spaced(typed), found = among([...new Set(Object.values(daysRead(monthRead(plain))))].sort((a, b) => a - b), publishedEnds(column));
  if (!found.length) throw noValue("no-date", typed, column);
  const [first, second] = found.map(dateText);
  if (second !== undefined) throw noValue("two-dates", typed, column, { first, second });
  return { plain: pythonText(found[0]), read: ![first, local(first)].includes(plain) };
}

function refuseFar(typed, read, column) {
  // Ask back where a number lies farther from the published ones than these from each other.
  const [low, high] = publishedEnds(column) ?? [0, 0];
  if (!(high > low && Math.max(low - read, read - high) > high - low)) return;
  const told = [low, high].map((end) => local(column.dated ? dateText(end) : pythonText(end)));
  throw noValue("far", typed, column, { low: told[0], high: told[1] });
}

function refuseDate(typed, column) {
  // Ask for the year of a date where a column shows this year, and no dates.
  const [year] = yearsRead(typed);
  if (year === undefined || column.dated || shows(column, typed) || !showsNumber(column, year)) return;
  if (/^\d+$/.test(typed) && showsNumber(column, typed)) return;
  throw noValue("only-year", typed, column, { year });
}

function noValue(says, given, { name, quoted }, told = {}) {
  // A refusal of what is no value of a column, in the words of `verikit.check`.
  return new Refused(filled(DATA.words.refused[says], { name: quoted, given: quotedText(given.trim()), ...told }), name);
}

function showsNumber(column, text) {
  // Whether a cell that may not be anything may be a number.
  const value = Number(text), { values, low, high, read, labels } = column;
  if (values) return column.kind === "numeric" ? values.includes(value) : (column.labels ?? column.categories).includes(text);
  if (!read && low) return low.some((end, at) => end <= value && value <= high[at]);
  return read ? shows(column, text) || labels.includes(text) : false;
}

function isGrouped(plain) {
  // Whether the language spoken may mean thousands by the point in a number.
  return DATA.speech.thousands === "." && GROUPED["."].test(plain);
}

function withoutUnit(plain, { unit }) {
  // A number without its column's unit; where the column has none, without any usual one.
  const same = unit && plain.toLowerCase().endsWith(unit.toLowerCase());
  if (unit) return same ? plain.slice(0, -unit.length).trim() : plain;
  const usual = new RegExp(`(?<=[\\d.])\\s*(?:${DATA.units})$|^(?:eur|usd|gbp|chf)\\s+`, "gi");
  return plain.replace(usual, "");
}

function readingsOf(bare) {
  // All that may be meant; the mark that comes last stands before the decimals.
  const last = bare.lastIndexOf(".") > bare.lastIndexOf(",") ? "." : ",", other = last === "." ? "," : ".";
  const end = bare.lastIndexOf(last), [head, tail] = [bare.slice(0, end), bare.slice(end + 1)];
  if (bare.includes(other)) {
    const fits = GROUPED[other].test(head) && /^\d+$/.test(tail);
    return fits ? [Number(`${head.replaceAll(other, "")}.${tail}`)] : [];
  }
  const decimals = bare.replaceAll(",", "."), found = [];
  if (GROUPED[last].test(bare)) found.push(Number(bare.replaceAll(last, "")));
  if (NUMBER.test(decimals)) found.push(Number(decimals));
  return found.filter(Number.isFinite);
}

function among(readings, ends) {
  // Of several numbers that may be meant those within the published range; all if none is.
  const [low, high] = ends ?? [-Infinity, Infinity];
  const inside = readings.filter((one) => low <= one && one <= high);
  return inside.length ? inside : readings;
}

function publishedEnds({ ordered, low, high, read }) {
  // The lowest and the highest published number; null where the table shows none.
  if (ordered) return [ordered[0], ordered[ordered.length - 1]];
  const ends = low && !read ? [...low, ...high].filter(Number.isFinite) : [];
  return ends.length ? [Math.min, Math.max].map((of) => ends.reduce((a, b) => of(a, b))) : null;
}

function asSpoken(bare, readings) {
  // Of two numbers that may be meant the one that the language spoken writes so.
  const { thousands, decimal } = DATA.speech;
  if (readings.length < 2 || decimal === ".") return readings;
  return [readings[bare.includes(thousands) ? 0 : 1]];
}

function plainly(given) {
  // A number that is written as the language writes it, as Python does; else the text.
  const bare = spaced(plainDigits(given)).replace(BETWEEN, "");
  if (NUMBER.test(bare) && !isGrouped(bare)) return bare;
  const found = asSpoken(bare, readingsOf(bare));
  return found.length === 1 ? pythonText(found[0]) : given;
}
