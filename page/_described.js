// A release from its files: the columns as they are described, and their cells as the page keeps them.

const ROLES = ["quasi", "sensitive", "other"], PROMISES = ["as it was", "covers", "another order", "changed", "drawn from a model", "untold"];
const FROM_MODEL = "drawn from a model";  // which draws labels, whatever they look like
const ROW_WORDS = new Set(["id", "identifier", "index", "key", "nr", "record", "recordid", "row", "rowid", "uuid"]);

function broken() { return refused("no-release", {}, "files"); }

function treeOf(rows) {
  // A hierarchy from its rows, each from a value up to the root.
  const values = rows.map(([value]) => value), names = [...new Set([...values, ...rows.flat()])];
  const root = rows[0]?.at(-1), parent = new Map(), below = new Map(names.map((name) => [name, []]));
  if (new Set(values).size < values.length || rows.some((row) => row.at(-1) !== root)) throw broken();
  for (const row of rows) {
    const path = row.filter((name, at) => name !== row[at - 1]);
    path.forEach((name, at) => {
      const above = path[at + 1] ?? null;
      if (parent.has(name) && parent.get(name) !== above) throw broken();
      if (parent.has(name)) return;
      parent.set(name, above);
    });
    path.reverse().slice(1).forEach((name, at) => {
      if (!below.get(path[at]).includes(name)) below.get(path[at]).push(name);
    });
  }
  const leaves = (name) => (below.get(name).length ? below.get(name).flatMap(leaves) : [name]);
  const above = names.map((name) => (parent.get(name) === null ? -1 : names.indexOf(parent.get(name))));
  return { names, values: values.length, above, root, order: leaves(root), leaves };
}

function described(field) {
  // One column as it is described.
  const kept = field.verikit ?? {}, numbers = ["number", "integer"].includes(field.type ?? "string");
  const tree = kept.hierarchy ? treeOf(kept.hierarchy) : null;
  const found = {
    name: field.name, title: field.title || field.name, unit: kept.unit ?? "", tree,
    kind: kept.kind ?? (numbers ? "numeric" : "nominal"), role: kept.role ?? "quasi",
    weights: kept.weights ?? {}, categories: kept.order ?? tree?.order ?? null, textual: (field.type ?? "string") === "string",
    spans: Boolean(kept.spans), words: Boolean(kept.words), domain: domainOf(field), order: kept.order ?? null,
  };
  if (!ROLES.includes(found.role) || typeof found.name !== "string") throw broken();
  return Object.assign(found, { dated: found.kind === "numeric" && found.unit === DATA.days });
}

function domainOf({ constraints: { minimum, maximum } = {} }) {
  // The least and the greatest number that a column is said to hold; null where they are not told.
  return typeof minimum === "number" && typeof maximum === "number" && minimum <= maximum ? [minimum, maximum] : null;
}

function factsOf(column) {
  const { name, title, unit, kind, role, dated, tree, domain = null } = column;
  const categories = kind === "numeric" ? null : column.categories;
  const closed = categories !== null && (Boolean(tree) || meaningsOf(categories, column).every(isSingle));
  const unordered = isUnordered(column);
  return { name, title, unit, kind, role, dated, tree, domain, closed, quoted: quotedText(name), categories, unordered };
}

function isUnordered({ kind, order }) { return kind === "nominal" && !order; }

function fitted(column, data) {
  // The cells of a column in its terms: numbers, ranges or labels; each once, in their order.
  const words = column.textual ? null : data.numbers;
  if (column.spans) return withRanges(column, data);
  if (column.kind === "numeric" && (words !== null || column.tree === null)) {
    if (words === null) throw strangeCell(column, data.words.find((word) => Number.isNaN(numberIn(word))));
    const low = Float64Array.from(new Set(words.map((value) => value + 0))).sort();
    return { low, high: low, code: recoded(data, words.map((value) => lowerBound(low, value)), low.length) };
  }
  const declared = [...new Set([...(column.categories ?? []), ...(column.tree?.names ?? [])])];
  const known = new Set(declared), others = data.words.filter((word) => !known.has(word)).sort();
  const strange = declared.length ? others.filter((word) => {
    const parts = membersOf(word);
    return !parts.length || parts.some((part) => !known.has(part));
  }) : [];
  if (strange.length) throw strangeCell(column, strange[0]);
  const used = new Set(data.words), labels = [...declared, ...others].filter((label) => used.has(label));
  const places = new Map(labels.map((label, at) => [label, at]));
  return { labels, code: recoded(data, data.words.map((word) => places.get(word)), labels.length) };
}

