// What several tables tell of one person together: each leaves some of her sensitive values open, and
// hers is among those that all of them do, if she is in every one.

const WORST = ["warning-you", "warning-table", "cannot-tell", "no-warning"], BY_VALUES = ["generalized", "split"];

function checkTogether(releases, record, options) {
  // What each release says alone, and what all of them leave of her sensitive values.
  const parts = releases.map((release) => inTurn(release, () => {
    const { known } = understood(record), coarse = release.schema.find(({ name }) =>
      (record.get(name) ?? "").trim() && !release.columns.some((column) => column.name === name));
    if (coarse) throw new Refused(uiWords("coarse", coarse), coarse.name);
    return { release, known, report: checkAlone(record, options) };
  }));
  const names = new Set(parts.flatMap(({ release }) => sensitiveOf(release).map((column) => column.name)));
  const found = [...names].map((name) => parts.filter((part) => ruling(part.release, name)).map((part) => [part, ruling(part.release, name)]))
    .filter((shown) => shown.length > 1).map((shown) => leftOpen(shown, releases.length));
  const alone = parts.map(({ report: { state, text } }, at) => ({
    state, name: "together.of-one", ...say("together.of-one", { number: at + 1, count: parts.length, said: text }),
  }));
  const heads = [...found.map(leftHead), ...alone];
  const { name, state, text } = heads.reduce((a, b) => (WORST.indexOf(b.state) < WORST.indexOf(a.state) ? b : a));
  const met = metByAll(parts, found, options), idle = parts.filter(({ release }) => ![...names].some((one) => ruling(release, one)));
  const asked = parts.map(({ release, known }) => release.columns.filter((column) => column.role === "quasi" && (known.get(column.name) ?? "").trim()));
  const titles = new Map(asked.flat().map((column) => [column.name, column.title]));
  const others = new Map(releases.flatMap(({ schema }) => schema.filter((column) => !titles.has(column.name)).map((c) => [c.name, c.title])));
  return {
    name, state, text, met, tag: DATA.speech.tags[state], people: [], fitting: 1, several: true,
    harm: [...new Set(parts.flatMap(({ report }) => report.harm))],
    figures: found.filter((left) => !left.free).map((left) => figure("together.figure-left", left.told)),
    sentences: [
      say("together.count", { count: parts.length }), ...(found.length ? [] : [say("together.nothing")]), ...found.flatMap((left) => [...leftSentences(left)]),
      ...(found.length && idle.length ? [say("together.idle", { idle: idle.length, count: parts.length })] : []),
      ...alone.map(({ key, text: told, because }) => ({ key, text: told, because })),
      ...(state === "warning-you" ? [] : [say("common.no-conclusion")]), limitsOf([...titles.values()], [...others.values()]),
      ...(met === null ? [] : [say(met ? "common.met" : "together.unmet")]),
    ],
    notes: [...new Set(parts.flatMap(({ report }) => report.notes))],
    tables: { together: found.flatMap(({ column, values, chances, everywhere }) => [...values.keys()].sort((a, b) => chances[b] - chances[a]).slice(0, 100)
      .map((at) => ({ attribute: column.title, value: values[at], here: 100 * chances[at], everywhere: 100 * everywhere[at] }))) },
  };
}

function inTurn(release, work) {
  // Something worked out of one of several releases.
  const kept = DATA.release;
  DATA.release = release;
  try { return work(); } finally { DATA.release = kept; }
}

function sensitiveOf({ columns }) { return columns.filter((column) => column.role === "sensitive"); }

function ruling(release, name) {
  // The sensitive column by which a release rules values out: it promises that they are its people's.
  return release.certain ? sensitiveOf(release).find((column) => column.name === name) : undefined;
}

function leftBy(release, known, column) {
  // By value the chance that it is hers by one release alone; null where any may be.
  const given = givenValues(known, "quasi"), columns = [...given.keys()], found = new Map();
  const add = (code, chance) => found.set(code, (found.get(code) ?? 0) + chance);
  if (release.kind === "split") {
    const { groups, weights } = groupsOf(columns, columns.map((one) => soleCell(one, given.get(one)))), contents = contentsOf(column);
    groups.forEach((group, at) => contents[group].forEach(([code, count]) => add(code, weights[at] * count / groupSizes()[group])));
  } else {
    const rows = fittingRows(given, release.n, release.byClass);
    for (const row of rows) add(column.code[row], 1 / rows.length);
  }
  return found.has(column.none) ? null : new Map([...found].map(([code, chance]) => [column.shown(code), chance]));
}

function shareEverywhere(column) {
  // How frequent each value is in a release; null where some are missing.
  const found = new Map(), { code, none } = column;
  for (const at of code) found.set(at, (found.get(at) ?? 0) + 1);
  return found.has(none) ? null : new Map([...found].map(([at, count]) => [column.shown(at), count / code.length]));
}

