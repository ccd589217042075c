// What two tables joined by groups tell of one person: the groups she may be in, and their values.

function checkSplit(record, options) {
  const { release } = DATA, known = givenValues(record, "quasi"), own = givenValues(record, "sensitive");
  if (!known.size) throw new Refused(uiWords("empty"), null);
  const columns = [...known.keys()];
  const codes = [...known].map(([column, value]) => soleCell(column, value));
  const fits = { release, columns, codes, options, ...groupsOf(columns, codes) };
  fits.people = fits.groups.reduce((sum, group) => sum + groupSizes()[group], 0);
  fits.presence = presenceOf(fits);
  fits.several = fits.counts.reduce((sum, part) => sum + Math.min(...part), 0);
  fits.asks = release.certain && !release.people && fits.several > 1;  // nobody says what a row is
  fits.guesses = release.columns.filter((column) => column.role === "sensitive")
    .map((column) => guessOf(column, fits, own.has(column) ? valueWords(shownOwn(own.get(column), column), column) : null));
  const given = new Set(columns.map((column) => column.name));
  const left = release.schema.filter((column) => !given.has(column.name));
  return assembled(SPLIT, fits, columns, left.map((column) => column.title));
}

function soleCell(column, value) {
  const code = column.cellOf(value);
  if (code < 0 && column.mayBe(value).slice(0, -1).some(Boolean))
    throw new Refused(uiWords("coarse", { title: column.title }), column.name);
  return code;
}

function groupSizes() {
  const { release } = DATA;
  return release.sizes ??= countsOf(release.group[0].code, release.groups.length);
}

function countsOf(codes, length) {
  const found = new Int32Array(length);
  for (const code of codes) found[code]++;
  return found;
}

function groupsOf(columns, codes) {
  // The groups that fit, how often each value stands in them, and how many rows like hers to expect.
  const { permuted, group: [{ code: groups }] } = DATA.release, sizes = groupSizes();
  const rows = allRows(groups.length);
  const rowsWith = (hers) => permuted
    ? columns.map((column, at) => rows.filter((row) => hers(column, at, row)))
    : [rows.filter((row) => columns.every((column, at) => hers(column, at, row)))];
  const counted = (parts) => parts.map((part) => countsOf(part.map((row) => groups[row]), sizes.length));
  const hers = rowsWith((column, at, row) => column.code[row] === codes[at] || column.blank(row)), counts = counted(hers);
  const shown = counted(rowsWith((column, at, row) => column.code[row] === codes[at]));
  const fitting = [...sizes.keys()].filter((group) => counts.every((part) => part[group] > 0));
  const copies = Float64Array.from(fitting, (group) =>
    sizes[group] * counts.reduce((product, part) => product * (part[group] / sizes[group]), 1));
  const total = sumOf(copies);
  return {
    groups: fitting, rows: hers[0], copies, weights: copies.map((part) => part / total),
    counts: fitting.map((group) => counts.map((part) => part[group])),
    shown: fitting.map((group) => shown.map((part) => part[group])),
  };
}

function presenceOf({ groups, shown: counts, release }) {
  // The chance that some record of the data has all her values, without those of missing cells.
  if (!release.permuted) return counts.some(([rows]) => rows) ? 1 : 0;
  let absent = 1;
  groups.forEach((group, at) => { absent *= 1 - presenceChance(groupSizes()[group], counts[at]); });
  return 1 - absent;
}

function presenceChance(size, given) {
  // Column after column is shuffled: how many rows hold all values so far.
  const counts = [...given].sort((a, b) => a - b);
  if (!counts[0]) return 0;
  let low = counts[0], chances = [1];
  for (const count of counts.slice(1)) {
    const reached = new Float64Array(counts[0] + 1);
    chances.forEach((chance, more) => {
      const [first, shares] = hypergeometric(size, low + more, count);
      shares.forEach((share, at) => { reached[first + at] += chance * share; });
    });
    const kept = [...reached.keys()].filter((rows) => reached[rows] !== 0);
    [low, chances] = [kept[0], [...reached.slice(kept[0], kept[kept.length - 1] + 1)]];
  }
  return low ? 1 : sumOf(chances, 1) / sumOf(chances);
}