function strangeCell({ name }, value = "") { return refused("cell", { title: name, value }, "files"); }

function recoded({ code }, places, none) {
  return code.map((at) => (at < 0 ? none : places[at]));
}

function withRanges({ dated }, data) {
  // Ranges of numbers in ascending order, as they are written.
  const ranges = data.words.map((word) => rangeOf(word));
  if (ranges.includes(null)) throw broken();
  const alike = ranges.every(([, , left, right]) => left === ranges[0][2] && right === ranges[0][3]);
  const ends = ranges.map(endsOf), shown = alike ? ranges : ends.map(([low, high]) => [low, high, true, true]);
  const order = [...ranges.keys()].sort((a, b) => ends[a][0] - ends[b][0] || ends[a][1] - ends[b][1]);
  const kept = order.filter((at, place) => {
    const before = ends[order[place - 1]];
    return !before || before[0] !== ends[at][0] || before[1] !== ends[at][1];
  });
  const places = ends.map(([low, high]) =>
    kept.findIndex((at) => ends[at][0] === low && ends[at][1] === high));
  const shownAs = dated ? datesShown : String;
  const text = ([low, high, left, right]) =>
    shownAs(`${left ? "[" : "("}${endText(low)}, ${endText(high)}${right ? "]" : ")"}`);
  return {
    low: Float64Array.from(kept, (at) => ends[at][0]), high: Float64Array.from(kept, (at) => ends[at][1]),
    shown: kept.map((at) => text(shown[at])), code: recoded(data, places, kept.length), spans: true,
  };
}

function endText(value) { return Number.isFinite(value) ? pythonText(value) : value > 0 ? "inf" : "-inf"; }

function scoresOf(column, { low, labels, code }) {
  // The scores of a column: its values, each once and in order, and which each record has.
  if (low) return { values: low, code };
  const scores = labels.map((label) => column.categories.indexOf(label));
  const values = Float64Array.from(scores.filter((score) => score >= 0)).sort();
  const places = [...scores.map((score) => (score < 0 ? values.length : lowerBound(values, score))), values.length];
  return { values, code: code.map((at) => places[at]) };
}

function isCompared(column, cells) {
  // Whether a column shows single values; of a blank category nobody could say that it is hers.
  const names = column.kind === "numeric" ? [] : column.categories ?? cells.labels;
  return !cells.spans && names.every((name) => name.trim()) && publishedOf(column, cells).known > 0;
}

function publishedOf(column, cells) {
  // A column of single values by rank, or by the groups of values that have no order.
  if (!isUnordered(column)) {
    const { values, code } = scoresOf(column, cells);
    return new Published(factsOf(column), values, code);
  }
  const labels = [...cells.labels].sort(), code = cells.labels.map((label) => labels.indexOf(label));
  const scores = Float64Array.from(labels.keys());
  return new Related({ ...factsOf(column), labels }, scores, cells.code.map((at) => code[at] ?? labels.length));
}

function cellsOf(column, { low, high, labels, shown, code, spans }, promise) {
  // What the cells may stand for, as the page keeps it.
  const read = labels ? meaningsOf(labels, column, ["covers", "untold"].includes(promise)) : null;
  const ends = read && column.categories === null ? numberEnds(labels, read) : null;
  const lows = low ?? ends?.map(([end]) => end), highs = high ?? ends?.map(([, end]) => end);
  const spanned = shown?.length ? shown : ["missing"];
  const wide = lows ? [...lows.keys()].filter((at) => lows[at] !== highs[at]) : [];
  const names = labels ?? shown;
  const several = spans ? spanned : promise === FROM_MODEL ? [] : lows ? (names ? wide.map((at) => names[at]) : []) :
    labels.filter((label, at) => !isSingle(read[at]) && !(column.categories ?? []).includes(label));
  return {
    labels: names, read, low, high, code, none: (lows ?? labels).length, lows, highs, several,
    single: low ? !spans || !wide.length : ends ? true : read.every(({ names: held = [] }) => held.length < 2),
    unread: labels ? labels.filter((_, at) => read[at].unread) : [],
  };
}

