// What a release tells of one record, in the sentences of `verikit.check`; and what a table of
// single values tells.

class Refused extends Error {
  // A sentence for the person who asks; `name` says at which column.
  constructor(words, column) {
    super(words);
    this.column = column;
  }
}

function refused(words, told, id) {
  // The same of what stands in one box.
  return Object.assign(new Refused(uiWords(words, told), null), { name: words, told, box: id });
}

function check(record, options = {}) {
  // The report on one record, given as text by column; an empty text says nothing.
  const { release, others } = DATA;
  const report = others?.length ? checkTogether([release, ...others], record, options) : checkAlone(record, options);
  return { ...report, parts: answerParts(report) };
}

function checkAlone(record, options) {
  const kinds = {
    masked: checkMasked, generalized: checkGeneralized, split: checkSplit, indexed: checkIndexed,
    randomized: checkRandomized, numbers: checkNumbers, graph: checkGraph, disguised: checkDisguised,
  };
  const { known, notes } = understood(record), report = kinds[DATA.release.kind](known, options, record);
  return { ...report, notes: [...notes, ...report.notes] };
}

function checkMasked(record, options) {
  const { release } = DATA;
  const attributes = release.columns
    .filter((column) => (record.get(column.name) ?? "").trim() !== "")
    .map((column) => attributeOf(column, record.get(column.name)));
  if (!attributes.length) throw new Refused(uiWords("empty"), null);
  const required = requirementOf(options, attributes);
  const found = { attributes, required, release, ...findClosest(attributes, release.n) };
  const columns = attributes.map((a) => a.column);
  const given = new Set(columns.map((column) => column.name));
  const leftOut = release.schema.filter((c) => !given.has(c.name)).map((c) => c.title);
  found.over = columns.map((column) => column.title);
  found.nothing = countSilent(columns);
  found.untold = cannotTell(found);
  const { alpha = 0.01, looks = 1 } = options;
  found.chance =
    found.untold === null ? chanceOf(columns, release.n, found.distance, alpha, looks) : null;
  found.crowd = crowdOf(attributes, release);
  found.pickedOut = found.crowd !== null && found.crowd.fitting === 1;
  found.copies = copiesOf(attributes, found.rows, release.n);
  found.lines = attributes.map((a, at) => attributeLine(a, at, found, required));
  const repeatable = isRepeatable(release, columns, leftOut);
  return { ...assembled(MASKED, found, columns, leftOut), ...maskedTables(found), repeatable };
}

function isRepeatable({ method, n, undone }, columns, leftOut) {
  // Whether Python could repeat the published method with her record, which this page does not.
  const { methods, most } = DATA.repeated;
  const known = methods.includes(method) && n > 1 && n <= most && !undone;
  return known && !leftOut.length && !columns.some((column) => column.missing);
}

function scoreOf(column, typed) {
  if (column.kind === "numeric") return numberOf(column, typed);
  const { unordered, categories, labels } = column;
  if (categories !== null && !categories.includes(typed)) throw noCategory(typed, column);
  return { score: (unordered ? labels : categories).indexOf(typed), own: typed, written: typed };
}

function attributeOf(column, typed) {
  const { score, own, written } = scoreOf(column, typed);
  if (column.unordered) return { column, own, written, score, ...column.own(score, typed) };
  const block = closestBlock(column, score);
  return { column, own, written, score, block, closest: column.values[block.code] };
}

function numberOf(column, typed) {
  const score = Number(typed);
  const written = column.dated ? dateText(score) :
    WHOLE.test(typed) ? BigInt(typed.replace("+", "")).toString() : local(digits(score));
  return { score, own: score, written };
}

function requirementOf(options, attributes) {
  // What is asked of all at once is not of what has no order, as far as it would be hopeless.
  const asked = (given, a, all) => (given instanceof Map ? given.get(a.column.name) : all ? given : null) ?? null;
  const criterion = { name: options.criterion ?? "variance", apart: options.apart ?? null };
  return {
    criterion,
    stated: options.distance != null || options.diversity != null,
    distance: attributes.map((a) => asked(options.distance, a, !a.column.unordered || a.column.tree)),
    diversity: attributes.map((a) => asked(options.diversity, a, !a.column.unordered)),
  };
}

function assembled(kind, found, columns, leftOut) {
  // Headline, figures, sentences, notes, and whether what she requires is met.
  const [headline] = kind.heads(found), unmet = kind.unmet(found);
  const over = columns.map((column) => column.title);
  const sentences = [...kind.sentences(found, headline), limitsOf(over, leftOut)];
  const blank = unmet !== null && !unmet.length && found.nothing;  // such a record may be hers
  const met = blank ? say("common.met-blank", { over }) : say("common.met");
  if (unmet !== null) sentences.push(unmet.length ? say("common.unmet", { parts: unmet }) : met);
  const left = leftOut.length ? [said("common.left-out", { left_out: leftOut })] : [];
  const counted = found.guesses?.some((guess) => guess.repeated);  // what repeating the method tells
  const repeated = DATA.release.bySecrets && !counted ? [said("common.repetition")] : [];
  return {
    ...headline,
    tag: DATA.speech.tags[headline.name === "masked.not-compared" ? "not-yet" : headline.state],
    met: unmet === null || blank ? null : !unmet.length,
    figures: kind.figures(found),
    sentences,
    notes: [...left, ...kind.notes(found), ...repeated],
    harm: found.harm ?? harmBeside(columns),
    fitting: kind.fitting ? kind.fitting(found) : 1,
    tables: kind.tables ? kind.tables(found) : {},
  };
}

