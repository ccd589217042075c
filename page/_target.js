// What sensitive values that show a chosen target tell of one person: `subject.disguised`.

class Target {
  // A tree of values with their weights: where the leaves of each node begin and end, from left to right.
  constructor(column, weights) {
    const { leaves, tree: { names, above } } = column;
    Object.assign(this, { names, above, leaves, weights, first: [], last: [], post: [], depth: [] });
    leaves.forEach((leaf, at) => {
      for (let node = leaf; node >= 0; node = above[node]) [this.first[node], this.last[node]] = [this.first[node] ?? at, at + 1];
    });
    leaves.forEach((leaf, at) => {  // each node after those below it
      for (let node = leaf; node >= 0 && this.last[node] === at + 1; node = above[node]) this.post.push(node);
    });
    for (const node of [...this.post].reverse()) this.depth[node] = above[node] < 0 ? 0 : this.depth[above[node]] + 1;
    this.root = this.post.at(-1);
    this.sums = weights.reduce((sums, weight) => [...sums, sums.at(-1) + weight], [0n]);
    this.shares = weights.map((weight) => Number(weight) / Number(this.sums.at(-1)));
  }

  weight(node) { return this.sums[this.last[node]] - this.sums[this.first[node]]; }

  believe(amounts) {
    // The chance of each value, where each node stands for those below it by their weights, or else alike.
    const found = new Float64Array(this.leaves.length), chances = Float64Array.from(amounts), alike = new Float64Array(amounts.length);
    const held = this.post.map(() => 0);
    for (const node of this.post) held[node] = sumOf(this.shares, this.first[node], this.last[node]);
    for (const node of this.post) {
      if (held[node] > 0) chances[node] /= held[node];
      else [alike[node], chances[node]] = [chances[node] / (this.last[node] - this.first[node]), 0];
    }
    for (const node of [...this.post].reverse()) if (node !== this.root) {
      chances[node] += chances[this.above[node]];
      alike[node] += alike[this.above[node]];
    }
    this.leaves.forEach((leaf, at) => { found[at] = chances[leaf] * this.shares[at] + alike[leaf]; });
    return found;
  }

  isInside(node, top) { return this.first[top] <= this.first[node] && this.last[node] <= this.last[top] && this.depth[node] > this.depth[top]; }

  isEven(held, top) {
    // Whether some published nodes, with how often each is, show just the target below a node.
    const counts = new Map([...held].filter(([node]) => this.isInside(node, top)).map(([node, count]) => [node, BigInt(count)]));
    for (const level of [...new Set(this.depth)].sort((a, b) => b - a)) {
      const here = [...counts].filter(([node]) => this.depth[node] === level), wholes = new Map();
      for (const [node, count] of here) wholes.set(this.above[node], (wholes.get(this.above[node]) ?? 0n) + count);
      for (const [node, count] of here) {
        const above = this.above[node], whole = this.weight(above);
        if (!whole || count * whole !== this.weight(node) * wholes.get(above)) return false;
      }
      for (const [node, whole] of wholes) if (node !== top) counts.set(node, (counts.get(node) ?? 0n) + whole);
    }
    return true;
  }
}

function targetOf(column, group) {
  // The target of a column for a group: that of everybody, or its own.
  const { lists, of } = DATA.release.targets[column.name], at = of ? of[group] : 0;
  column.targets ??= [];
  return column.targets[at] ??= new Target(column, lists[at].map(BigInt));
}

function nodesOfGroups(column) {
  // By group how often it publishes each node.
  const { release } = DATA, [, { code: owner }] = release.group;
  return remembered("nodes", [column], () => {
    const found = release.groups.map(() => new Map());
    owner.forEach((group, row) => found[group].set(column.code[row], (found[group].get(column.code[row]) ?? 0) + 1));
    return found;
  });
}