function numberEnds(labels, read) {
  // The ends of labels that are numbers and ranges of them; null where some is anything else.
  if (!read.some((part) => part.ranges)) return null;
  const spansOf = ({ ranges = [], codes = [] }) => [...ranges, ...codes.filter((code) => /^[\d*]+$/.test(code))
    .map((code) => [Number(code.replaceAll("*", "0")), Number(code.replaceAll("*", "9")), true, true])];
  const found = read.map((part, at) => {
    if (part.anything) return [-Infinity, Infinity];
    const names = part.names ?? [], number = plainNumber(labels[at]);
    if (names.length === 1 && !part.ranges) return number === null ? null : [number, number];
    return spansOf(part).length === 1 && !names.length ? endsOf(spansOf(part)[0]) : null;
  });
  return found.includes(null) ? null : found;
}

function withheldIn({ read, lows, highs, none }) {
  // By cell, and last for a missing one, whether it was withheld.
  const any = (at) => (lows ? lows[at] === -Infinity && highs[at] === Infinity : Boolean(read[at].anything));
  return [...Array.from({ length: none }, (_, at) => any(at) && !read?.[at].unread), true];
}

function widestIn({ read, lows, highs, none, code }) {
  // By cell, and last for a missing one, whether it may be anything that the column holds.
  if (lows) {
    const gaps = code.includes(none);
    const low = gaps ? -Infinity : lows.reduce((a, b) => Math.min(a, b));
    const high = gaps ? Infinity : highs.reduce((a, b) => Math.max(a, b));
    return [...Array.from(lows, (end, at) => end <= low && highs[at] >= high), true];
  }
  const whole = new Set(read.flatMap((part) => part.names ?? [])), loose = read.some((part) => part.ranges || part.codes);
  const every = (part) => !loose && [...whole].every((name) => (part.names ?? []).includes(name));
  return [...read.map((part) => Boolean(part.anything) || every(part)), true];
}

function hiddenRows(cells, told, n) {
  // Which records were suppressed: as many as is told, or those that tell nothing at all.
  const none = new Uint8Array(n);
  if (told === 0 || !cells.length) return none;
  const flags = cells.map((part) => (told === null ? withheldIn(part) : widestIn(part)));
  const hidden = none.map((_, row) => (cells.every((part, j) => flags[j][part.code[row]]) ? 1 : 0));
  const count = hidden.reduce((sum, one) => sum + one, 0);
  return count === n || (told !== null && count > told) ? none : hidden;
}

function labelledColumn(column, cells, more = {}) {
  const labels = cells.labels && { labels: cells.labels };
  const read = cells.read && { read: cells.read };
  const dates = column.dated && read && { dates: cells.labels.map(datesShown) };
  const unread = cells.unread.length ? quotedText(cells.unread[0]) : null;
  return new Labelled({ ...factsOf(column), ...labels, ...read, ...dates, unread, ...more },
    cells.read ? [] : [cells.low, cells.high], cells.code);
}

function releaseOf(schema, tables, facts) {
  // What the page judges, from columns, tables of their cells, and what is told of them.
  const told = {
    parameters: facts.parameters ?? {}, links: facts.reported_links ?? null, without: facts.reported_without ?? null,
    about: facts.about ?? {}, luck: facts.reported_luck == null ? null : fixed(facts.reported_luck, 1, false),
    promise: facts.permutation ? "another order" : facts.promise ?? "untold", method: facts.method ?? "",
    bySecrets: bySecrets(facts.parameters ?? {}),
  };
  if (!PROMISES.includes(told.promise) || !schema.length) throw broken();
  return facts.kind === "split" ? splitRelease(schema, tables, facts, told) : tableRelease(schema, tables.table, told);
}

function bySecrets({ partition, ...others }) {
  // Whether a published method made its groups by who has which sensitive value, and does not resist repetition.
  const named = typeof partition === "string", told = named || "search" in others ? others : partition ?? {};
  return typeof told === "object" && "sensitive" in told && !DATA.resisting.includes(named ? partition : told.method);
}

function madeAs({ method, parameters, links, about }) { return { method, parameters, links, about }; }

