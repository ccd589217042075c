// What a generalized table tells of one person: the records that fit her, and what they show.

const SURE = 0.9;
const RESTS_ON_ALL = ["G5", "G6", "G7", "G8"];  // sentences that no record left out may contradict

function checkGeneralized(record, options) {
  const { release } = DATA, known = givenValues(record, "quasi"), own = givenValues(record, "sensitive");
  if (!known.size) throw new Refused(uiWords("empty"), null);
  const columns = [...known.keys()];
  if (!release.covers && columns.every((column) => column.several === null)) {
    const titles = release.columns.filter((c) => c.several).map((c) => c.title);
    throw new Refused(uiWords("as-single", { titles }), null);
  }
  const fits = { release, known, columns, own, options };
  fits.rows = fittingRows(known, release.n);
  fits.suppressed = fits.rows.length > 0 && release.hidden > 0 && isHidden(fits.rows[0]);
  fits.shown = release.columns.filter((c) => c.role === "sensitive")
    .map((column) => shownOf(column, fits)).filter((part) => part !== null);
  fits.unread = columns.filter((column) => column.unread !== null);
  fits.unnamed = columns.filter((column) => isUnnamed(column, known.get(column)));
  const given = new Set([...known.keys()].map(({ name }) => name));
  const left = release.schema.filter(({ name }) => !given.has(name));
  return assembled(GENERALIZED, fits, columns, left.map((c) => c.title));
}

function isHidden(row) {
  // Whether a record was suppressed: nothing but the widest cell in all that others may know.
  const known = DATA.release.columns.filter((column) => column.role === "quasi");
  return DATA.release.hidden > 0 && known.every((column) => column.isHidden.has(column.code[row]));
}

function fittingRows(known, n, apart = true) {
  // The records that she fits; suppressed ones fit almost anyone, and count where no other fits if they
  // are kept apart.
  const parts = [...known].map(([column, value]) => [column.code, column.mayBe(value)]);
  const rows = [], seen = [];
  for (let row = 0; row < n; row++)
    if (parts.every(([code, may]) => may[code[row]])) {
      rows.push(row);
      if (!isHidden(row)) seen.push(row);
    }
  return apart && seen.length ? seen : rows;
}

function countedValues(column, rows) {
  // How often each value occurs, the most frequent first and equals by name.
  const counts = new Map();
  for (const row of rows) {
    const code = column.code[row];
    if (code !== column.none) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const named = [...counts].map(([code, count]) => [column.shown(code), count]);
  return new Map(named.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : a > b ? 1 : 0)));
}

function shownOf(column, { rows, own, release }) {
  const here = countedValues(column, rows);
  if (!here.size) return null;
  const everywhere = remembered("values", [column], () => countedValues(column, allRows(release.n)));
  const values = [...here.keys()], shown = [...here.values()].reduce((sum, count) => sum + count);
  const part = { column, here, everywhere, values, top: valueWords(values[0], column), count: here.get(values[0]) };
  part.alike = values.filter((value) => here.get(value) === part.count).length;
  part.fitting = rows.length;
  part.gaps = rows.length - shown;
  part.shareHere = (value) => (here.get(value) ?? 0) / rows.length;
  part.shareEverywhere = (value) => (everywhere.get(value) ?? 0) / release.n;
  part.share = part.shareHere(values[0]);
  part.group = column.tree && !part.gaps && here.size > 1 ? column.cover(values) : null;
  part.own = own.has(column) ? shownOwn(own.get(column), column) : null;
  return part;
}

function allRows(n) { return Int32Array.from({ length: n }, (_, row) => row); }

function* generalizedHeads(fits) {
  const { rows, unread, unnamed, shown, release: { certain } } = fits, count = rows.length;
  if (!count) yield head(`generalized.${certain ? "none-fits" : "untold-none"}`);
  if (unnamed.length) yield head("generalized.unnamed", { values: unnamedWords(fits) });
  if (certain && count === 1 && !unread.length) yield setAside(fits, head("generalized.only-one"));
  if (certain && count !== 1)
    for (const warning of generalizedWarnings(shown, count, unread))
      yield warning.name === "generalized.guesses" ? warning : setAside(fits, warning);
  if (unread.length) yield head("generalized.unread", { columns: unreadWords(unread) });
  if (fits.suppressed) yield head("generalized.only-suppressed");
  if (!certain) yield head("generalized.untold", { count });
  for (const warning of tableWarning(fits)) yield setAside(fits, warning);
  const best = shown.reduce((a, b) => (a && a.share >= b.share ? a : b), null);
  if (best) yield head("generalized.no-warning-guess", { ...best, title: best.column.title, better: better() });
  yield head("generalized.no-warning", { count });
}

