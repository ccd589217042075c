// What tables joined by groups that keep numbers apart leave for one person: `subject.numbers`.

const NEARLY = 0.01, PART = 10;  // of the range of the whole table, and of the one that is left

function checkNumbers(record, options) {
  const { release } = DATA, { known, own, columns, leftOut } = whoAsks(record), [{ code: groupOf }, { code: owner }] = release.group;
  const parts = columns.map((column) => [column.code, column.mayBe(known.get(column)), isShown(column, known.get(column))]);
  const rows = allRows(release.n).filter((row) => parts.every(([code, may]) => may[code[row]]));
  const copies = countsOf(rows.map((row) => groupOf[row]), release.groups.length), sizes = groupSizes();
  const groups = [...copies.keys()].filter((group) => copies[group]);
  const inside = allRows(owner.length).filter((row) => copies[owner[row]]);
  const chances = Float64Array.from(inside, (row) => copies[owner[row]] / Math.max(sizes[owner[row]], 1) / rows.length);
  const fits = {
    release, options, groups, columns, codes: columns.map((column) => column.cellOf(known.get(column))),
    copies: groups.map((group) => copies[group]), weights: groups.map((group) => copies[group] / Math.max(rows.length, 1)),
    people: sumOf(groups.map((group) => sizes[group])), rows: rows.length, count: groups.length, most: MOST_VALUES,
    shown: rows.some((row) => parts.every(([code, , is]) => is[code[row]])),
  };
  fits.guesses = release.columns.filter(({ role }) => role === "sensitive").map((column) => {
    const guess = guessFrom(column, inside, chances, own), numeric = Boolean(column.low) && column.kind === "numeric";
    const left = numeric && leftOf(guess, inside), value = numeric ? amountWords(column.low[guess.top], column) : guess.told.value;
    return { ...guess, left, words: { ...guess.told, value }, learned: learnedNumber(column, fits, guess) };
  });
  fits.left = fits.guesses.map(({ left }) => left).filter(Boolean);
  return assembled(NUMBERS, fits, columns, leftOut);
}

function leftOf(guess, inside) {
  // The numbers of a column that are left for her, and what sentences say of them.
  const { column, here, gaps, told: { title } } = guess, codes = [...column.low.keys()].filter((code) => here[code] > 0);
  const values = codes.map((code) => column.low[code]), low = values[0] ?? 0, high = values.at(-1) ?? 0;
  const lowest = column.low[0], highest = column.low.at(-1), width = high - low, whole = highest - lowest;
  return {
    guess, column, codes, values, gaps, inside, width, whole, lowest, highest, chances: codes.map((code) => here[code]),
    told: {
      title, gaps, values: values.length, low: amountWords(low, column), high: amountWords(high, column),
      width: widthWords(width, column), share: whole > 0 ? width / whole : 1,
    },
  };
}

function crowdedNumber({ values, chances }, reach) {
  // The number with the most cases no further away than some reach, and their share.
  const sums = [0];
  for (const chance of chances) sums.push(sums.at(-1) + chance);
  const near = values.map((value) => sums[upperBound(values, value + reach)] - sums[lowerBound(values, value - reach)]);
  const most = largest(near);
  return [values[near.indexOf(most)], Math.min(most, 1)];
}

function inEachGroup({ column, inside }) {
  // By group that fits the numbers it holds, each once, in ascending order.
  const held = new Map(), [, { code: owner }] = DATA.release.group;
  for (const row of inside) {
    if (!held.has(owner[row])) held.set(owner[row], new Set());
    if (!column.blank(row)) held.get(owner[row]).add(column.code[row]);
  }
  return [...held.values()].map((codes) => [...codes].sort((a, b) => a - b).map((code) => column.low[code]));
}