function tableRelease(schema, table, told) {
  const parts = schema.map((column) => [column, fitted(column, table.get(column.name))]);
  const cells = new Map(parts.map(([column, part]) => [column, cellsOf(column, part, told.promise)]));
  if (told.promise !== "covers")
    for (const part of cells.values()) if (isHalves(part.read)) part.several = [];
  const n = parts[0][1].code.length, tells = (...names) => names.every((name) => name in told.parameters);
  const drawn = tells("changed", "probabilities") || (told.parameters.scheme === "each" && tells("keep"));
  const quasi = schema.filter((column) => column.role === "quasi");
  if (!n) throw refused("no-record", { name: "CSV" }, "files");
  const several = schema.some((column) => column.role !== "sensitive" && cells.get(column).several.length);
  const release = told.promise === "changed" && drawn && quasi.length ? redrawnRelease(parts, cells, told)
    : told.promise === "covers" || several ? generalizedRelease(schema, cells, told, n) : maskedRelease(parts, told, n);
  const harm = harmIn(schema.filter((column) => !namesRows(column, parts.find(([one]) => one === column)[1])));
  return { ...release, n, harm, ...madeAs(told) };
}

function harmIn(columns) {
  // What a release shows of a person, what is sensitive first.
  const sensitive = ({ role }) => role === "sensitive", others = columns.filter((column) => !sensitive(column));
  return [...columns.filter(sensitive), ...others].map(({ name, title }) => ({ name, title }));
}

function maskedRelease(parts, told, n) {
  const asked = parts.filter(([column, part]) => !namesRows(column, part));
  const compared = asked.filter(([column, part]) => isCompared(column, part));
  if (!compared.length) throw refused("no-ranks", {}, "files");
  const columns = compared.map(([column, part]) => publishedOf(column, part));
  const schema = asked.map(([{ name, title }]) => ({ name, title }));
  const { luck } = told, permutation = told.promise === "another order";
  const undone = isUndone(parts, told, n);
  const without = notCompared(parts, told.without);
  const fromModel = told.promise === FROM_MODEL;
  return { kind: "masked", columns, schema, luck, without, permutation, undone, fromModel };
}

function notCompared(parts, told) {
  // The titles of the columns that the reported links leave out; where that is not told, those without an order.
  const columns = parts.map(([column]) => column);
  const unordered = columns.filter(({ kind, categories }) => kind !== "numeric" && !categories);
  return titlesOf(told ?? unordered.map(({ name }) => name), columns);
}

function titlesOf(names, columns) {
  const titles = new Map(columns.map(({ name, title }) => [name, title]));
  return names.map((name) => titles.get(name) ?? name);
}

function namesRows({ name }, { code }) {
  // Whether a column is called as what names rows is, and has another value in each.
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const called = ROW_WORDS.has(words[0]) || ROW_WORDS.has(words.at(-1));
  return called && code.length >= 6 && new Set(code).size === code.length;
}

function isUndone(parts, { parameters, method }, n) {
  // Whether values were swapped in pairs, in columns most of whose values are unique.
  const { places = {}, scheme = "pairs" } = parameters;
  if (method !== "rank_swap" || scheme === "cycles" || typeof places !== "object") return false;
  const moved = parts.filter(([column, part]) =>
    (column.kind === "numeric" || column.categories) && !part.spans && places[column.name] > 0);
  const far = Math.max(...moved.map(([column]) => places[column.name])) > n / 2;
  if (moved.length < 2 || (moved.length === 2 && far)) return false;
  const shares = moved.map(([column, part]) => {
    const { values, code } = scoresOf(column, part), counts = countsOf(code, values.length + 1);
    return counts.slice(0, -1).filter((count) => count === 1).length / n;
  });
  return shares.reduce((sum, part) => sum + part, 0) / shares.length > (moved.length === 2 ? 0.95 : 0.5);
}

function generalizedRelease(schema, cells, told, n) {
  const quasi = schema.filter((column) => column.role === "quasi"), { parameters } = told;
  if (!quasi.length) throw refused("nobody", {}, "files");
  const suppressed = Number.isInteger(parameters.suppressed) ? parameters.suppressed : null;
  const hidden = hiddenRows(quasi.map((column) => cells.get(column)), suppressed, n);
  const known = quasi.map((column) => {
    const part = cells.get(column), { several, code } = part, withheld = withheldIn(part);
    const cell = several.find((label) => label.replace(/^\*+|\*+$/g, "")) ?? several[0];
    return labelledColumn(column, part, {
      several: part.low && part.labels && several.length ? quotedText(firstShown(part)) : cell === undefined ? null : quotedText(cell),
      empty: code.every((at) => withheld[at]),
      hidden: [...new Set(code.filter((_, row) => hidden[row]))],
    });
  });
  const sensitive = sensitiveColumns(schema, cells);
  const covers = told.promise === "covers", count = hidden.reduce((sum, one) => sum + one, 0);
  return {
    kind: "generalized", columns: [...known, ...sensitive], group: [], hidden: count, covers,
    bySecrets: told.bySecrets, certain: ["as it was", "covers"].includes(told.promise),
    untold: told.promise === "untold", byClass: covers && Boolean(hasSome(parameters.levels) || "search" in parameters),
    schema: askedOf(quasi, cells),
  };
}