function harmBeside(columns) {
  const { harm, fromModel } = DATA.release;
  const others = harm.filter(({ name }) => !columns.some((column) => column.name === name));
  return !others.length && fromModel ? [uiWords("harm-model")] : others.map(({ title }) => title);
}

function maskedTables(found) {
  return {
    facts: {
      records: found.release.n, distance: found.distance, matches: found.rows.length,
      criterion: found.required.criterion.name,
      direction: DIRECTIONS[found.required.criterion.name], chance: found.chance,
    },
    attributes: found.lines,
    written: found.attributes.map((a) => a.written),
    matches: found.rows.map((row, at) => [row + 1, ...found.distances[at]]),
  };
}

function* headsOf(found) {
  const { chance, release } = found, n = release.n;
  if (found.pickedOut && n > 1) yield head("masked.picked-out");
  if (chance !== null && chance.warns) yield closer(chance, head, release);
  if (release.undone) yield head("masked.undone");
  if (release.links !== null && moreThanLuck(release.links))
    yield head(...reportedLinks(release));
  if (found.untold !== null) yield found.untold;
  else if (chance === null) yield head("masked.not-compared");
  else if (chance.blind) yield blind(chance, n, head);
  yield head(`masked.no-warning${found.nothing ? "-blank" : ""}`, { distance: found.distance });
}

function reportedLinks({ links, n, luck, without }) {
  // The sentence of the publisher's count, and what fills it in: first what it leaves out.
  const name = luck === null ? "masked.links" : "masked.links-luck";
  const told = { links, records: n, luck: local(luck ?? "0.0") };
  return without.length ? ["masked.links-without", { ...told, columns: without, found: links, links: said(name, told) }] : [name, told];
}

function moreThanLuck(correct) {
  let fewer = 0;
  for (let i = 0, product = 1; i < Math.min(correct, 20); product *= ++i) fewer += 1 / product;
  return 1 - Math.exp(-1) * fewer <= 0.05;
}

function cannotTell({ attributes, release }) {
  const varied = attributes.filter((a) => !a.column.constant).map((a) => a.column.title);
  if (release.n === 1) return head("masked.one-record");
  if (!varied.length) return head("masked.all-the-same");
  if (attributes.length === 1) return head("masked.one-value", { title: varied[0] });
  return varied.length === 1 ? head("masked.one-differs", { title: varied[0] }) : null;
}

function figuresOf(found) {
  const several = found.rows.length, name = several === 1 ? "one" : "several";
  return [
    figure("masked.figure-distance", { distance: found.distance }),
    found.pickedOut ? figure("masked.figure-crowd") :
      figure(`masked.figure-${name}`, { count: several }),
    found.chance === null ? figure("common.figure-published", { records: found.release.n }) :
      figure("masked.figure-others", { others: found.chance.others }),
  ];
}

function* sentencesOf(found) {
  const { release, chance, required, lines } = found;
  if (release.links !== null) {
    yield say("masked.reported", { links: said(...reportedLinks(release)) });
  }
  if (release.undone) yield say("masked.undone");
  if (found.crowd !== null) yield crowdSentence(found.crowd);
  yield* matchSentences(found);
  if (found.copies !== null) yield copiesSentence(found.copies);
  yield* chanceSentences(chance, release);
  const parts = found.attributes.map((a, at) => lines[at].diversity !== null && said("masked.diversity-of", {
    title: a.column.title,
    spread: spreadWords(lines[at].diversity, required.criterion, apartOf(a.column), a.column.unordered),
  })).filter(Boolean);
  if (parts.length) yield say("masked.diversity", { criterion: required.criterion.name, parts: parts.join("; ") });
  if (chance !== null && release.permutation) {
    const name = chance.made_up > 0.05 ? "plausible" : "not-plausible";
    yield say(`masked.paper-${name}`, { usual: 0.05 });
  }
}

function crowdSentence({ places, fitting }) {
  const same = new Set(places.map(([, bound]) => bound)).size === 1;
  const bounds = same ? shownAs(places[0][1], "places") :
    places.map(([title, bound]) => said("masked.bound", { title, count: bound }));
  if (fitting > 1) return say("masked.crowd", { bounds, fitting });
  return say("masked.crowd-of-one", { bounds, picked_out: said("masked.picked-out") });
}