function leftOpen(shown, count) {
  // What all releases leave of a column: its values in order, and their chances multiplied, weighed
  // against how frequent each is, so that what two releases say alike counts once.
  const [[, column]] = shown, parts = shown.map(([{ release, known }, hers]) => inTurn(release, () => leftBy(release, known, hers)));
  const shares = shown.map(([, hers]) => shareEverywhere(hers)).filter(Boolean);
  const frequent = (value) => (shares.length ? sumOf(shares.map((part) => part.get(value) ?? 0)) / shares.length : 1);
  const both = (one, two) => new Map([...one].filter(([value]) => two.has(value))
    .map(([value, chance]) => [value, chance * two.get(value) / (frequent(value) || 1)]));
  const found = parts.reduce((one, two) => (one && two ? both(one, two) : one ?? two)), free = found === null;
  const numeric = shown.every(([, hers]) => hers.kind === "numeric" && !hers.dated);
  const values = [...found?.keys() ?? []].sort((a, b) => (numeric ? Number(a) - Number(b) : a < b ? -1 : 1)), total = sumOf([...found?.values() ?? []]);
  const even = (chance) => Math.max(Math.round(chance * 1e12) / 1e12, 1e-12);  // so that equal ones stay equal
  const chances = values.map((value) => (values.length === 1 ? 1 : even(found.get(value) / total))), everywhere = values.map(frequent);
  const surest = Math.max(0, ...chances), top = chances.indexOf(surest), few = parts.filter(Boolean).map((part) => part.size);
  const told = { title: column.title, values: values.length, count, fewest: Math.min(...(few.length ? few : [0])) };
  if (values.length) Object.assign(told, { value: valueWords(values[top], column), surest, everywhere: everywhere[top], alike: chances.filter((one) => one === surest).length });
  const given = shown.map(([{ release, known }, hers]) => inTurn(release, () => givenValues(known, "sensitive").get(hers)));
  const at = given.findIndex((value) => value !== undefined), own = at < 0 ? null : shownOwn(given[at], shown[at][1]);
  return { column, free, values, chances, everywhere, told, own, hers: own === null ? null : valueWords(own, column) };
}

function leftName({ free, values }) {
  return `together.${free ? "all-open" : ["none-left", "one-value"][values.length] ?? "several-values"}`;
}

function leftHead(left) {
  // What may stand first of a column.
  const { free, values, told } = left, sure = !free && told.surest >= SURE && SURE > told.everywhere;
  if (!free && !values.length) return { ...head(leftName(left), told), state: "cannot-tell" };
  const name = sure && values.length > 1 ? "together.likeliest" : leftName(left);
  return { ...head(name, told), state: sure || (!free && values.length === 1) ? "warning-you" : "no-warning" };
}

function* leftSentences(left) {
  const { free, values, chances, told, own, hers } = left, place = values.indexOf(own);
  yield say(leftName(left), told);
  if (free || !values.length) return;
  if (values.length > 1) yield say(`together.${told.alike === 1 ? "likeliest" : "one-of-the-likeliest"}`, told);
  if (own !== null && place < 0) yield say("together.own-absent", { title: told.title, own: hers });
  else if (own !== null && values.length > 1) yield say("together.own", { title: told.title, own: hers, here: chances[place] });
}

function metByAll(parts, found, { ell = null }) {
  // Whether each release meets what she requires, and all together what can be asked of them.
  const judged = parts.map(({ report }) => report.met), bounded = found.filter(({ free }) => ell && !free);
  if (judged.includes(false) || bounded.some(({ values, told }) => values.length < ell || told.surest * ell - 1 > 1e-12)) return false;
  return judged.includes(null) ? null : true;
}

async function readOthers(files) {
  // The tables that were given besides: by their pages or, where this page reads files, by these.
  const pages = files.filter(({ name }) => /\.html?$/i.test(name)), rest = files.filter((file) => !pages.includes(file)), found = [];
  for (const file of pages) found.push(await releaseOfPage(file));
  if (rest.length) found.push(await releaseOfFolder(rest));
  const all = [DATA.release, ...found], names = new Set(all.flatMap(sensitiveOf).map(({ name }) => name));
  for (const name of names) {  // values can be compared that stand alone in their cells, and are written alike
    const shown = all.map((release) => ruling(release, name)).filter(Boolean);
    if (shown.length > 1 && shown.some(({ exact, dated }) => !exact || dated !== shown[0].dated)) throw noOther(files);
  }
  DATA.others = found;
  return seen();
}

function noOther([{ name }]) { return refused("others-refused", { name }, "others"); }

async function releaseOfPage(file) {
  const text = await file.text(), part = (kind, id) => text.split(`type="${kind}" id="${id}">`)[1]?.split("<\/script>")[0];
  try {
    const { packed, release } = JSON.parse(part("application/json", "facts"));
    if (packed === DATA.packed && BY_VALUES.includes(release.kind)) return await opened(release, part("text/plain", "values"));
  } catch { /* no page, or one of another make */ }
  throw noOther([file]);
}

async function releaseOfFolder(files) {
  if (!DATA.empty || !files.some(({ name }) => name.endsWith("datapackage.json"))) throw noOther(files);
  const held = new Map();
  for (const file of files) held.set(file.name, new Uint8Array(await file.arrayBuffer()));
  const release = await releaseIn(held, null);
  if (!BY_VALUES.includes(release.kind)) throw noOther(files);
  return release;
}