function askedOf(quasi, cells) {
  return quasi.filter((column) => !namesRows(column, cells.get(column))).map(({ name, title }) => ({ name, title }));
}

function sensitiveColumns(schema, cells) {
  return schema.filter((column) => column.role === "sensitive").map((column) => {
    const part = cells.get(column);
    return labelledColumn(column, { ...part, read: null, ...plainCells(part, column) }, { exact: isExact(part) });
  });
}

function redrawnRelease(parts, cells, { parameters, without, luck }) {
  // A table whose values were drawn anew, and the chances that its publisher tells, in proportion.
  const schema = parts.map(([column]) => column), quasi = schema.filter(({ role }) => role === "quasi");
  const names = quasi.map(({ name }) => name), { keep = null, scheme } = parameters, each = scheme === "each" && keep !== null;
  const { changed, probabilities } = each ? { changed: names.length, probabilities: "equal" } : parameters, equal = probabilities === null || probabilities === "equal";
  const told = names.map((name) => (equal ? 1 : probabilities[name])), total = sumOf(told);
  const known = equal || (changed === 1 && Object.keys(probabilities).every((name) => names.includes(name)));
  const likely = told.every((weight) => weight >= 0) && (equal || Math.abs(total - 1) <= 0.05);
  if (!known || !likely || !Number.isInteger(changed) || changed < 1 || changed > names.length || names.length > 20) throw broken();
  if (each && !(keep >= 0 && keep <= 1)) throw broken();
  return {
    kind: "randomized", columns: [...quasi.map((column) => labelledColumn(column, cells.get(column), { strict: factsOf(column).closed })), ...sensitiveColumns(schema, cells)],
    group: [], certain: true, luck, without: notCompared(parts, without), schema: askedOf(quasi, cells),
    redraw: { names, changed, weights: told.map((weight) => weight / total), keep: each ? keep : null },
  };
}

function hasSome(value) {
  return value !== null && typeof value === "object" ? Object.keys(value).length > 0 : Boolean(value);
}

function firstShown({ labels, code, none }) {
  const first = code.find((at) => at !== none);
  return first === undefined ? "missing" : labels[first];
}

function isExact({ read, low, high }) { return read ? read.every(isSingle) : low.every((end, at) => end === high[at]); }

function plainCells({ labels, low }, { dated }) {
  // Sensitive cells by what they show.
  return labels ? { labels: dated ? labels.map(datesShown) : labels, low: undefined, high: undefined } : { low, high: low };
}

function splitRelease(schema, tables, facts, told) {
  const { group, permuted = false } = facts, [known, hidden] = [tables.quasi, tables.sensitive];
  const data = (column) => (column.role === "sensitive" ? hidden : known).get(column.name);
  const ordered = [...schema].sort((a, b) => (a.role === "sensitive") - (b.role === "sensitive"));
  const sensitive = ordered.filter((column) => column.role === "sensitive");
  const parts = new Map(ordered.map((column) => [column, cellsOf(column, fitted(column, data(column)), told.promise)]));
  const { names, codes } = groupNames([known.get(group), hidden.get(group)]);
  checkSizes(codes, names.length, told.parameters);
  const fakes = Boolean(told.parameters.fakes), one = sensitive.length === 1;
  const toldOf = ({ name }) => (one ? told.parameters : told.parameters.columns?.[name]) ?? {};
  const target = !permuted && (one || facts.apart) && sensitive.every((column) => column.tree && "hierarchy" in toldOf(column));
  const numbers = sensitive.some((column) => column.kind === "numeric" && parts.get(column).low && !parts.get(column).labels);
  const kept = ["another order", "as it was"].includes(told.promise) && !fakes && !permuted;
  const quasi = ordered.filter((column) => column.role === "quasi"), kind = target ? "disguised" : kept && numbers ? "numbers" : "split";
  const asked = quasi.filter((column) => kind !== "split" || parts.get(column).single), strict = kind === "split";
  if (!asked.length) throw refused("nobody", {}, "files");
  const columns = asked.map((column) => labelledColumn(column, parts.get(column), { strict }));
  columns.push(...kind === "disguised" ? sensitive.map((column) => nodesColumn(column, parts.get(column))) : kind === "numbers" ? sensitiveColumns(sensitive, parts) : sensitive.map((column) => {
    const { labels, low, high, code } = parts.get(column), exact = isExact(parts.get(column));
    const shown = labels ?? Array.from(low, (end, at) => (end === high[at] ? pythonText(end) : `[${endText(end)}, ${endText(high[at])}]`));
    return new Labelled({ ...factsOf(column), exact, labels: column.dated ? shown.map(datesShown) : shown }, [], code);
  }));
  return {
    kind, n: codes[0].length, columns, group: codes.map((code) => ({ role: "group", code })),
    groups: names, permuted: Boolean(permuted),
    harm: harmIn(schema.filter((column) => column.role !== "quasi" || !namesRows(column, parts.get(column)))),
    certain: ["as it was", "covers", "another order"].includes(told.promise), bySecrets: told.bySecrets, ...madeAs(told),
    schema: askedOf(quasi, parts), personal: "requirement" in told.parameters,
    targets: target ? Object.fromEntries(sensitive.map((column) => [column.name, targetsOf(column, toldOf(column), names)])) : {},
  };
}

