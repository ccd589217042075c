// What a table whose values were drawn anew by known chances tells of one person: `subject.randomized`.

function checkRandomized(record, options) {
  const { release } = DATA, { known, own, columns, leftOut } = whoAsks(record), { n } = release;
  const apart = new Int32Array(n), shares = columns.map((column, k) => {
    const may = column.mayBe(known.get(column));
    let same = 0;
    for (let row = 0; row < n; row++) if (may[column.code[row]]) same++; else apart[row] |= 1 << k;
    return Math.max(same, 1) / n;
  });
  const chances = transitionChances(release.redraw, columns.map(({ name }) => name), shares);
  const counts = countsOf(apart, chances.length), rows = allRows(n).filter((row) => chances[apart[row]] > 0);
  const weights = Float64Array.from(rows, (row) => chances[apart[row]]), sum = sumOf(weights) || 1;
  const shown = columns.map((column) => [column, isShown(column, known.get(column))]);
  const total = counts.reduce((found, count, set) => found + count * chances[set], 0) || 1;
  const best = chances.reduce((most, chance, set) => (counts[set] ? Math.max(most, chance) : most), 0);
  const equal = chances[0] > 0 ? counts[0] : 0, sensitive = release.columns.filter(({ role }) => role === "sensitive");
  const guesses = rows.length ? sensitive.map((column) => guessFrom(column, rows, weights.map((part) => part / sum), own)) : [];
  const sets = counts.filter((count, set) => count && chances[set] > 0).length;
  return assembled(RANDOMIZED, {
    release, options, guesses, lines: Math.max(sets, ...guesses.map(({ possible }) => possible)),
    records: n, possible: rows.length, equal, near: rows.length - equal, changed: release.redraw.changed, keep: release.redraw.keep,
    same: chances[0], known: counts[0] * chances[0] / total, surest: Number(fixed(best / total, 12, false)), most: MOST_VALUES,
    alike: counts.reduce((found, count, set) => found + (chances[set] >= best * (1 - 1e-9) ? count : 0), 0),
    gaps: allRows(n).filter((row) => !apart[row] && shown.some(([column, is]) => !is[column.code[row]])).length,
  }, columns, leftOut);
}

function transitionChances({ names, changed, weights, keep }, asked, shares) {
  // By the set of columns in which they differ the chance that a combination becomes another (`Redraw`).
  const sets = 2 ** asked.length, found = new Float64Array(sets), held = asked.filter((name) => names.includes(name)).length;
  const choose = (all, some) => Array.from({ length: some }, (_, at) => at).reduce((ways, at) => ways * (all - at) / (at + 1), 1);
  const others = names.length - held;
  for (let set = 0; set < sets; set++) {
    const inside = asked.filter((_, k) => set >> k & 1), size = inside.length;
    if (keep !== null) found[set] = inside.every((name) => names.includes(name)) ? (1 - keep) ** size * keep ** (held - size) : 0;
    else if (changed === 1) found[set] = size === 1 ? weights[names.indexOf(inside[0])] ?? 0 : 0;
    else if (size <= changed && changed - size <= others && inside.every((name) => names.includes(name)))
      found[set] = choose(others, changed - size) / choose(names.length, changed);
  }
  if (keep === null && changed === 1) {
    const some = asked.reduce((sum, name) => sum + (weights[names.indexOf(name)] ?? 0), 0);
    found[0] = others ? Math.max(0, 1 - some) : 0;
  }
  shares.forEach((share, k) => { for (let set = 0; set < sets; set++) if (set >> k & 1) found[set] *= share; });
  shares.forEach((_, k) => { for (let set = 0; set < sets; set++) if (!(set >> k & 1)) found[set] += found[set | 1 << k]; });
  return found;
}

const RANDOMIZED = byLines({
  fitting: ({ possible }) => possible,
  tables: ({ guesses }) => ({ values: valuesTable(guesses) }),
  unmet: ({ possible, surest, guesses, options: { k, ell } }) => (!possible ? null : [
    ["randomized.too-few", possible < (k ?? 0), { count: possible, required: k }],
    ["randomized.row-too-sure", surest * (ell ?? 0) > 1 + CLOSE, { surest, required: ell }],
    ...guesses.map((guess) => ["split.too-sure", guess.surest * (ell ?? 0) > 1 + CLOSE, { ...guess.told, required: ell }]),
  ]),
  *heads({ release, possible, surest, guesses }) {
    yield ["randomized.none-fits", !possible, {}];
    yield ["randomized.picked-out", surest >= SURE, { surest }];
    for (const { sole, surest: chance, told } of guesses) {
      yield ["randomized.learns", sole, told];
      yield ["randomized.guesses", chance >= SURE && SURE > told.everywhere, told];
    }
    if (release.links !== null) {
      const [name, told] = reportedLinks(release);
      yield [name, moreThanLuck(release.links), told];
    }
    yield ["randomized.no-warning", true, { surest }];
  },
  *lines(found) {
    const { release, possible, equal, alike, gaps, guesses } = found, several = possible > 1;
    if (release.links !== null) yield ["masked.reported", true, { links: said(...reportedLinks(release)) }];
    if (!possible) {
      yield ["common.figure-published", true, found];
      yield ["randomized.gaps", gaps, found];
      return;
    }
    for (const name of ["equal", "near", "surest"]) yield [`randomized.figure-${name}`, true, found];
    yield ["randomized.one-row", !several, found];
    yield [`randomized.rows${found.changed === 1 ? "" : "-several"}`, several, found];
    yield [`randomized.drawn${found.keep === null ? "" : "-each"}`, several && found.keep !== 1, found];
    yield ["randomized.changed", !equal, found];
    yield ["randomized.without", equal, found];
    yield ["randomized.with", equal, found];
    yield [`randomized.${alike === 1 ? "row" : "one-of-the-rows"}`, several, found];
    for (const guess of guesses) {
      yield [`randomized.${guess.sole ? "one-value" : "best"}`, guess.possible, guess.told];
      yield ownLine("randomized", guess);
    }
    yield ["randomized.others-known", true, found];
    yield ["randomized.chances", true, found];
    yield ["randomized.gaps", gaps, found];
    yield ["common.cut", found.lines > MOST_VALUES, found];
  },
});