function hypergeometric(size, marked, drawn) {
  // How many marked ones are drawn: the fewest that matters, and the chances from there on.
  const portion = marked / size, mean = drawn * portion;
  const reach = 30 + 9 * Math.sqrt(mean * (1 - portion));
  const first = Math.max(0, drawn + marked - size, Math.trunc(mean - reach));
  const last = Math.min(marked, drawn, Math.trunc(mean + reach) + 1);
  const logs = [0];
  for (let k = first, sum = 0; k < last; k++) {
    const step = (marked - k) * (drawn - k) / ((k + 1) * (size - marked - drawn + k + 1));
    logs.push(sum += Math.log(step));
  }
  const most = logs.reduce((a, b) => Math.max(a, b));
  const chances = logs.map((log) => Math.exp(log - most)), total = sumOf(chances);
  return [first, chances.map((chance) => chance / total)];
}

function contentsOf(column) {
  // By group the places of its values, ascending, and how often it holds each.
  const { release } = DATA, [, { code: groups }] = release.group;
  return remembered(column.within ?? "contents", [column], () => {
    const found = release.groups.map(() => new Map());
    groups.forEach((group, row) => {
      const place = column.code[row];
      found[group].set(place, (found[group].get(place) ?? 0) + 1);
    });
    return found.map((held) => [...held].sort(([a], [b]) => a - b));
  });
}

function guessOf(column, fits, own) {
  const { groups, weights, release, columns } = fits;
  // By value the chance that it is hers, its share in the whole table, and a formula in print.
  const contents = contentsOf(column), sizes = groupSizes(), width = column.none + 1;
  const here = new Float64Array(width), printed = new Float64Array(width);
  const everywhere = Float64Array.from(countsOf(column.code, width), (count) => count / release.n);
  groups.forEach((group, at) => {
    const distinct = release.permuted ? distinctIn(columns, group) : [];
    const scale = 1 / (sizes[group] * distinct.reduce((product, count) => product * count, 1));
    for (const [place, count] of contents[group]) {
      here[place] += weights[at] * count / sizes[group];
      printed[place] += weights[at] * count * scale;
    }
  });
  const named = here.slice(0, -1);  // a missing one is no value, and may be any
  const surest = Number(fixed(named.reduce((a, b) => Math.max(a, b), 0), 12, false)), top = named.findIndex((part) => part >= surest - CLOSE);
  const value = (place) => valueWords(column.shown(place), column), some = (found) => found.filter((part) => part > 0).length;
  const gaps = sumOf(groups.map((group) => new Map(contents[group]).get(column.none) ?? 0));
  const lines = some(here), possible = some(named), sole = possible === 1 && !gaps;
  const reached = fits.asks ? reachedValues(column, fits) : null;
  const learned = learnedGuess(column, fits, { surest, everywhere, value });
  const repeated = repeatedGuess(column, fits, { surest, everywhere, value });
  return { column, here, named, everywhere, printed, own, surest, top, possible, sole, gaps, lines, value, learned, repeated, reached };
}

function reachedValues(column, { groups, counts }) {
  // By value the chance that one row holds it, of those that fit, if all of these are hers.
  const sizes = groupSizes(), none = new Float64Array(column.none).fill(1);
  const absent = groups.reduce((left, group, at) => left * (1 - presenceChance(sizes[group], counts[at])), 1);
  groups.forEach((group, at) => {
    for (const [place, count] of contentsOf(column)[group])
      if (place < column.none) none[place] *= 1 - presenceChance(sizes[group], [...counts[at], count]);
  });
  return none.map((left) => Math.min((1 - left) / (1 - absent), 1));
}

function repeatedGuess(column, { rows, release }, { surest, everywhere, value }) {
  // What somebody guesses who repeats the method that made the groups; null where they tell as much.
  const told = release.repeated?.[column.name];
  if (!told || !rows.some((row) => row in told) || rows.some((row) => told[row] === null)) return null;
  const sums = new Float64Array(column.none + 1), [{ code: groups }] = release.group;
  for (const row of rows) {
    const held = contentsOf(column)[groups[row]].map(([place, count]) => [place, count / groupSizes()[groups[row]]]);
    for (const [place, chance] of told[row] ?? held) sums[place] += chance / rows.length;
  }
  const most = sums.slice(0, -1).reduce((a, b) => Math.max(a, b), 0), best = sums.indexOf(most);
  const chance = Math.min(most, 1);
  return chance > surest + 1e-9 ? { title: column.title, value: value(best), chance, everywhere: everywhere[best] } : null;
}

function repeatedBest(guesses, learned) {
  // The guess by repeating the method that is likelier than the one by learning.
  const found = guesses.map((guess) => guess.repeated).filter(Boolean);
  const best = found.reduce((a, b) => (a && a.chance >= b.chance ? a : b), null);
  return best && best.chance > (learned?.chance ?? 0) ? best : null;
}

