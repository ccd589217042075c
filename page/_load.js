// Take the release out of the page: words as JSON, values as bytes plane by plane, gzip and base64.

function uiWords(name, told = {}) {
  return filled(DATA.words[name], told);
}

function firstLanguage() {
  // The first language of the browser that the page has; else English.
  const wanted = navigator.languages.map((name) => name.toLowerCase().split("-")[0]);
  return wanted.find((name) => Object.hasOwn(DATA.languages, name)) ?? "en";
}

function speak(name) {
  DATA.speech = DATA.languages[name];
  DATA.sentences = DATA.speech.sentences;
  DATA.words = DATA.speech.words;
  DATA.spoken = name;
}

async function load(facts, languages) {
  // What the page is told, and how it speaks.
  Object.assign(DATA, JSON.parse(facts));
  DATA.languages = JSON.parse(new TextDecoder().decode(await unpacked(languages)));
  speak(DATA.language ?? firstLanguage());
}

async function opened(facts, text) {
  // A release with its columns, from what is said about them and their packed values.
  const bytes = await unpacked(text);
  let at = 0;
  const columns = facts.columns.map((told) => {
    const ends = told.arrays.map(([count, width, joined]) => {
      at += width * count;
      const found = planes(bytes, at - width * count, count, width);
      return width === 8 ? new Float64Array(found.buffer) : summed(numbers(found, count), joined);
    }), code = ends.pop();
    if (facts.kind === "masked") return new (told.unordered ? Related : Published)(told, ends[0], code);
    if (facts.kind === "indexed") return new Bucketed(told, ends, code);
    return told.role === "group" ? { ...told, code } : new Labelled(told, ends, code);
  });
  const of = (role) => columns.filter((column) => column.role === role), learned = {};
  for (const [name, lesson] of Object.entries(facts.learned ?? {})) learned[name] = await lessonIn(lesson);
  if (["masked", "indexed"].includes(facts.kind)) return { ...facts, columns };
  if (facts.kind === "graph") return graphOf(facts, await Promise.all(facts.names.map(namesIn)), columns);
  const groups = typeof facts.groups === "string" ? await namesIn(facts.groups) : Array.from({ length: facts.groups }, (_, group) => String(group + 1));
  return { ...facts, learned, groups, columns: [...of("quasi"), ...of("sensitive")], group: of("group") };
}

async function lessonIn(text) {
  // What the whole table teaches, in thousandths; of one half of its groups what was packed, in
  // hundredths less the whole.
  const bytes = await unpacked(text), end = bytes.indexOf(10), lesson = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const count = (bytes.length - end - 1) / 2, all = numbers(planes(bytes, end + 1, count, 2), count);
  const { width, columns } = lesson;
  for (const [name, cuts] of Object.entries(columns))
    if (Number.isInteger(cuts)) columns[name] = Array.from({ length: cuts }, (_, cut) => cut + 1);
  const sizes = Object.values(columns).map((cuts) => cuts.length + 1);
  let at = 0;
  const taken = () => sizes.map((lines) => {
    const part = all.subarray(at, at += lines * width);
    return Int32Array.from(part, (_, place) => {
      const kept = part[place % width * lines + Math.floor(place / width)];
      return kept % 2 ? (kept + 1) / 2 : -kept / 2;
    });
  });
  const tables = taken(), whole = (part, column) => part.map((less, place) => 10 * (less + Math.floor(tables[column][place] / 10)));
  return { ...lesson, tables, others: lesson.others.map((some) => (some ? taken().map(whole) : null)) };
}

async function namesIn(text) { return new TextDecoder().decode(await unpacked(text)).split("\0"); }

async function unpacked(text) {
  return inflated(fromBase64(text.trim()), "gzip");
}

async function inflated(packed, format, length = null) {
  // What was packed; where its length is told, it has it, and no more is unpacked.
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream(format));
  if (length === null) return new Uint8Array(await new Response(stream).arrayBuffer());
  const found = new Uint8Array(length), reader = stream.getReader();
  let at = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (at + part.value.length > length) {
      await reader.cancel();
      throw broken();
    }
    found.set(part.value, at);
    at += part.value.length;
  }
  if (at !== length) throw broken();
  return found;
}

function fromBase64(text) {
  const plain = atob(text), bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
  return bytes;
}

function planes(bytes, begin, count, width) {
  // All first bytes stand together, then all second ones: put them side by side again.
  const found = new Uint8Array(count * width);
  for (let k = 0; k < width; k++)
    for (let i = 0, from = begin + k * count; i < count; i++) found[i * width + k] = bytes[from + i];
  return found;
}

function summed(steps, joined) {
  // Numbers of which the steps from one to the next were packed.
  if (!joined) return steps;
  const [start, modulus, divisor] = joined, found = new (modulus ? Int32Array : Float64Array)(steps.length);
  for (let at = 0, sum = start; at < steps.length; at++) found[at] = (sum = modulus ? (sum + steps[at]) % modulus : sum + steps[at]) / divisor;
  return found;
}

function numbers(bytes, n) {
  const width = bytes.length / n, found = new Int32Array(n);
  for (let i = 0; i < n; i++)
    for (let k = width - 1; k >= 0; k--) found[i] = found[i] * 256 + bytes[i * width + k];
  return found;
}
