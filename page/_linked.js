// What a published graph tells of one name: the group of it, and how likely each of its links looks.

const FEW_NAMES = 3, MOST_GROUPS = 20;

class Named {
  // The names of one side of a graph, by group; and the group of each of its nodes.
  constructor(title, names, groups, nodes) {
    Object.assign(this, { name: title, title, names, groups, nodes, quoted: quotedText(title), none: names.length });
    Object.assign(this, { kind: "nominal", role: "quasi", unit: "", categories: null, labels: [], read: [], closed: false });
    this.sizes = countsOf(nodes, largest(nodes) + 1);
  }

  shown(code) { return this.names[code]; }

  list(group, hers) {
    // The first few names of a group but her own, and how many more it has.
    const first = lowerBound(this.groups, group), all = this.names.slice(first, upperBound(this.groups, group)).filter((name) => name !== hers);
    const more = all.length - FEW_NAMES, names = all.slice(0, FEW_NAMES).join(", ");
    return more > 0 ? uiWords("names-more", { names, count: more }) : names;
  }
}

function checkGraph(record, options, typed) {
  const { release } = DATA, { sides, edges, mirrored } = release, twins = sides[0].name === sides[1].name;
  const given = [record.get(sides[0].name), (twins ? record : typed).get(sides[1].name)].map((text) => (text ?? "").trim());
  if (!given.some(Boolean)) throw new Refused(uiWords("empty"), null);
  const at = given[0] ? 0 : 1, [mine, others] = [sides[at], sides[1 - at]], name = given[at];
  const other = at || twins || !given[1] ? null : given[1], place = mine.names.indexOf(name), group = place < 0 ? -1 : mine.groups[place];
  const found = {
    release, options, mine, others, name, other, place: other === null ? -1 : others.names.indexOf(other),
    size: group < 0 ? 0 : mine.sizes[group], title: others.title, most: MOST_GROUPS, harm: [others.title], group, hers: mirrored ? name : null,
    ...linksOf(edges, at, mine, others, mirrored ? group : -1, group),
  };
  const surest = found.groups[0]?.chance ?? 0, degrees = [...found.degrees.values()];
  while (degrees.length < found.size) degrees.push(0);
  const few = -largest(degrees.map((one) => -one)), many = largest(degrees), counts = new Map();
  for (const one of degrees) counts.set(one, (counts.get(one) ?? 0) + 1);
  Object.assign(found, {
    surest, few, many, links: many, unique: [...counts.values()].filter((one) => one === 1).length, better: better(),
    one: 1 / Math.max(found.size - 1, 1), last: found.size - 1, number: found.groups.length,
    names: found.groups.length ? others.list(found.groups[0].group, found.hers) : "",
  });
  return assembled(GRAPH, found, other === null ? [mine] : [mine, others], []);
}

function linksOf(links, at, mine, others, own, group) {
  // The links of the nodes that may be hers, how many each has, and the groups they lead to, the likeliest first.
  const ends = [], degrees = new Map(), far = new Map(), reached = new Set();
  links[at].forEach((node, link) => {
    if (mine.nodes[node] !== group) return;
    const to = links[1 - at][link], home = others.nodes[to], held = far.get(home) ?? { group: home, links: 0, nodes: new Set() };
    ends.push([node, home]);
    reached.add(to);
    degrees.set(node, (degrees.get(node) ?? 0) + 1);
    held.links++;
    held.nodes.add(node);
    far.set(home, held);
  });
  const groups = [...far.values()].sort((a, b) => a.group - b.group).map((held) => ({
    ...held, reaching: held.nodes.size, chance: held.links / (mine.sizes[group] * (others.sizes[held.group] - (held.group === own ? 1 : 0))),  // nobody is linked to herself
  }));
  return { ends, degrees, groups: groups.sort((a, b) => b.chance - a.chance), apart: reached.size === ends.length };
}

function learnedLink({ ends, others, place, hers, group: own }) {
  // What somebody knows who learned her link to the other name: the nodes left, and the likeliest of her others.
  const home = others.groups[place], ways = new Map(), sums = new Map();
  for (const [node, to] of ends) if (to === home) ways.set(node, (ways.get(node) ?? 0) + 1);
  const pairs = [...ways.values()].reduce((sum, one) => sum + one, 0);
  for (const [node, to] of ends) if (ways.has(node)) sums.set(to, (sums.get(to) ?? 0) + ways.get(node) / pairs);
  sums.set(home, sums.get(home) - 1);  // the learned one itself
  const left = [...sums].sort(([a], [b]) => a - b).map(([group, sum]) => [group, sum, others.sizes[group] - (group === home ? 1 : 0) - (hers !== null && group === own ? 1 : 0)])
    .filter(([, sum, size]) => sum > CLOSE && size > 0).map(([group, sum, size]) => [group, sum / size]).sort(([, a], [, b]) => b - a);
  return { nodes: ways.size, names: left.length ? others.list(left[0][0], hers) : "", chance: left[0]?.[1] ?? 0, some: left.length > 0 };
}

