// Words: numbers as Python writes them, and sentences by their key from the one table of sentences.

const DATA = {};  // what `_load.js` takes out of the page: languages, columns, facts

function rounded(digits, keep) {
  // A string of decimal digits cut to some, halves to the even digit; true where it grew by one.
  if (keep < 0) return ["", false];
  const rest = digits.slice(keep), kept = digits.slice(0, keep);
  const half = /^50*$/.test(rest), odd = keep > 0 && Number(kept[keep - 1]) % 2 === 1;
  const up = half ? odd : rest !== "" && rest[0] >= "5";
  if (!up) return [kept, false];
  const next = (BigInt("1" + kept) + 1n).toString();
  return next[0] === "2" ? [next.slice(1), true] : [next.slice(1), false];
}

function exactDigits(value) {
  // All decimal digits of a float and the power of ten of the first one.
  const [digits, power] = Math.abs(value).toExponential(100).split("e");
  return [digits.replace(".", ""), Number(power)];
}

function commas(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

function fixed(value, places, marks) {
  // f"{value:.2f}", with marks f"{value:,.2f}"
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  let [digits, power] = exactDigits(value);
  if (power < 0) { digits = "0".repeat(-power) + digits; power = 0; }
  let [kept, grew] = rounded(digits.padEnd(power + 1 + places, "0"), power + 1 + places);
  if (grew) { kept = "1" + kept; power += 1; }
  const whole = kept.slice(0, power + 1);
  return sign + (marks ? commas(whole) : whole) + (places ? "." + kept.slice(power + 1) : "");
}

function withoutZeros(text) { return text.includes(".") ? text.replace(/\.?0*$/, "") : text; }

function digits(value, most = 6) {
  // verikit.words.digits(value): so many digits, all before the point, and no exponent.
  if (value === 0) return "0";
  return withoutZeros(fixed(value, Math.max(most - 1 - exactDigits(value)[1], 0), false));
}

const MANY = 10_000;  // from here on whole numbers are written in thousands; below may be a year

function cellText(value) {
  // A number as a person reads it, as `_support.html.cell` writes it.
  const size = Math.abs(value);
  if (Number.isInteger(value)) {
    const plain = BigInt(value).toString();
    return MANY <= size && size < 1e15 ? commas(plain) : plain;
  }
  return size < 0.1 || size >= 1e15 ? digits(value, 3) : withoutZeros(fixed(value, 2, true));
}

function columnTexts(values) {
  // The numbers of a column as `_support.html.alike` writes them: everyday ones with as many decimals
  // as the longest of them.
  const inThousands = (value) => commas(BigInt(value).toString()), small = (value) => Math.abs(value) < MANY;
  if (values.every(Number.isInteger)) return values.map(values.every(small) ? cellText : inThousands);
  const texts = values.map((value) => (Number.isInteger(value) ? inThousands(value) : cellText(value)));
  const sizes = values.map(Math.abs).filter(Boolean), least = Math.max(...sizes) < 1 ? 0.01 : 0.1;
  if (sizes.some((size) => size < least || size >= 1e15)) return texts;
  const longest = Math.max(...texts.map((text) => (text.split(".")[1] ?? "").length));
  return values.map((value) => fixed(value, longest, true));
}

function even(number) {
  // round(round(value, 9))
  const value = Math.round(number * 1e9) / 1e9;
  const low = Math.floor(value), rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

function local(number) {
  // A number as Python writes it, or a range or set of them, with the marks of the language; a date with
  // the name of its month.
  const { thousands, decimal } = DATA.speech, dated = dateWords(number);
  if (dated !== number) return dated;
  const marked = (part) => part.replace(/[,.]/g, (mark) => (mark === "," ? thousands : decimal));
  return number.split(", ").map(marked).join(decimal === "," ? "; " : ", ");
}

function valueWords(text, { kind, dated }) {
  // A value as the language writes it: of a numeric column with its mark before decimals.
  const written = kind === "numeric" && !dated && typeof text === "string" && text.includes(".");
  return written && NUMERAL.test(text) ? local(text) : text;
}

function pluralOf(number, forms) {
  const { plural } = DATA.speech, tens = number % 100;
  if (number === 1 || (number === 0 && plural === "zero")) return forms[0];
  const few = [2, 3, 4].includes(number % 10) && ![12, 13, 14].includes(tens);
  return few || plural !== "few" ? forms[1] : forms[forms.length - 1];
}

function count(number, forms) {
  return `${local(commas(String(number)))} ${pluralOf(number, forms)}`;
}

function joined(parts) {
  if (parts.length < 2) return parts[0] ?? "";
  return `${parts.slice(0, -1).join(", ")} ${DATA.speech.and} ${parts[parts.length - 1]}`;
}

function ofWords(name, a, b) {
  const told = { a: local(commas(String(a))), b: local(commas(String(b))) };
  return DATA.speech[name].replace(/\{([ab])\}/g, (_, which) => told[which]);
}

function casesOf(name, part, of) {
  if (part > 0 && part < 1 / of) return ofWords(`${name}-few`, 1, of);
  if (1 - 1 / of < part && part < 1) return ofWords(`${name}-most`, of - 1, of);
  return ofWords(name, even(part * of), of);
}

function share(part, of = 100) { return casesOf("share", part, of); }

function chanceWords(part) {
  if (part === 0 || part >= 1) return DATA.speech[part ? "always" : "never"];
  if (part < 1e-6) return casesOf("chance", part, 1000000);
  return part < 0.01 ? ofWords("chance", 1, even(1 / part)) : casesOf("chance", part, 100);
}

function outOf(part) {
  return part > 0 && part < 0.01 ? 1000 : 100;
}

function shortened(text, most) {
  const letters = Array.from(text);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

function quotedText(text) {
  // A text as Python's repr shows it, cut where it is long; what cannot be seen by its number.
  const cut = shortened(text, 78), mark = cut.includes("'") && !cut.includes('"') ? '"' : "'";
  const plain = cut.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`).replace(/(?! )[\p{C}\p{Z}]/gu, (letter) => {
    const code = letter.codePointAt(0).toString(16), named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[letter];
    return named ?? (code.length > 4 ? `\\U${code.padStart(8, "0")}` : code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`);
  });
  return shortened(mark + plain + mark, 80);
}