function checkDisguised(record, options) {
  const { release } = DATA, { known, own, columns, leftOut } = whoAsks(record), [{ code: groupOf }] = release.group;
  const cells = columns.map((one) => [one.code, one.mayBe(known.get(one))]), held = new Int32Array(release.groups.length);
  for (let row = 0; row < release.n; row++) if (cells.every(([code, may]) => may[code[row]])) held[groupOf[row]]++;
  const groups = [...held.keys()].filter((group) => held[group]), all = sumOf(groups.map((group) => held[group]));
  const fits = { release, groups, columns, weights: groups.map((group) => held[group] / Math.max(all, 1)) };
  fits.codes = columns.map((one) => one.cellOf(known.get(one)));
  const parts = release.columns.filter(({ role }) => role === "sensitive").map((column) => shownIn(column, fits, own.get(column)));
  nodesAsked(options.node, parts);
  for (const part of parts) part.learned = learnedLeaf(part);
  return assembled(DISGUISED, { ...fits, options, parts, people: sumOf(groups.map((group) => groupSizes()[group])) }, columns, leftOut);
}

function shownIn(column, fits, given) {
  // What the groups that fit show of one sensitive column beside its target.
  const { groups, weights } = fits, tree = targetOf(column, groups[0] ?? 0), width = tree.names.length, leaves = tree.leaves.length;
  const amounts = new Map(), published = new Int32Array(width), here = new Float64Array(leaves), target = new Float64Array(leaves);
  groups.forEach((group, at) => {
    const mine = targetOf(column, group), nodes = nodesOfGroups(column)[group], size = sumOf([...nodes.values()]);
    if (!amounts.has(mine)) amounts.set(mine, [new Float64Array(width), 0]);
    for (const [node, count] of nodes) {
      amounts.get(mine)[0][node] += count * weights[at] / size;
      published[node] += count;
    }
    amounts.get(mine)[1] += weights[at];
  });
  for (const [mine, [some, weight]] of amounts) {
    mine.believe(some).forEach((chance, at) => { here[at] += chance; });
    mine.shares.forEach((share, at) => { target[at] += DATA.release.targets[column.name].of ? weight * share : share; });
  }
  const far = here.reduce((sum, chance, at) => sum + Math.abs(chance - target[at]), 0) / 2;
  return {
    ...fits, column, tree, here, target, published, title: column.title, own: placeIn(tree, given, column), node: null,
    surest: Number(fixed(largest(here), 12, false)), away: far > CLOSE ? Number(fixed(far, 12, false)) : 0, may: possibleLeaves(tree, published),
  };
}

function placeIn(tree, given, column) {
  // The place of her own value among those of the tree; null where she did not give it.
  if (given === undefined) return null;
  const name = shownOwn(given), node = tree.names.indexOf(name), place = tree.leaves.indexOf(node);
  if (place < 0) throw new Refused(uiWords("no-node", { value: name, title: column.title, known: listKnown(tree.leaves.map((leaf) => tree.names[leaf])) }), column.name);
  return place;
}

function nodesAsked(given, parts) {
  // The node she requires of each column whose tree has it, but where it does not hold her value.
  if (given == null) return;
  for (const part of parts) {
    const { tree, own } = part, node = tree.names.indexOf(given.trim());
    if (node >= 0 && (own === null || (tree.first[node] <= own && own < tree.last[node]))) part.node = node;
  }
  const [{ tree, title }] = parts, wide = (node) => tree.last[node] - tree.first[node];
  const known = [...tree.names.keys()].sort((a, b) => wide(b) - wide(a)).map((node) => tree.names[node]);
  if (parts.every(({ node }) => node === null)) throw refused("no-node", { value: given, title, known: listKnown(known) }, "node");
}

function learnedLeaf(found) {
  // What somebody guesses who learned from the whole table, a published node being read as the target says.
  const { release, column, tree, surest } = found, leaves = tree.leaves.length;
  if (!Object.hasOwn(release.learned ?? {}, column.name)) return null;
  const everywhere = new Float64Array(leaves + 1), read = { name: column.name, title: column.title, none: leaves, within: "leaves" };
  const one = (node) => Float64Array.from(tree.names, (_, at) => (at === node ? 1 : 0));
  const held = remembered("leaves", [read], () => {
    const shares = tree.names.map((_, node) => tree.believe(one(node))), [, { code: owner }] = release.group;
    const sums = release.groups.map(() => new Float64Array(leaves));
    owner.forEach((group, row) => shares[column.code[row]].forEach((share, at) => { sums[group][at] += share; }));
    return sums.map((each) => [...each].map((amount, at) => [at, amount]).filter(([, amount]) => amount));
  });
  const total = held.reduce((sum, each) => each.reduce((part, [, amount]) => part + amount, sum), 0);
  for (const each of held) for (const [at, amount] of each) everywhere[at] += amount / total;
  return learnedGuess(read, found, { surest, everywhere, value: (at) => (at === leaves ? "missing" : nodeWords(tree, tree.leaves[at], column)) });
}

