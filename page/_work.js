// Where answers are worked out: in a worker made of this program's own text, so that the page never
// stands still; where a browser makes none, in the page itself, by the same functions.

const ALONE = typeof document === "undefined", OWN = ALONE ? "" : document.currentScript.textContent;
const PATIENCE = 10000, MOST_MATCHES = 11;

// What the screen may ask.
const WORK = {
  load,
  unpack: (values) => held(() => opened(DATA.release, values)),
  read: (files) => held(() => readFiles(files)),
  tell: ({ missing, words, ...told }) => held(() => bareRelease(bareRead(Object.assign(DATA.bare, told), missing, words))),
  others: readOthers,
  speak: (name) => { speak(name); return seen(); },
  check: (record, options) => {
    const report = check(record, options);
    return report.matches ? { ...report, matches: report.matches.slice(0, MOST_MATCHES) } : report;
  },
};

async function held(work) {
  // What is seen of a release; else of what was given, with one sentence on why there is none.
  try {
    DATA.release = await work();
  } catch (error) {
    if (!DATA.empty) throw error;
    DATA.release = null;
    const { name, told } = error instanceof Refused ? error : { name: "fault", told: { reason: error.message } };
    return { ...seen(), wrong: { name, told } };
  }
  return seen();
}

async function readFiles(files) {
  [DATA.files, DATA.bare, DATA.others] = [new Map(), null, []];
  for (const file of files) DATA.files.set(file.name, new Uint8Array(await file.arrayBuffer()));
  return releaseIn(DATA.files);
}

function seen() {
  // What the screen shows of a release, and asks of a table of which nothing is told: few values.
  const { release, bare } = DATA;
  return { release: release && seenTogether([release, ...DATA.others ?? []]), bare: bare && seenBare(bare), wrong: null };
}

function seenTogether(releases) {
  // What is seen of a release, and what others given with it ask for besides.
  const parts = releases.map(seenRelease), [first] = parts, kinds = parts.map(({ kind }) => kind);
  const once = (lists) => lists.flat().filter(({ name }, at, all) => all.findIndex((one) => one.name === name) === at);
  const permuted = parts.some((part) => part.permuted), kind = kinds.every((one) => one === first.kind) ? first.kind : "split";
  return { ...first, kind, permuted, columns: once(parts.map((part) => part.columns)), schema: once(parts.map((part) => part.schema)) };
}

function seenRelease({ about = {}, kind, n, method, parameters, links, permuted, schema, columns, certain, learned }) {
  const titles = schema.map(({ name, title }) => ({ name, title }));
  const told = method ? methodWords({ method, parameters }) : "";
  const facts = { about, kind, n, told, links, permuted, certain, learned: Boolean(learned) };
  return { ...facts, schema: titles, columns: columns.map(seenColumn) };
}

function seenColumn(column) {
  // A column with its ends where it is ranked, or else with the first of its cells.
  const { name, title, unit, kind, role, categories, strict, ordered, dated } = column;
  const facts = { name, title, unit, kind, role, categories, strict, dated, known: column.known, offered: offeredBy(column), listed: Boolean(column.tree) && !column.ordered };
  if (ordered && !column.unordered) return { ...facts, ends: [ordered[0], ordered.at(-1)].map((end) => column.written(end)) };
  const finite = column.low && !column.read ? [...column.low, ...column.high].filter(Number.isFinite) : [];
  if (finite.length) {
    const ends = [Math.min, Math.max].map((of) => finite.reduce((a, b) => of(a, b)));
    return { ...facts, ends: ends.map(dated ? dateText : writtenNumber) };
  }
  const codes = Array.from({ length: Math.min(column.none, 3) }, (_, code) => code);
  return { ...facts, cells: codes.map((code) => column.shown(code)), more: column.none > 3 };
}

function seenBare({ columns, notes, missing, roles, orders, promise }) {
  const kinds = columns.map(({ name, numbers, dated, wordy, doubtful }) => ({ name, wordy, doubtful, textual: !numbers && !dated }));
  return { columns: kinds, notes, missing, roles, orders, promise };
}

function listen() {
  // In the worker: one question after the other, an error as what can be sent.
  let last = Promise.resolve();
  const reply = async ([number, name, given]) => {
    try {
      postMessage({ number, value: await WORK[name](...given) });
    } catch (error) {
      const known = error instanceof Refused;
      postMessage({ number, error: { ...error, message: error.message, known } });
    }
  };
  onmessage = ({ data }) => { last = last.then(() => reply(data)); };
}

function newWorker() {
  // The one address that a script may come from is that of this program's own text.
  const address = URL.createObjectURL(new Blob([OWN], { type: "text/javascript" }));
  const policy = globalThis.trustedTypes?.createPolicy("verikit", { createScriptURL: () => address });
  return new Worker(policy ? policy.createScriptURL("") : address);
}

function askerOf(worker) {
  // Questions by number, each with who waits for its answer.
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({ data: { number, value, error } }) => {
    const { resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (error) reject(raised(error));
    else resolve(value);
  };
  worker.onerror = ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message));
  };
  return (name, ...given) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    worker.postMessage([last, name, given]);
  });
}

function raised({ message, known, ...more }) {
  return Object.assign(known ? new Refused(message, null) : new Error(message), more);
}

async function here(name, ...given) {
  // In the page itself, after it was drawn.
  await new Promise((drawn) => setTimeout(drawn, 30));
  return WORK[name](...given);
}

async function workplace(...texts) {
  // Who answers: a worker that has taken its texts, or the page.
  let worker = null;
  try {
    worker = newWorker();
    const ask = askerOf(worker), late = new Promise((_, refuse) => setTimeout(refuse, PATIENCE));
    await Promise.race([ask("load", ...texts), late]);
    return ask;
  } catch {
    worker?.terminate();
    return here;
  }
}
