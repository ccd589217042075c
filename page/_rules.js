// A cell of text by the rules that Python's reader has: `RULES` stands above the program.

const WHOLLY = patternsOf("cells", (one) => new RegExp(`^(?:${one})$`));
const PARTLY = patternsOf("parts", (one) => new RegExp(one, "g")), LIMITS = RULES.limits;
const NUMBER = WHOLLY.plain, WHOLE = WHOLLY.whole, AROUND = new RegExp(`^[${RULES.blanks}]+|[${RULES.blanks}]+$`, "g");
const TRUTHS = new Map([["True", RULES.true], ["False", RULES.false]].flatMap(([name, words]) => words.map((word) => [word, name])));

function patternsOf(kind, made) {
  return Object.fromEntries(Object.entries(RULES[kind]).map(([name, one]) => [name, made(one)]));
}

function partlyFits(text, part) { return text.search(part) >= 0; }

function stripped(text) { return text.replace(AROUND, ""); }

function spaced(text) { return stripped(text).split(new RegExp(`[${RULES.blanks}]+`)).join(" "); }

function plainDigits(text) {
  // A text with the digits 0 to 9 for those of any script, and plain marks between them.
  if (!/[^\0-\x7f]/.test(text) || !/\p{Nd}/u.test(text)) return text;
  const [others, marks] = RULES.other_marks;
  return text.replace(/\p{Nd}/gu, digitOf).replace(new RegExp(`[${others}]`, "g"), (mark) => marks[others.indexOf(mark)]);
}

function digitOf(letter) {
  // Each script has its digits in a row, some of them one row after another.
  let before = 0;
  const code = letter.codePointAt(0);
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
  return before % 10;
}

function longWhole(word) {
  // The whole number that a text writes, if a number does not keep it to its last digit. What is
  // written with an exponent is kept if its number, written with as many digits, is the same.
  const found = Number(word), exact = exactly(word);
  if (!(Math.abs(found) >= 2 ** 53) || !exact || exact.power < 0 || word.length >= 400) return null;
  if (/[eE]/.test(word)) {
    if (!WHOLLY.scientific.test(word)) return null;
    const many = word.replace(/[eE].*|[+-]|\./g, "").replace(/^0+(?=.)/, "").length;
    const again = exactly(found.toExponential(Math.min(many - 1, 100)));
    if (!again || (again.digits === exact.digits && again.power === exact.power)) return null;
  }
  const value = BigInt(exact.sign + exact.digits + "0".repeat(exact.power));
  return Number.isFinite(found) && BigInt(found) === value ? null : value.toString();
}

function exactly(word) {
  // The digits of a number without zeros around them, and how many zeros follow; null for none.
  const [, sign, whole, part = "", power = "0"] = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(word) ?? [];
  if (whole === undefined) return null;
  const all = (whole + part).replace(/^0+/, ""), digits = all.replace(/0+$/, "");
  if (!digits) return { sign: "", digits: "0", power: 0 };
  return { sign: sign === "-" ? "-" : "", digits, power: Number(power) - part.length + all.length - digits.length };
}

function mergedNumber(words) {
  // The first number that would become the same as another one that is written differently.
  const known = new Map();
  return words.find((word) => {
    const { sign, digits, power } = exactly(word) ?? {}, exact = `${sign}${digits}e${power}`, value = Number(word);
    if (!known.has(value)) known.set(value, exact);
    return known.get(value) !== exact;
  });
}

function lostNumber(words) {
  // Of numbers one with more digits than are kept: a whole one, or one that would merge with others.
  const long = words.find((word) => longWhole(word) !== null);
  if (long !== undefined) return { name: "long-names", cell: longWhole(long) };
  const merged = words.some((word) => word.length > 15) ? mergedNumber(words) : undefined;
  return merged === undefined ? null : { name: "merged", cell: merged };
}