function nodesColumn(column, { labels, code, none }) {
  // A column that shows a target, by the nodes of its tree; what is missing may be anything, as the root.
  const { names, order, root } = column.tree, nodes = [...labels.map((label) => names.indexOf(label)), names.indexOf(root)];
  if (nodes.includes(-1)) throw broken();
  const leaves = order.map((leaf) => names.indexOf(leaf));
  return new Labelled({ ...factsOf(column), labels: names, leaves, unread: null }, [], code.map((at) => nodes[Math.min(at, none)]));
}

function targetsOf({ tree, weights }, { hierarchy, tolerance = {} }, groups) {
  // The weights of a column's values from left to right, or of those of each group; and by how much shares may be off.
  const own = hierarchy !== null && typeof hierarchy === "object", listed = (told) => wholeOf(tree.order.map((leaf) => told[leaf] ?? 1));
  const lists = own ? groups.map((name) => listed(hierarchy[name] ?? weights)) : [listed(weights)];
  const shares = [tolerance.share ?? 0, ...Object.values(tolerance.nodes ?? {})].map((share) => wholeOf([share, 1]).map(Number));
  return { lists, of: own ? groups.map((_, at) => at) : null, tolerance: largest(shares.map(([share, one]) => share / one)) };
}

function wholeOf(told) {
  // Numbers and fractions as whole numbers in the same proportion.
  const parts = told.map((one) => {
    const [above, below = "1"] = String(one).split("/"), [whole, rest = ""] = above.split(".");
    return [BigInt(whole + rest), BigInt(below) * 10n ** BigInt(rest.length)];
  });
  const unit = parts.reduce((product, [, below]) => product * below, 1n);
  return parts.map(([above, below]) => String(above * (unit / below)));
}

function graphRelease(tables, resources, { mirrored = false, parameters = {}, method = "", about = {} }) {
  // A graph from its seven tables: names in the order of their groups, and its nodes likewise.
  const numbered = (table, name) => tables[table].get(name).code.map((at) => tables[table].get(name).numbers[at] - 1);
  const worded = (table, name) => Array.from(tables[table].get(name).code, (at) => tables[table].get(name).words[at]);
  const titles = ["left", "right"].map((side) => resources.find(({ name }) => name === side).schema.fields[0].name);
  const parts = ["left", "right"].map((side, at) => {
    const groups = new Map(), own = numbered(`${side}_groups`, "group"), nodes = [], node = numbered(`${side}_nodes`, "node");
    worded(`${side}_groups`, "name").forEach((name, row) => groups.set(name, own[row]));
    numbered(`${side}_nodes`, "group").forEach((group, row) => { nodes[node[row]] = group; });
    const names = worded(side, titles[at]).filter((name) => groups.has(name)).sort((a, b) => groups.get(a) - groups.get(b));
    const whole = names.length === groups.size && String(countsOf(own, names.length)) === String(countsOf(nodes, names.length));
    if (!whole) throw broken();
    return [names, [Int32Array.from(names, (name) => groups.get(name)), Int32Array.from(nodes)]];
  });
  const [codes, ends] = [parts.flatMap(([, both]) => both), ["left", "right"].map((side) => Int32Array.from(numbered("links", side)))];
  if (!ends[0].length) throw refused("no-record", { name: "CSV" }, "files");
  const schema = [...new Set(titles)].map((name) => ({ name, title: name })), n = ends[0].length / (mirrored ? 2 : 1);
  const better = ["degree", "random", "one group"].includes(parameters.order) ? "graph" : "linker";
  const facts = { kind: "graph", n, schema, mirrored, better, bySecrets: bySecrets(parameters), parameters, method, about, links: null, harm: [] };
  return graphOf(facts, parts.map(([names]) => names), [...codes, ...ends].map((code) => ({ code })));
}