function learnedNumber(column, fits, { surest, everywhere }) {
  // What somebody guesses who learned from the whole table; of many numbers a band.
  const cuts = ownOf(DATA.release.cuts ?? {}, column.name), { low, none, title } = column;
  if (!low) return learnedGuess(column, fits, { surest, everywhere, value: (place) => valueWords(column.shown(place), column) });
  const starts = cuts ? [0, ...cuts, none] : [...low.keys(), none], bands = starts.length - 1;
  const placeOf = (code) => (code === none ? bands : cuts ? upperBound(cuts, code) : code);
  const banded = { name: column.name, title, none: bands, code: column.code.map(placeOf), within: "bands" };
  const shares = new Float64Array(bands + 1);
  everywhere.forEach((share, code) => { shares[placeOf(code)] += share; });
  const ends = (place) => [...new Set([low[starts[place]], low[starts[place + 1] - 1]])];
  const value = (place) => (place === bands ? "missing" : ends(place).map((end) => amountWords(end, column)).join(" – "));
  return learnedGuess(banded, fits, { surest, everywhere: shares, value });
}

function amountWords(value, { dated, unit }) {
  // A number with the unit of its column; without one, a number below 10,000 may be a year.
  if (dated) return dateText(value);
  return `${local(general(value, 12, unit || Math.abs(value) >= MANY))} ${unit}`.trim();
}

function widthWords(width, column) {
  // How far two numbers lie apart; of dates it is days.
  if (!column.dated) return amountWords(width, column);
  const forms = DATA.speech.days.split("/");
  return Number.isInteger(width) ? count(width, forms) : `${local(general(width, 12, true))} ${forms[1]}`;
}

