// Answers told line by line, as `subject._answer.make_report` puts them together. A line is the name of
// a text, whether it is said, and what fills it in; its text tells whether it is a figure or a note.

function byLines({ heads, lines, unmet, ...more }) {
  const told = (found, part) => {
    found.told ??= [...lines(found)].filter(([, holds]) => holds);
    return found.told.filter(([name]) => (["figure", "note"].includes(entry(name).key) ? entry(name).key : "sentence") === part);
  };
  return {
    ...more,
    *heads(found) { for (const [name, holds, words] of heads(found)) if (holds) yield head(name, words); },
    figures: (found) => told(found, "figure").map(([name, , words]) => figure(name, words)),
    *sentences(found, { state }) {
      for (const [name, , words] of told(found, "sentence")) yield say(name, words);
      if (state !== "warning-you") yield say("common.no-conclusion");
    },
    notes: (found) => told(found, "note").map(([name, , words]) => said(name, words)),
    unmet(found) {
      if (!Object.values(found.options).some((asked) => asked != null)) return null;
      return unmet(found)?.filter(([, holds]) => holds).map(([name, , words]) => said(name, words)) ?? null;
    },
  };
}

function whoAsks(record) {
  // What she gave that others may know, and what is sensitive; the columns of the first, and of those left out.
  const known = givenValues(record, "quasi"), own = givenValues(record, "sensitive"), columns = [...known.keys()];
  if (!known.size) throw new Refused(uiWords("empty"), null);
  const names = new Set(columns.map(({ name }) => name));
  const leftOut = DATA.release.schema.filter(({ name }) => !names.has(name)).map(({ title }) => title);
  return { known, own, columns, leftOut };
}

function isShown(column, value) {
  // By cell, and last for a missing one, whether it shows a value, and does not only stand for it.
  const code = column.cellOf(value);
  return Uint8Array.from({ length: column.none + 1 }, (_, at) => (at === code ? 1 : 0));
}

function guessFrom(column, rows, weights, own) {
  // What rows say of a column, each as likely hers as its weight: `subject._guess` in the page.
  const { low, labels, none } = column, here = new Float64Array(none + 1), n = column.code.length;
  rows.forEach((row, at) => { here[column.code[row]] += weights[at]; });
  const everywhere = Float64Array.from(countsOf(column.code, none + 1), (count) => count / n);
  const gaps = rows.filter((row, at) => column.blank(row) && weights[at]).length, named = here.slice(0, -1);
  const surest = Number(fixed(named.reduce((a, b) => Math.max(a, b), 0), 12, false)), top = Math.max(0, named.findIndex((part) => part >= surest - CLOSE));
  const possible = named.filter((part) => part > 0).length, given = own.get(column);
  const told = {
    title: column.title, value: valueWords(column.shown(top), column), surest: Math.min(surest, 1), everywhere: everywhere[top],
    alike: named.filter((part) => part >= surest - CLOSE).length, values: possible, others: possible - 1,
  };
  const place = given === undefined ? -1 : labels ? labels.indexOf(shownOwn(given)) : low.indexOf(given);
  const hers = given === undefined ? null : { own: valueWords(shownOwn(given, column), column), plain: given, here: here[place] ?? 0, everywhere: everywhere[place] };
  return { column, here, everywhere, named, surest, top, possible, gaps, told, hers, sole: possible === 1 && !gaps };
}

function ownLine(kind, { hers, gaps, told: { title } }, shown = hers?.own) {
  const told = { ...hers, title, own: shown };
  return hers === null || hers.here ? [`${kind}.own`, hers !== null, told] : [`${kind}.own-absent`, !gaps, told];
}

function orderByChance(chances) {
  // The places of chances, the likeliest first; of those alike, but for rounding, the first.
  const rounded = chances.map((chance) => Math.round(chance / CLOSE));
  return [...rounded.keys()].sort((a, b) => rounded[b] - rounded[a]);
}

function valuesTable(guesses) {
  // The values that may be hers, the likeliest first, at most a hundred of each column.
  return guesses.flatMap(({ column, here, everywhere }) =>
    orderByChance(here).filter((place) => here[place] > 0).slice(0, MOST_VALUES).map((place) => ({
      attribute: column.title, value: column.shown(place), here: 100 * here[place], everywhere: 100 * everywhere[place],
    })));
}

const MOST_VALUES = 100, CLOSE = 1e-12;