function groupNames(parts) {
  // The groups of both tables in their order, and the place of each row's group among them.
  if (parts.some((part) => part === undefined || part.code.includes(-1))) throw broken();
  const numbers = parts.every((part) => part.numbers !== null);
  const keys = parts.map((part) => (numbers ? part.numbers : part.words));
  const found = [...new Set(keys.flat())].sort(numbers ? (a, b) => a - b : undefined);
  const places = new Map(found.map((key, at) => [key, at]));
  const codes = parts.map((part, j) => part.code.map((at) => places.get(keys[j][at])));
  return { names: found.map((key) => (numbers ? pythonText(key) : key)), codes };
}

function checkSizes([known, hidden], groups, { fakes = 0 }) {
  const people = countsOf(known, groups), values = countsOf(hidden, groups);
  if (people.some((count, at) => values[at] < count || values[at] > count + (Number.isInteger(fakes) ? fakes : 0)))
    throw refused("sizes", {}, "files");
}

function parsed(text) {
  try { return JSON.parse(text) ?? {}; } catch { throw broken(); }
}

async function packageOf(text, fetched) {
  // A release from the text of its datapackage.json and what gives a file by its name.
  try {
    return await openedPackage(text, fetched);
  } catch (error) {  // parts that lack, or stand where others should
    throw error instanceof Refused ? error : broken();
  }
}

async function openedPackage(text, fetched) {
  const { verikit: facts, resources } = parsed(text);
  if (!facts || !Array.isArray(resources)) throw broken();
  if (facts.format > 1) throw refused("newer", {}, "files");
  if (!["table", "split", "graph"].includes(facts.kind ?? "table")) throw refused("other-kind", {}, "files");
  const tables = {}, schema = new Map();
  for (const part of resources) {
    const { fields, missingValues = [""] } = part.schema, columns = fields.map(described);
    tables[part.name] = await tableOf(part, columns, missingValues, fetched);
    if (part.name !== "help")
      for (const column of columns) if (column.name !== facts.group) schema.set(column.name, column);
  }
  if (facts.kind === "graph") return graphRelease(tables, resources, facts);
  if (!(facts.kind === "split" ? tables.quasi && tables.sensitive : tables.table)) throw broken();
  return releaseOf([...schema.values()], tables, facts);
}

async function tableOf(part, columns, missing, fetched) {
  const name = part.path, bytes = await fetched(name);
  if (!String(name).endsWith(".csv")) throw refused("no-csv", { name }, "files");
  if (part.hash && !(await isWhole(bytes, part.hash))) throw refused("changed", { name }, "files");
  const [names, ...rows] = rowsOf(lettersOf(bytes, name), ",", false);
  const found = new Map(columnsOf((names ?? []).map((one) => one.trim()), rows, missing, name).map((column) => [column.name, column]));
  const absent = columns.find((column) => !found.has(column.name));
  if (absent || found.size > columns.length) throw refused("columns", { name }, "files");
  const told = part.verikit?.rows ?? rows.length;
  if (told !== rows.length) throw refused("rows-told", { name, told, held: rows.length }, "files");
  for (const column of columns) {
    const data = found.get(column.name);
    data.numbers = column.textual ? null : numbersOf(data);
  }
  return found;
}

function numbersOf({ words }) {
  const found = words.map((word) => numberIn(word));
  return found.some(Number.isNaN) ? null : found;
}

async function isWhole(bytes, promised) {
  // Whether a file has the checksum that is promised of it; one that cannot be checked here is not asked.
  const [kind, digest] = promised.split(":");
  if (kind !== "sha256" || !crypto.subtle) return true;
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("") === digest;
}