function mayBeHidden({ release, suppressed }) {
  // Whether her record may be a suppressed one though others fit her.
  return release.hidden > 0 && !release.byClass && !suppressed;
}

function setAside(fits, told) {
  // What holds only if her record is none of the suppressed, which may be anybody's.
  return mayBeHidden(fits) ? { ...told, text: said("generalized.aside", { said: told.text }) } : told;
}

function* generalizedWarnings(shown, count, unread) {
  for (const part of shown) {
    const told = { title: part.column.title, top: part.top, count, shown: part.count };
    if (part.share === 1) yield head("generalized.learns", told);
    else if (part.share >= SURE && SURE > part.shareEverywhere(part.values[0]) && !unread.length)
      yield head("generalized.guesses", told);
  }
  for (const { column, group } of shown)
    if (group !== null) yield head("generalized.learns-kind", { title: column.title, group: valueWords(group, column), count });
}

function classesOf({ release }) {
  // By record its class, and by class its size; by sensitive column the classes that are exposed.
  return remembered("classes", [], () => {
    const quasi = release.columns.filter((column) => column.role === "quasi");
    const { labels, classes } = numbered(quasi, release.n), sizes = new Int32Array(classes);
    const first = new Int32Array(classes).fill(-1);
    for (let row = 0; row < release.n; row++) {
      sizes[labels[row]]++;
      if (first[labels[row]] < 0) first[labels[row]] = row;
    }
    const told = new Map([[null, Int32Array.from(sizes, (size, at) => (size === 1 ? at : -1))]]);
    for (const column of release.columns.filter((c) => c.role === "sensitive"))
      told.set(column, shownAlone(column, labels, first));
    return { labels, sizes, exposed: exposedOf(told, quasi, first) };
  });
}

function shownAlone(column, labels, first) {
  // The one known value that each class shows; -1 where it shows none, or several.
  const found = Int32Array.from(first, (row) => (column.blank(row) ? -1 : column.code[row]));
  for (let row = 0; row < labels.length; row++)
    if (column.code[row] !== column.code[first[labels[row]]]) found[labels[row]] = -1;
  return found;
}

function exposedOf(told, quasi, first) {
  // The classes that tell one thing, and so do all others that their people may fit, whatever
  // their values are; suppressed records fit almost anyone and are no class.
  const seen = [...first.keys()].filter((at) => !isHidden(first[at]));
  const meeting = meetingClasses(quasi, seen.map((at) => first[at]));
  return new Map([...told].map(([column, shown]) => {
    const exposed = new Uint8Array(first.length);
    seen.forEach((at, own) => {
      const unlike = (other) => shown[seen[other]] !== shown[at];
      exposed[at] = shown[at] >= 0 && !(meeting && some(meeting(own), unlike)) ? 1 : 0;
    });
    return [column, exposed];
  }));
}

function* tableWarning(fits) {
  // How many people's record or sensitive value can be read off, where any can.
  const { labels, sizes, exposed } = classesOf(fits);
  let worst = { people: 0 };
  for (const column of [null, ...fits.shown.map((part) => part.column)]) {
    const people = exposed.get(column).reduce((sum, one, at) => sum + one * sizes[at], 0);
    if (people > worst.people) worst = { people, exposed: exposed.get(column), column };
  }
  if (!worst.people) return;
  const hers = fits.rows.reduce((sum, row) => sum + worst.exposed[labels[row]], 0);
  const among = said(`generalized.${hers ? (hers === 1 ? "one" : "several") : "none"}-among`,
    { count: hers });
  const told = { people: worst.people, records: fits.release.n, hers: among };
  yield worst.column === null ? head("generalized.table-picked-out", told) :
    head("generalized.table-gives-away", { ...told, title: worst.column.title });
}