function certainLinks({ sides: [left, right], edges: [from, to], mirrored }) {
  // How many links join two groups of which every node is linked to every node.
  return remembered("certain", [], () => {
    const counts = new Map(), width = right.sizes.length;
    from.forEach((node, link) => {
      const key = left.nodes[node] * width + right.nodes[to[link]];
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    let found = 0;
    for (const [key, count] of counts) {
      const [a, b] = [Math.floor(key / width), key % width];
      if (count === left.sizes[a] * (right.sizes[b] - (mirrored && a === b ? 1 : 0))) found += count;
    }
    return mirrored ? Math.floor(found / 2) : found;
  });
}

const GRAPH = byLines({
  tables: ({ groups, others, size, hers }) => ({
    links: groups.slice(0, MOST_GROUPS).map(({ group, links, reaching, chance }) => (
      { any: others.list(group, hers), links, each: 100 * chance, some: 100 * reaching / size })),
  }),
  unmet: ({ size, surest, options: { k, ell } }) => (!size ? null : [
    ["graph.too-few", size < (k ?? 0), { size, required: k }],
    ["graph.too-sure", surest * (ell ?? 0) > 1 + CLOSE, { surest, required: ell }],
  ]),
  *heads(found) {
    const { release, mine, size, surest, name } = found, certain = certainLinks(release), alone = mine.sizes.filter((one) => one === 1).length;
    yield ["graph.none", !size, { title: mine.title, name }];
    yield ["graph.learns", surest === 1, found];
    yield ["graph.guesses", surest >= SURE, found];
    yield ["graph.alone", size === 1, {}];
    yield ["graph.table-certain", certain, { certain, links: release.n }];
    yield ["graph.table-alone", alone, { alone, names: mine.names.length }];
    yield ["graph.no-warning", true, found];
  },
  *lines(found) {
    const { release, others, other, place, size, few, many, groups, apart } = found;
    if (!size) {
      yield ["common.figure-published", true, { records: release.n }];
      return;
    }
    yield ["graph.figure-group", true, found];
    yield ["graph.figure-guess", true, found];
    yield [`graph.figure-${few === many ? "links" : "between"}`, true, found];
    yield [`graph.${size === 1 ? "alone-in" : "group"}`, true, found];
    yield ["graph.no-links", many === 0, found];
    yield ["graph.links", few === many && many > 0, found];
    yield [`graph.links-${found.unique ? "between" : "shared"}`, few < many, found];
    if (groups.length) {
      // the smallest group of the other side to which every node is linked that may be hers
      const certain = groups.filter(({ reaching, chance }) => reaching === size && chance < 1);
      const least = certain.reduce((a, b) => (others.sizes[b.group] < others.sizes[a.group] ? b : a), certain[0]);
      yield ["graph.likeliest", true, found];
      yield ["graph.one-of", certain.length, { names: least && others.list(least.group, found.hers) }];
      yield [apart ? `graph.learned${size === 2 ? "-one" : ""}` : "graph.not-apart", size > 1 && !release.mirrored, found];
    }
    if (other !== null) {
      const hers = place < 0 ? 0 : groups.find(({ group }) => group === others.groups[place])?.chance ?? 0;
      if (!hers) yield [`graph.${place < 0 ? "other-unknown" : "own-impossible"}`, true, found];
      else {
        const learned = learnedLink(found);
        yield ["graph.own", true, { ...found, chance: hers }];
        yield [`graph.own-learned${learned.some ? (learned.nodes === 1 ? "-node" : "") : "-alone"}`, true, { ...found, ...learned }];
      }
    }
    yield ["graph.cut", groups.length > MOST_GROUPS, found];
  },
});

function graphOf(facts, names, [leftGroups, leftNodes, rightGroups, rightNodes, ...edges]) {
  // A graph as it is asked: names of both sides by group, the groups of their nodes, and links between nodes.
  const [left, right] = facts.schema.map(({ name }) => name), codes = (part) => part.code;
  const sides = [new Named(left, names[0], ...[leftGroups, leftNodes].map(codes)), new Named(right ?? left, names[1], ...[rightGroups, rightNodes].map(codes))];
  return { ...facts, sides, edges: edges.map(codes), columns: right === undefined ? sides.slice(0, 1) : sides };
}