function learnedGuess(column, { groups, weights, columns, codes, release }, { surest, everywhere, value }) {
  // What somebody guesses who learned from the whole table; null where nothing bears that out.
  if (!Object.hasOwn(release.learned ?? {}, column.name) || !groups.length) return null;
  const lesson = release.learned[column.name];
  const width = column.none + 1, names = Object.keys(lesson.columns);
  const hers = names.map((name) => codes[columns.findIndex((known) => known.name === name)]);
  const told = new Float64Array(width);
  groups.forEach((group, at) => {
    const found = learnedInGroup(lesson, column, group, hers);
    const top = found.reduce((most, [, , chance]) => Math.max(most, chance), 0);
    for (const [place, share, chance] of found) {
      told[place] += weights[at] * borneOut(lesson, chance, share, chance >= top - 1e-9);
    }
  });
  const likeliest = told.slice(0, -1).reduce((a, b) => Math.max(a, b), 0);
  const best = told.findIndex((part) => part >= likeliest - 1e-9);
  const chance = Math.floor(100 * told[best] + 1e-9) / 100;
  if (chance <= 0) return null;
  const others = lesson.others[halfOf(lesson, column, groups[groups.length - 1])];
  const logs = Array.from(everywhere.subarray(0, -1), (share, place) => Math.log(Math.max(share, 1e-12)) + (others ? addUp(others, place) : 0));
  const first = logs.indexOf(logs.reduce((a, b) => Math.max(a, b)));
  return {
    title: column.title, value: value(best), chance, surest, everywhere: everywhere[best], others: value(first),
  };

  function addUp(tables, place) {
    return tables.reduce((sum, table, at) => sum + (hers[at] >= 0 ? table[taughtLine(lesson, at, hers[at]) * width + place] / 1000 : 0), 0);
  }
}

function halfOf(lesson, column, group) {
  // In which half a group is by what it holds, as Python mixes it: the finalizer of splitmix64.
  const cut = (key) => BigInt.asUintN(64, key), spread = (key, by) => key ^ (key >> by);
  const mixed = (key) => spread(cut(spread(cut((key + 0x9E3779B97F4A7C15n) * 0xBF58476D1CE4E5B9n), 27n) * 0x94D049BB133111EBn), 31n);
  const ranks = lesson.ranks ??= taughtRows(lesson);
  const parts = rowsOfGroups()[group].map((row) => mixed(BigInt(ranks[row])));
  for (const [place, count] of contentsOf(column)[group]) parts.push(mixed(cut(~(BigInt(place) << 32n | BigInt(Math.trunc(count))))));
  return Number(mixed(cut(parts.reduce((sum, part) => sum + part, 0n))) >> 1n & 1n);
}

function taughtRows(lesson) {
  // The rows numbered by their places in the tables, in their order.
  let found = new Float64Array(DATA.release.n);
  taughtColumns(lesson).forEach(({ code }, at) => {
    const lines = Object.values(lesson.columns)[at].length + 1;
    found = found.map((rank, row) => rank * lines + taughtLine(lesson, at, code[row]));
    const places = new Map([...new Set(found)].sort((a, b) => a - b).map((key, rank) => [key, rank]));
    found = found.map((key) => places.get(key));
  });
  return found;
}

function taughtColumns(lesson) {
  return lesson.known ??= Object.keys(lesson.columns).map((name) =>
    DATA.release.columns.find((column) => column.name === name && column.role === "quasi"));
}

function taughtLine(lesson, at, code) {
  // The line of a table in which a cell of a known column stands, looked up once.
  const lines = (lesson.lines ??= Object.values(lesson.columns).map(() => []))[at];
  return lines[code] ??= Object.values(lesson.columns)[at].filter((cut) => cut <= code).length;
}