function nodeName(tree, node, { dated }) { return dated ? datesShownIn(tree.names[node]) : tree.names[node]; }

function nodeWords(tree, node, column) { return valueWords(nodeName(tree, node, column), column); }

function leafName(tree, at, column) { return nodeName(tree, tree.leaves[at], column); }

function datesShownIn(name) { return name.replace(/-?\d+(?:\.\d+)?/g, (days) => dateText(Number(days))); }

function exposedByTarget({ column, tree }) {
  // The people in groups that show one value.
  if (tree.leaves.length < 2) return 0;
  return nodesOfGroups(column).reduce((sum, nodes, group) => sum + (nodes.size === 1 && tree.leaves.includes([...nodes.keys()][0]) ? groupSizes()[group] : 0), 0);
}

function isRespected({ groups, column, tree, node }) {
  // Whether below her node just the target is shown, in each group that shows any of it.
  let told = false;
  for (const group of groups) {
    const mine = targetOf(column, group), near = [...nodesOfGroups(column)[group]].filter(([one]) => tree.first[one] < tree.last[node] && tree.first[node] < tree.last[one]);
    if (!near.length) continue;
    told = true;
    if (!mine.weight(node) || !mine.isEven(near, node)) return false;
  }
  return told;
}

function coverOf({ tree, published }) {
  // The smallest node that covers all that is published in the groups that fit.
  const used = [...published.keys()].filter((node) => published[node]);
  const first = -largest(used.map((node) => -tree.first[node])), last = largest(used.map((node) => tree.last[node]));
  const around = tree.post.filter((node) => tree.first[node] <= first && last <= tree.last[node]);
  return around.reduce((a, b) => (tree.last[b] - tree.first[b] < tree.last[a] - tree.first[a] ? b : a), around[0]);
}

function* headsOfPart(part) {
  const { release, column, tree, groups, node, here, target, surest, learned, title } = part, cover = groups.length ? coverOf(part) : tree.root;
  yield ["disguised.none-fits", !groups.length, {}];
  // whether she lets everybody know all that the groups give away for certain
  const allowed = node !== null && tree.first[cover] <= tree.first[node] && tree.last[node] <= tree.last[cover];
  const certain = { title, value: nodeWords(tree, cover, column) }, top = topOf(part);
  const told = { title, value: nodeWords(tree, tree.leaves[top], column), surest }, people = exposedByTarget(part);
  yield ["disguised.learns", tree.leaves.includes(cover) && !allowed, certain];
  yield ["disguised.guesses", surest >= SURE && SURE > target[top], told];
  yield ["split.learned-guesses", learned && learned.chance >= SURE && SURE > learned.everywhere, learned];
  yield ["disguised.learns-kind", cover !== tree.root && !allowed, certain];
  yield [`disguised.${release.personal ? "some-give-away" : "table-gives-away"}`, people, { people, records: release.n, title }];
  yield ["split.learned-most", learned && learned.chance > surest, learned];
  yield ["disguised.no-warning", true, { ...told, better: DATA.speech.rests.repeater }];
}

function topOf({ here, surest }) { return here.findIndex((chance) => chance >= surest - CLOSE); }

function* targetLines(part) {
  const { release, column, tree, here, surest, away } = part, cover = coverOf(part), certain = tree.leaves.includes(cover);
  const alike = here.filter((chance) => chance >= surest - CLOSE).length, { tolerance } = release.targets[column.name];
  const told = { ...part, alike, tolerance, value: nodeWords(tree, certain ? cover : tree.leaves[topOf(part)], column) };
  const moved = release.personal ? "own-way" : tolerance ? "near-target" : "off-target";
  yield [`disguised.${away ? moved : "target"}`, true, told];
  yield [`disguised.${certain ? "one-value" : alike === 1 ? "likeliest" : "one-of-the-likeliest"}`, true, told];
}