function general(value, most, marks) {
  // f"{value:.12g}", with marks f"{value:,.12g}"
  if (!value) return "0";
  let [digits, power] = exactDigits(value), [kept, grew] = rounded(digits, most);
  if (grew) [kept, power] = [`1${kept.slice(0, -1)}`, power + 1];
  const sign = value < 0 ? "-" : "", shifted = power < 0 ? "0".repeat(-power) + kept : kept, whole = Math.max(power, 0) + 1;
  if (power < -4 || power >= most)
    return `${sign}${withoutZeros(`${kept[0]}.${kept.slice(1)}`)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  const before = shifted.slice(0, whole);
  return sign + withoutZeros(`${marks ? commas(before) : before}.${shifted.slice(whole)}`);
}

function guessLines({ sole, possible, gaps, told, words = told, ...guess }, own) {
  // P3 to P6: the likeliest value, and who may do better; her own; how many are possible.
  const several = told.alike === 1 ? "likeliest" : "one-of-the-likeliest";
  return [
    [`split.${sole ? "one-value" : several}`, possible, { ...words, better: better() }], ownLine("split", { ...guess, gaps, told }, own),
    ["split.two-values", possible === 2 && !gaps, told], ["split.several-values", possible > 2 && !gaps, told],
  ];
}

function* learnedLines({ column: { name, title }, learned }) {
  const failed = ownOf(DATA.release.failed ?? {}, name);
  yield ["split.learned", learned, learned];
  yield ["split.others", learned, learned];
  yield [`common.${failed}`, failed, { title }];
}

function largest(values) { return values.reduce((a, b) => Math.max(a, b), -Infinity); }

function standsOut({ values, chances }) {
  // Whether one number is at least twice as likely as if all were equally likely.
  return values.length > 1 && largest(chances) * values.length >= 2;
}

function* rangeLines({ groups, people }, part) {
  const { values, chances, column, told: words, width, whole } = part, surest = largest(chances), reach = width / PART;
  if (values.length < 2) return;
  const told = { ...words, better: better(), others: people - 1, surest };
  yield ["numbers.left", true, told];
  yield ["numbers.of-all", width < whole, { ...told, low: amountWords(part.lowest, column), high: amountWords(part.highest, column) }];
  if (groups.length > 1) {
    const each = inEachGroup(part), widths = each.filter((held) => held.length).map((held) => held.at(-1) - held[0]);
    const least = { fewest: -largest(each.map((held) => -held.length)), width: widthWords(-largest(widths.map((wide) => -wide)), column) };
    yield ["numbers.in-one-group", true, { ...told, ...least }];
  }
  yield ["numbers.likelier", standsOut(part), { ...told, value: amountWords(values[chances.indexOf(surest)], column) }];
  const [middle, near] = crowdedNumber(part, reach);
  const close = { value: amountWords(middle, column), reach: widthWords(reach, column), near };
  yield ["numbers.close", near >= 0.5 && near > surest + CLOSE, { ...told, ...close }];
  yield ["numbers.struck-out", groups.length === 1, told];
}

const NUMBERS = byLines({
  fitting: ({ people }) => people,
  tables({ release, groups, copies, weights, guesses }) {
    const lines = orderByChance(weights).slice(0, MOST_VALUES).map((at) => ({
      group: release.groups[groups[at]], people: groupSizes()[groups[at]], copies: copies[at], yours: 100 * weights[at],
    }));
    return { groups: lines, values: valuesTable(guesses) };
  },
  unmet: ({ groups, left, guesses, options: { k, e, ell } }) => (!groups.length ? null : [
    ...left.flatMap(({ column, values, width, whole, told }) => [
      ["numbers.too-few", values.length < (k ?? 0), { ...told, required: k, most: column.low.length }],
      ["numbers.too-narrow", width < (e ?? 0), { ...told, required: widthWords(e ?? 0, column), most: widthWords(whole, column) }],
    ]),
    ...guesses.map((guess) => ["split.too-sure", guess.surest * (ell ?? 0) > 1 + CLOSE, { ...guess.told, required: ell }]),
  ]),
  *heads({ release, groups, guesses, left }) {
    yield ["split.none-fits", !groups.length, {}];
    for (const { sole, gaps, surest, words } of guesses) {
      yield ["split.learns", sole, words];
      yield ["split.guesses", !gaps && surest >= SURE && SURE > words.everywhere, words];
    }
    for (const { learned } of guesses)
      yield ["split.learned-guesses", learned && learned.chance >= SURE && SURE > learned.everywhere, learned];
    for (const { values, gaps, told } of left) yield ["numbers.learns-nearly", values.length > 1 && !gaps && told.share <= NEARLY, told];
    const some = left.filter(({ values }) => values.length), worst = mostExposed(release);
    yield ["split.none-left", !some.length, left[0].told];
    yield ["split.table-gives-away", worst.people, worst];
    yield ["numbers.no-warning", true, some.reduce((a, b) => (b.told.share < a.told.share ? b : a), some[0]).told];
  },
  *lines(fits) {
    const { release, groups, guesses, left, count: several } = fits, told = { ...fits, groups: release.groups.length };
    if (!several) {
      yield ["split.figure-none", true, {}];
      return;
    }
    yield [`split.figure-group${several > 1 ? "s" : ""}`, true, told];
    yield ["numbers.figure-values", true, left[0].told];
    yield ["numbers.figure-range", left[0].values.length, left[0].told];
    yield [`split.${told.groups === 1 ? "whole-table" : several === 1 ? "one-group" : "several-groups"}`, true, told];
    yield [fits.shown ? "split.published-rows" : "numbers.perhaps-rows", true, told];
    for (const part of left) {
      yield* rangeLines(fits, part);
      const { guess, column, gaps } = part, given = guess.hers && amountWords(guess.hers.plain, column);
      const lines = guessLines({ ...guess, words: guesses.find((one) => one.column === column).words }, given);
      if (!gaps) yield* lines.slice(standsOut(part) ? 1 : 0, several > 1 ? 4 : 2);  // E4 and E6 say the rest
    }
    for (const guess of guesses) if (!guess.left) yield* guessLines(guess);
    for (const guess of guesses) if (guess.possible > 1) yield* learnedLines(guess);
    yield ["common.unattacked", true, {}];
    for (const { gaps, told: words } of left) yield ["split.gaps", gaps, words];
    yield ["common.cut", Math.max(several, ...guesses.map(({ possible }) => possible)) > MOST_VALUES, fits];
  },
});