function learnedInGroup(lesson, column, group, hers) {
  // Each value of a group: its place, its share there, and its chance for her by what was learned.
  const known = taughtColumns(lesson), held = contentsOf(column)[group], width = column.none + 1;
  const kept = lesson.factors ??= new Map();
  const weigh = (codeOf) => {
    const logs = new Float64Array(held.length);
    lesson.tables.forEach((table, at) => {
      const code = codeOf(at);
      if (!(code >= 0)) return;  // a cell that is not known says nothing
      const line = taughtLine(lesson, at, code) * width;
      held.forEach(([place], value) => { logs[value] += table[line + place] / 1000; });
    });
    const top = lesson.strength * logs.reduce((a, b) => Math.max(a, b));
    return logs.map((log) => Math.exp(Math.max(lesson.strength * log - top, -60)));
  };
  const share = (weights, factors, parts) => {
    let total = 0;
    for (let at = 0; at < parts.length; at++) total += parts[at] = weights[at] * factors[at];
    for (let at = 0; at < parts.length; at++) parts[at] /= total;
    return parts;
  };
  const all = sumOf(held.map(([, count]) => count)), parts = new Float64Array(held.length);
  if (!kept.has(group)) {  // each value of a group is somebody's
    const rows = rowsOfGroups()[group].map((row) => weigh((at) => known[at].code[row]));
    const factors = new Float64Array(held.length).fill(1), used = new Float64Array(held.length);
    for (let turn = 0; turn < 30; turn++) {
      used.fill(0);
      for (const row of rows) share(row, factors, parts).forEach((part, at) => { used[at] += part; });
      held.forEach(([, count], at) => { factors[at] *= count * rows.length / all / Math.max(used[at], 1e-300); });
    }
    kept.set(group, factors);
  }
  const chances = share(weigh((at) => hers[at]), kept.get(group), parts);
  return held.map(([place, count], at) => [place, count / all, chances[at]]);
}

function rowsOfGroups() {
  const { release } = DATA;
  return remembered("rows", [], () => {
    const found = release.groups.map(() => []);
    release.group[0].code.forEach((group, row) => found[group].push(row));
    return found;
  });
}

function borneOut({ least, most, seen }, chance, share, likeliest) {
  // Of a chance above the share the part that other groups bear out at least, below it at most.
  const way = chance < share ? chance / share : (chance - share) / Math.max(1 - share, 1e-12);
  const step = Math.min(Math.trunc(way * 10), 9) + (chance < share ? (likeliest ? 20 : 10) : 0);
  const part = chance > share ? least[step] : most[step];
  return Math.min(Math.max(share + part * (chance - share), 0), Math.max(seen, share));
}

function learnedBest(guesses) {
  // The guess by learning that is likelier than all, by learning or by the group alone.
  const surest = guesses.reduce((most, guess) => Math.max(most, guess.surest), 0);
  const learned = guesses.map((guess) => guess.learned).filter(Boolean);
  const best = learned.reduce((a, b) => (a && a.chance >= b.chance ? a : b), null);
  return best && best.chance > surest ? best : null;
}

function distinctIn(columns, group) {
  const [{ code: groups }] = DATA.release.group;
  return columns.map(({ code }) =>
    new Set(Array.from(groups.keys()).filter((row) => groups[row] === group).map((row) => code[row])).size);
}

function* splitHeads({ groups, guesses, release, asks }) {
  if (!groups.length) yield head(`split.${release.certain ? "none-fits" : "untold-none"}`);
  if (!release.certain) yield head("split.untold", { count: groups.length });
  for (const { column, value, top, sole, surest, everywhere } of guesses) {
    const told = { title: column.title, value: value(top), surest };
    if (sole) yield head("split.learns", told);
    if (surest >= SURE && SURE > everywhere[top]) yield head("split.guesses", told);
  }
  for (const { learned } of guesses)
    if (learned && learned.chance >= SURE && SURE > learned.everywhere) yield head("split.learned-guesses", learned);
  for (const { repeated } of guesses)
    if (repeated && repeated.chance >= SURE && SURE > repeated.everywhere) yield head("split.repeated-guesses", repeated);
  const exposed = mostExposed(release);
  if (exposed.people) yield head("split.table-gives-away", exposed);
  const best = guesses.reduce((a, b) => (b.surest > a.surest ? b : a)), likelier = learnedBest(guesses);
  if (!best.possible) yield head("split.none-left", { title: best.column.title });
  const again = repeatedBest(guesses, likelier);
  if (again) yield head("split.repeated-most", again);
  if (likelier) yield head("split.learned-most", likelier);
  yield head(`split.no-warning${asks ? "-rows" : ""}`, { title: best.column.title, surest: best.surest, better: better() });
}

function mostExposed(release) {
  // How many people are in groups that give a sensitive value away, in the column where it is most.
  let worst = { people: 0 };
  for (const column of release.columns.filter((c) => c.role === "sensitive")) {
    const people = contentsOf(column).reduce((sum, held, group) =>
      sum + (held.length === 1 && held[0][0] !== column.none ? groupSizes()[group] : 0), 0);
    if (people > worst.people) worst = { people, title: column.title, records: release.n };
  }
  return worst;
}