function* leafLines(part) {
  const { column, tree, here, target, own, may, title } = part, possible = may.filter(Boolean).length;
  const exact = (chance) => Number(fixed(chance, 12, false)), told = { title, values: possible, others: possible - 1 };
  if (own !== null)
    yield [`disguised.own${may[own] ? "" : "-absent"}`, true, { title, here: exact(here[own]), target: exact(target[own]), own: nodeWords(tree, tree.leaves[own], column) }];
  yield ["disguised.two-values", possible === 2, told];
  yield ["disguised.several-values", possible > 2, told];
  if (possible > 1) yield* learnedLines(part);
}

const MOST_BARS = 16;
const DISGUISED = byLines({
  fitting: ({ people }) => people,
  tables({ release, groups, weights, parts }) {
    const values = parts.flatMap(({ column, tree, here, target, may }) => [...here.keys()].filter((at) => may[at]).map((at) => (
      { attribute: column.title, value: leafName(tree, at, column), here: 100 * here[at], target: 100 * target[at] })));
    return {
      groups: orderByChance(weights).slice(0, MOST_GROUPS).map((at) => ({ group: release.groups[groups[at]], people: groupSizes()[groups[at]], yours: 100 * weights[at] })),
      values: values.sort((a, b) => Math.round(1e10 * (b.here - a.here))).slice(0, MOST_GROUPS),
    };
  },
  unmet: ({ groups, parts, options: { ell } }) => (!groups.length ? null : parts.flatMap((part) => [
    ["disguised.not-respected", part.node !== null && !isRespected(part), { node: nodeWords(part.tree, part.node ?? 0, part.column) }],
    ["disguised.too-sure", part.surest * (ell ?? 0) > 1 + CLOSE, { ...part, required: ell }],
  ])),
  *heads({ parts }) {
    const all = parts.map((part) => [...headsOfPart(part)]);  // the worst of all first
    for (const at of all[0].keys()) for (const lines of all) yield lines[at];
  },
  *lines({ release, groups, parts, people }) {
    const [first] = parts, count = groups.length, most = MOST_GROUPS;
    yield ["disguised.name-yours", release.personal && first.node === null, first];
    if (!count) {
      yield ["disguised.figure-none", true, first];
      return;
    }
    const added = sumOf(parts.map(({ column }) => column.code.length - release.n));
    const told = { count, groups: release.groups.length, people, added, away: largest(parts.map(({ away }) => away)) };
    yield [`disguised.figure-group${count > 1 ? "s" : ""}`, true, told];
    const surest = parts.reduce((a, b) => (b.surest > a.surest ? b : a)), likelier = surest.learned !== null && surest.learned.chance > surest.surest;
    yield ["split.figure-learned", likelier, surest.learned];
    yield ["disguised.figure-guess", !likelier, surest];
    yield ["disguised.figure-away", true, told];
    yield [`disguised.${told.groups === 1 ? "whole-table" : count === 1 ? "one-group" : "several-groups"}`, true, told];
    for (const part of parts) yield* targetLines(part);
    const counts = parts.map(({ tree, published }) => {
      const all = sumOf(published), single = sumOf(tree.leaves.map((leaf) => published[leaf])), root = tree.leaves.length > 1 ? published[tree.root] : 0;
      return { values: all, single, several: all - single - root, root };
    });
    const summed = Object.fromEntries(Object.keys(counts[0]).map((name) => [name, sumOf(counts.map((one) => one[name]))]));
    yield [`disguised.values${added ? "-and-nobodys" : ""}`, true, { ...told, ...summed }];
    for (const part of parts) yield* leafLines(part);
    yield ["common.unattacked", true, {}];
    const possible = sumOf(parts.map(({ here, may }) => (here.length > MOST_BARS ? may.filter(Boolean).length : 0)));
    for (const number of [count, possible]) yield ["disguised.cut", number > most, { most, number }];
  },
});

function possibleLeaves({ first, last, leaves }, published) {
  // Whether each value lies below something that is published in the groups that fit.
  const may = leaves.map(() => false);
  published.forEach((count, node) => { if (count) may.fill(true, first[node], last[node]); });
  return may;
}