function methodWords({ method, parameters }) {
  // How a table was made, as its publisher tells: `subject._card_words` in the page.
  const words = ownOf(DATA.words.methods, method), parts = [method.replaceAll("_", " ")];
  for (const [name, value] of Object.entries(parameters)) {
    const phrase = words && ownOf(DATA.words.parameters, name);
    if (!saysSomething(value)) continue;
    parts.push(phrase && Number.isInteger(value) ? filled(phrase, { value }) : `${name.replaceAll("_", " ")}: ${parameterWords(value)}`);
  }
  return words ? `${words} (${parts.join("; ")}).` : `${parts.join("; ")}.`;
}

function ownOf(named, name) { return Object.hasOwn(named, name) ? named[name] : null; }

function saysSomething(value) {
  return value !== null && (typeof value !== "object" || Object.keys(value).length > 0);
}

function parameterWords(value) {
  const told = (part) => part !== null;
  if (Array.isArray(value)) return value.filter(told).map(parameterWords).join(", ");
  if (value !== null && typeof value === "object")
    return Object.entries(value).filter(([, part]) => told(part)).map(([name, part]) => `${name} ${parameterWords(part)}`).join(", ");
  if (typeof value === "boolean") return DATA.words[value ? "yes" : "no"];
  if (typeof value !== "number") return String(value);
  return local(Number.isInteger(value) ? cellText(value) : digits(value, 4));
}

function shownAs(value, form) {
  if (form === "places") return count(value, DATA.speech.places.split("/"));
  if (form === "share") return share(value, outOf(value));
  if (form === "chance") return chanceWords(value);
  if (form === "term") return DATA.speech.terms[value] ?? value;
  if (form) return count(value, form.includes("/") ? form.split("/") : [form, `${form}s`]);
  if (typeof value === "string") return dateWords(value);
  return typeof value === "number" ? local(commas(String(value))) : joined(value.map(dateWords));
}

function filled(text, told) {
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, form) => {
    if (told[name] === undefined) throw new Error(`a sentence lacks ${name}`);
    return shownAs(told[name], form);
  });
}

function entry(name) {
  const found = DATA.sentences[name];
  if (!found) throw new Error(`there is no sentence ${name}`);
  return found;
}

function said(name, told = {}) {
  return filled(entry(name).text, told);
}

function say(name, told = {}) {
  return { key: entry(name).key, text: said(name, told), because: filled(entry(name).when, told) };
}

function better() {
  // Who may guess better than a chance that takes all links of a group as equally likely.
  return DATA.speech.rests[DATA.release.better ?? (DATA.release.bySecrets ? "repeater" : "learner")];
}

function head(name, told = {}) {
  // A headline, how many of 100 people it speaks of, and that share where it counts otherwise.
  const { state, likely } = entry(name), parts = likely.split(" ").filter(Boolean).map((part) => {
    const [above, below = 1] = part.split("/").map((one) => told[one] ?? Number(one));
    return above / below;
  });
  const of100 = (part) => (part === 0 || part === 1 ? 100 * part : Math.min(Math.max(even(100 * part), 1), 99));
  const text = said(name, told), written = likely.includes("/") ? shownAs(parts[0], "share") : "";
  const doubt = told.better ? `${told.better[0].toUpperCase()}${told.better.slice(1)}.` : "";
  return { name, state, text, people: parts.map(of100), share: written, better: doubt };
}

function figure(name, told = {}) {
  return { value: filled(entry(name).value, told), words: said(name, told) };
}