function splitFigures({ groups, people, presence, guesses: [first], release }) {
  if (!groups.length) return [figure("split.figure-none")];
  const fitting = figure(`split.figure-group${groups.length > 1 ? "s" : ""}`, { people });
  if (!release.certain) return [fitting];
  const guess = { surest: first.surest, title: first.column.title }, likelier = learnedBest([first]);
  const again = repeatedBest([first], likelier);
  return [
    fitting,
    ...(again ? [figure("split.figure-repeated", again)] : []),
    ...(likelier && !again ? [figure("split.figure-learned", likelier)] : []),
    ...(first.possible && !likelier && !again ? [figure("split.figure-guess", guess)] : []),
    figure("split.figure-presence", { presence }),
  ];
}

function* splitSentences({ groups, several: rows, people, presence, guesses, release, asks }, headline) {
  if (groups.length) {
    const told = { count: groups.length, groups: release.groups.length, people };
    const fitting = groups.length === 1 ? "one-group" : "several-groups";
    const name = told.groups === 1 ? "whole-table" : fitting;
    yield say(`split.${release.certain ? name : "untold-groups"}`, told);
    const row = !release.permuted ? "published-rows" : presence >= 1 ? "certain-row" : "possible-row";
    if (release.certain) yield presence ? say(`split.${row}`, { presence }) : say("split.perhaps-rows", { rows });
    for (const guess of guesses) yield* guessSentences(guess, release.certain);
    for (const { repeated } of guesses) if (release.certain && repeated) yield say("split.repeated", repeated);
    for (const { column, value, reached } of asks ? guesses : []) {
      const chance = reached.reduce((a, b) => Math.max(a, b), 0);
      const best = reached.findIndex((part) => part >= chance - 1e-9);
      if (chance) yield say("split.rows", { rows, title: column.title, value: value(best), chance: reached[best] });
    }
    yield say("common.unattacked");
  }
  if (headline.state !== "warning-you") yield say("common.no-conclusion");
}

function* guessSentences({ column: { title }, own, surest, top, possible, gaps, value, ...guess }, certain) {
  const { here, named, everywhere, sole } = guess;
  const told = { title, value: value(top), surest, better: better() };
  if (!certain) {
    if (possible) yield say(`split.untold-${sole ? "only" : "likeliest"}`, told);
    return;
  }
  told.alike = named.filter((part) => part >= surest - CLOSE).length;
  if (sole) yield say("split.one-value", told);
  else if (possible) yield say(`split.${told.alike === 1 ? "likeliest" : "one-of-the-likeliest"}`, told);
  if (own !== null) {
    const place = here.findIndex((part, at) => value(at) === own);
    const chance = place < 0 ? 0 : here[place];
    if (!chance && !gaps) yield say("split.own-absent", { title, own });
    if (chance) yield say("split.own", { title, own, here: chance, everywhere: everywhere[place] });
  }
  if (possible === 2 && !gaps) yield say("split.two-values", { title });
  if (possible > 2 && !gaps)
    yield say("split.several-values", { title, values: possible, others: possible - 1 });
  if (guess.learned && possible > 1) {
    yield say("split.learned", guess.learned);
    yield say("split.others", guess.learned);
  }
}

function* splitNotes({ groups, guesses, release }) {
  for (const { gaps, column } of guesses)
    if (gaps) yield said("split.gaps", { gaps, title: column.title });
  if (release.permuted && groups.length) yield said("split.formula");
}

function splitUnmet({ groups, guesses, release, options: { ell = null } }) {
  if (!guesses.some((guess) => guess.possible) || !release.certain || ell === null) return null;
  return guesses.filter(({ surest }) => surest * ell > 1 + 1e-12).map(({ column, surest }) =>
    said("split.too-sure", { title: column.title, surest, required: ell }));
}

function splitTables({ groups, copies, weights, guesses, release }) {
  const rows = orderByChance(weights).map((at) => ({
    group: release.groups[groups[at]], people: groupSizes()[groups[at]], copies: copies[at],
    yours: 100 * weights[at],
  }));
  const values = guesses.flatMap(({ column, here, everywhere, printed, lines }) =>
    orderByChance(here).slice(0, lines).map((place) => ({
      attribute: column.title, value: column.shown(place), here: 100 * here[place],
      everywhere: 100 * everywhere[place], printed: 100 * printed[place],
    })));
  return { groups: rows, values };
}

const SPLIT = {
  fitting: ({ people }) => people,
  heads: splitHeads, figures: splitFigures, sentences: splitSentences, notes: splitNotes,
  unmet: splitUnmet, tables: splitTables,
};