function unreadWords(unread) {
  return unread.map(({ name, unread: label }) => said("generalized.unread-label", { name, label }));
}

function unnamedWords({ unnamed, known }) {
  // Which of her values stand on no label.
  return unnamed.map((column) =>
    said("generalized.unnamed-value", { title: column.title, own: quotedText(known.get(column)) }));
}

function generalizedFigures({ rows, unread, unnamed, shown: [first], release }) {
  const count = rows.length, fit = unread.length || unnamed.length ? "may-fit" : count === 1 ? "fits" : "fit";
  const found = [figure(`generalized.figure-${fit}`, { count })];
  if (!count || !first) return [...found, figure("common.figure-published", { records: release.n })];
  return [
    ...found,
    figure("generalized.figure-values", { values: first.here.size, title: first.column.title }),
    figure(`generalized.figure-top${first.alike > 1 ? "-tied" : ""}`, first),
  ];
}

function* generalizedSentences(fits, headline) {
  const { release, columns, unread, unnamed } = fits;
  const taken = release.untold ? columns.filter((column) => column.several !== null) : [];
  if (taken.length) {
    const cells = taken.map(({ name, several: cell }) => said("generalized.taken-cell", { name, cell }));
    yield say("generalized.taken", { columns: cells });
  }
  if (unread.length) yield say("generalized.unread", { columns: unreadWords(unread) });
  if (fits.rows.length && unnamed.length) yield say("generalized.unnamed", { values: unnamedWords(fits) });
  if (fits.rows.length && !unnamed.length) yield* fittingSentences(fits);
  if (release.certain && !unnamed.length) {
    for (const part of fits.shown)
      for (const told of shownSentences(part)) {
        const same = told.key === "G3" && part.share === 1 && fits.rows.length > 1;
        yield RESTS_ON_ALL.includes(told.key) || same ? setAside(fits, told) : told;
      }
    if (release.hidden) yield suppressedSentence(fits);
  }
  if (headline.state !== "warning-you") yield say("common.no-conclusion");
}

function* fittingSentences(fits) {
  const { rows, unread, release } = fits, count = rows.length, told = { count, records: release.n };
  if (unread.length) {
    yield say(`generalized.at-most-${count === 1 ? "one" : "several"}`, told);
    return;
  }
  if (!release.certain) {
    yield say(`generalized.untold-${count === 1 ? "one" : "several"}`, told);
    return;
  }
  const unless = mayBeHidden(fits) ? "-unless" : "";
  yield say(`generalized.${count === 1 ? "fits" : "fit"}${unless}`, told);
  if (count === 1) yield setAside(fits, say("generalized.picked-out"));
  else yield say("generalized.cannot-pick", { guess: 1 / count });
  const sample = fits.suppressed ? null : estimateAlike(fits);
  if (sample) yield say("generalized.sample", sample);
}

// How many people of the population fit as she does, where the table is a sample of it.
function estimateAlike(fits) {
  const { rows, release } = fits, count = rows.length, z = 1.959963984540054;
  const { population = "", weights = "" } = release.about ?? {}, people = Number(population);
  if (!/^[0-9]{1,12}$/.test(population) || people < release.n) return null;
  const ends = weights.match(/^([0-9]{1,9}) to ([0-9]{1,9})$/);
  const [least, most] = ends ? [Number(ends[1]), Number(ends[2])] :
    [Math.floor(people / release.n), Math.ceil(people / release.n)];
  if (!(least >= 1 && least <= most)) return null;
  const others = count - 1, more = count + 1 + (mayBeHidden(fits) ? release.hidden : 0);
  const down = others ? 1 - 1 / (9 * others) - z / (3 * Math.sqrt(others)) : 0;
  const up = 1 - 1 / (9 * more) + z / (3 * Math.sqrt(more));
  const low = roundToTwo(Math.max(count, 1 + least * others * down * down * down), 0);
  const high = roundToTwo(Math.min(people, 1 + most * more * up * up * up), 1);
  const likely = Math.min(Math.max(roundToTwo(count * people / release.n, 0.5), low), high);
  return { population: people, likely, low, high, least, most };
}

