// Words: numbers as Python writes them, and sentences by their key from the one table of sentences.

const DATA = {};  // what `_load.js` takes out of the page: sentences, tags, columns, facts

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

function general(value, most = 6) {
  // f"{value:.6g}"
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return sign + "0";
  let [digits, power] = exactDigits(value);
  let [kept, grew] = rounded(digits, most);
  if (grew) { kept = ("1" + kept).slice(0, most); power += 1; }
  const bare = (text) => text.includes(".") ? text.replace(/\.?0*$/, "") : text;
  if (power < -4 || power >= most) {
    const tail = String(Math.abs(power)).padStart(2, "0");
    return `${sign}${bare(kept[0] + "." + kept.slice(1))}e${power < 0 ? "-" : "+"}${tail}`;
  }
  if (power < 0) return sign + bare("0." + "0".repeat(-power - 1) + kept);
  return sign + bare(kept.slice(0, power + 1) + "." + kept.slice(power + 1));
}

function even(value) {
  // round(value)
  const low = Math.floor(value), rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

function count(number, thing, many) {
  return `${commas(String(number))} ${number === 1 ? thing : many || thing + "s"}`;
}

function joined(parts, last = "and") {
  if (parts.length < 2) return parts[0] ?? "";
  return `${parts.slice(0, -1).join(", ")} ${last} ${parts[parts.length - 1]}`;
}

function share(part, of = 100) {
  const all = commas(String(of));
  if (part > 0 && part < 1 / of) return `fewer than 1 of ${all}`;
  if (1 - 1 / of < part && part < 1) return `more than ${commas(String(of - 1))} of ${all}`;
  return `${commas(String(even(part * of)))} of ${all}`;
}

function chanceWords(part) {
  if (part === 0 || part === 1) return part ? "in all cases" : "in no case";
  if (part < 1e-6) return `in ${share(part, 1000000)} cases`;
  if (part < 0.01) return `in 1 of ${commas(String(even(1 / part)))} cases`;
  return `in ${share(part)} cases`;
}

function outOf(part) {
  return part > 0 && part < 0.01 ? 1000 : 100;
}

function shownAs(value, form) {
  if (form === "places") return count(value, "place");
  if (form === "share") return share(value, outOf(value));
  if (form === "chance") return chanceWords(value);
  if (form) {
    const [one, many] = form.split("/");
    return count(value, one, many);
  }
  if (typeof value === "string") return value;
  return typeof value === "number" ? commas(String(value)) : joined(value);
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

function head(name, told = {}) {
  return { name, state: entry(name).state, text: said(name, told) };
}

function figure(name, told = {}) {
  return { value: filled(entry(name).value, told), words: said(name, told) };
}