function* matchSentences(found) {
  const several = found.rows.length, name = several === 1 ? "one" : "several";
  const { distance, over, attributes, release, nothing } = found;
  const told = { records: release.n - nothing, distance, count: several, over };
  yield say(`masked.closest-${name}`, told);
  if (nothing) yield say("masked.blank", { blank: nothing, over });
  const published = attributes.every((a) => a.closest === a.score);
  if (release.permutation && published && distance > 0)
    yield say(`masked.moved${nothing ? "-blank" : ""}`, told);
  const whose = release.fromModel ? "drawn" : `not-yours-${name}`;
  if (!found.pickedOut) yield say(`masked.${whose}`, told);
}

function copiesSentence({ hers, share: part }) {
  if (hers > 1) return say("masked.copies", { hers, share: part });
  return say(part ? "masked.copy" : "masked.copy-alone", { share: part });
}

function* chanceSentences(chance, release) {
  if (chance !== null) {
    yield* shareSentences(chance);
    if (chance.warns) yield closer(chance, say, release);
    if (chance.blind) yield blind(chance, release.n, say);
  }
  if (chance === null || !chance.warns) yield say("masked.no-conclusion");
}

function* shareSentences(chance) {
  const error = (part, wide) => local(fixed(Math.max(outOf(part) * wide, 0.1), 1, false));
  if (chance.independent || chance.disagree) {
    const name = `masked.made-up${chance.error ? "-estimated" : ""}`;
    yield say(name, { made_up: chance.made_up, error: error(chance.made_up, chance.error) });
  }
  const name = `masked.others${chance.others_error ? "-estimated" : ""}`;
  const wide = error(chance.others, chance.others_error);
  yield say(name, { others: chance.others, error: wide, asked: chance.asked });
}

function closer(chance, as, { fromModel }) {
  return as(`masked.closer${fromModel ? "-drawn" : ""}`, { alpha: chance.alpha, limit: limitWords(chance) });
}

function blind(chance, n, as) {
  const few = 1 / (chance.asked + 1) > chance.limit;
  const told = { records: n, least: chance.least, limit: limitWords(chance) };
  return as(few ? "masked.blind-few" : "masked.blind-alike", told);
}

function limitWords({ alpha, looks }) {
  return said(looks === 1 ? "masked.limit" : "masked.limit-divided", { alpha, looks });
}

function limitsOf(over, leftOut) {
  if (!leftOut.length) return say("common.limits", { over });
  const number = leftOut.length === 1 ? "one" : "several";
  return say(`common.limits-${number}-left-out`, { over, left_out: leftOut });
}

function notesOf({ attributes, required }) {
  const notes = [];
  for (const { column, score, written, closest } of attributes) {
    const [low, high] = [column.ordered[0], column.ordered[column.ordered.length - 1]];
    const told = { title: column.title, own: written, low: column.written(low) };
    told.high = column.written(high);
    if (column.unordered && !column.constant) {
      const name = closest === null ? "unlike" : column.tree ? "grouped" : "equal";
      notes.push(said(`masked.${name}`, told));
    }
    if (!column.unordered && (score < low || score > high))
      notes.push(said(score < low ? "masked.below" : "masked.above", told));
    if (column.constant) notes.push(said("masked.constant", told));
    if (column.missing)
      notes.push(said("masked.missing", { ...told, share: column.missing / column.code.length }));
  }
  const strict = DIRECTIONS[required.criterion.name] === "more than";
  const hopeless = attributes.filter((a, at) =>
    strict && required.distance[at] === 0 && required.diversity[at] !== null);
  if (hopeless.length) {
    const names = listed(hopeless.map((a) => a.column.quoted));
    notes.push(said("masked.hopeless", { names, criterion: required.criterion.name }));
  }
  return notes;
}

function listed(names) {
  // The first few of many names, which come between quotes.
  const shown = names.slice(0, 5), long = () => shown.reduce((sum, name) => sum + name.length, 0);
  while (shown.length > 1 && long() > 180) shown.pop();
  const rest = names.length - shown.length;
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function unmetOf({ attributes, required, lines, untold }) {
  const asked = [...required.distance, ...required.diversity].some((part) => part !== null);
  if (!required.stated || untold !== null || !asked) return null;
  const parts = [];
  attributes.forEach((a, at) => {
    const { title } = a.column, unit = apartOf(a.column), { distance, diversity } = lines[at];
    if (tooNear(required, at, distance))
      parts.push(said("masked.too-near",
        { title, attained: distance, required: required.distance[at] }));
    if (tooAlike(required, at, diversity))
      parts.push(said("masked.too-alike", {
        title,
        attained: difference(diversity, required.criterion, unit, a.column.unordered),
        direction: DIRECTIONS[required.criterion.name],
        required: askedWords(required.diversity[at], required.criterion, unit, a.column.unordered),
      }));
  });
  return parts;
}

const MASKED = {
  heads: headsOf, figures: figuresOf, sentences: sentencesOf, notes: notesOf, unmet: unmetOf,
};