function roundToTwo(value, up) {
  let step = 1;
  while (value / step >= 100) step *= 10;
  return (up === 1 ? Math.ceil(value / step) : Math.floor(value / step + up)) * step;
}

function* shownSentences(part) {
  const { title } = part.column, { top, here, fitting } = part, count = fitting;
  if (fitting === 1) yield say("generalized.shows", { title, top });
  else if (part.share === 1) yield say("generalized.show-the-same", { title, top, count });
  else {
    const name = part.alike > 1 ? "one-of-the-most-frequent" : "most-frequent";
    yield say(`generalized.${name}`, { ...part, title, better: better() });
  }
  yield* gainSentence(part);
  if (part.group !== null) yield say("generalized.of-one-kind", { title, group: valueWords(part.group, part.column) });
  if (part.gaps) return;  // a record that shows none may be hers
  const values = here.size;
  if (values === 2) yield say("generalized.two-values", { title });
  if (values > 2) yield say("generalized.several-values", { title, values, others: values - 1 });
  if (part.own !== null) yield* ownSentence(part);
}

function* gainSentence({ column, values, shareHere, shareEverywhere }) {
  const gain = (value) => shareHere(value) - shareEverywhere(value);
  const value = values.reduce((best, other) => (gain(other) > gain(best) ? other : best));
  const here = shareHere(value), everywhere = shareEverywhere(value);
  const written = (part) => share(part, outOf(part));
  if (1 > here && here > everywhere && written(here) !== written(everywhere))
    yield say("generalized.gains", { value: valueWords(value, column), here, everywhere });
}

function* ownSentence({ own, here, everywhere, fitting, column }) {
  const told = { title: column.title, own: valueWords(own, column) };
  if (!here.has(own)) yield say("generalized.own-absent", told);
  else if (everywhere.get(own) === 1) yield say("generalized.own-once", told);
  else if (here.get(own) === 1 && fitting > 1) yield say("generalized.own-among", told);
}

function suppressedSentence({ release, suppressed, unread }) {
  const number = release.hidden === 1 ? "one" : "several";
  const hidden = said(`generalized.hidden-${number}`, { count: release.hidden });
  if (suppressed && !unread.length) return say("generalized.hidden-only", { hidden });
  return say(`generalized.hidden-${release.byClass ? "others" : "perhaps"}`, { hidden });
}

function* generalizedNotes({ columns, shown }) {
  const names = columns.filter((column) => column.empty).map((column) => column.title);
  if (names.length) yield said("generalized.empty-column", { names });
  for (const { gaps, column } of shown)
    if (gaps) yield said("generalized.gaps", { count: gaps, title: column.title });
}

function generalizedUnmet({ rows, shown, options: { k = null, ell = null } }) {
  const count = rows.length, few = [];
  if ((k === null && ell === null) || !count || (k === null && !shown.length)) return null;
  if (k !== null && count < k) few.push(said("generalized.too-few", { count, required: k }));
  for (const { column, here } of shown)
    if (ell !== null && here.size < ell)
      few.push(said("generalized.too-alike",
        { title: column.title, values: here.size, required: ell }));
  return few;
}

function generalizedTables({ known, rows, shown, release }) {
  const attributes = [...known].map(([column, value]) => {
    const cells = [...new Set(Array.from(rows, (row) => column.code[row]))];
    const name = (code) => (code === column.none ? "missing" : column.shown(code));  // one order in all languages
    const order = cells.sort((a, b) => (name(a) < name(b) ? -1 : 1)), may = column.mayBe(value);
    const found = order.map((code) => column.shown(code));
    let alone = 0;
    for (let row = 0; row < release.n; row++) if (may[column.code[row]]) alone++;
    return { attribute: column.title, own: shownOwn(value, column), published: found, alone };
  });
  const values = shown.flatMap((part) => part.values.map((value) => ({
    attribute: part.column.title, value, records: part.here.get(value),
    here: 100 * part.shareHere(value), everywhere: 100 * part.shareEverywhere(value),
  })));
  return { attributes, values };
}

const GENERALIZED = {
  fitting: ({ rows }) => rows.length,
  heads: generalizedHeads, figures: generalizedFigures, sentences: generalizedSentences,
  notes: generalizedNotes, unmet: generalizedUnmet, tables: generalizedTables,
};
