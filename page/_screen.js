// What the person sees: every text becomes a text node, nothing is stored, nothing is sent.

const SIGNS = { warning: ["warning", "⚠\ufe0e"], no: ["", "○"], cannot: ["unknown", "?"] };
const ROOM = 832;  // from this width on the answer is not folded
const PERSON = "a3 3 0 1 0 .1 0zm-4 12.5v-2a4 4 0 0 1 8 0v2z";  // from the top of the head
const SEEN = { release: null, bare: null, wrong: null, turn: 0, others: [] };  // what `_work.js` tells, and whom to ask

function make(tag, content = [], attributes = {}) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null) made.setAttribute(name, value);
  made.append(...[content].flat().filter((part) => part !== null && part !== ""));
  return made;
}

function byId(id) { return document.getElementById(id); }

function field(id, label, box, help = "") {
  const told = help ? make("small", help, { id: `${id}-help` }) : null;
  const error = make("p", [], { id: `${id}-error`, class: "error", role: "alert" });
  box.id = id;
  box.setAttribute("aria-describedby", help ? `${id}-help ${id}-error` : `${id}-error`);
  return make("div", [make("label", label, { for: id }), told, box, error], { class: "field" });
}

function textBox(mode = "decimal") {
  return make("input", [], {
    type: "text", inputmode: mode, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  });
}

function choice(names, labels) {
  const options = names.map((name, at) => make("option", labels[at], { value: name }));
  return make("select", options, { autocomplete: "off" });
}

function isRankedTable() { return ["masked", "indexed"].includes(SEEN.release.kind); }

function columnField(column, at) {
  const unit = column.dated ? uiWords("date") : column.unit, label = unit ? `${column.title} (${unit})` : column.title;
  if (column.listed && column.offered.length)
    return field(`own-${at}`, label, choice(["", ...column.offered], [uiWords("silent"), ...column.offered]));
  if (column.kind !== "numeric" && column.categories !== null && listsAll(column))
    return field(`own-${at}`, label,
      choice(["", ...column.categories], [uiWords("silent"), ...column.categories]));
  if (!isRankedTable() || !column.ends) return labelledField(column, at, label);
  return field(`own-${at}`, label, textBox(), endsWords(column));
}

function listsAll(column) {
  // Whether nothing but the categories of a column can be said of it, and they make a short list.
  const others = !isRankedTable() && !column.strict;
  return !others && column.categories.length <= 300;
}

function endsWords({ ends: [low, high] }) { return uiWords("range", { low, high }); }

function labelledField(column, at, label) {
  if (column.ends) return field(`own-${at}`, label, textBox(), endsWords(column));
  const cells = column.cells.map(dateWords).join(", ") + (column.more ? " …" : "");
  const box = textBox(column.kind === "numeric" ? "decimal" : "text");
  const made = field(`own-${at}`, label, box, cells && uiWords("published", { cells }));
  if (column.offered.length) {  // what can be said, offered while she types
    box.setAttribute("list", `offered-${at}`);
    made.append(make("datalist", column.offered.map((name) => make("option", [], { value: name })), { id: `offered-${at}` }));
  }
  return made;
}

function fieldsOf(role) {
  return SEEN.release.columns.map((column, at) => [column, at])
    .filter(([column]) => isRankedTable() || column.role === role)
    .map(([column, at]) => columnField(column, at));
}

function furtherFields() {
  // What she may say besides: her sensitive values, and what she requires.
  if (isRankedTable())
    return [make("details", [make("summary", uiWords("asked")), ...askedFields()])];
  const own = [make("p", uiWords("sensitive-why"), { class: "soft" }), ...fieldsOf("sensitive")];
  const needs = NEEDS[SEEN.release.kind].map(([name, words, mode]) => field(name, uiWords(words), textBox(mode)));
  return [
    ...(own.length > 1 ? [make("details", [make("summary", uiWords("sensitive")), ...own])] : []),
    make("details", [make("summary", uiWords("wanted")), ...needs]),
    ...(takesOthers() ? [make("details", [make("summary", uiWords("others")), othersField(), make("p", othersWords(), { role: "status" })])] : []),
  ];
}

// What can be required of a kind, in which words, and what is typed.
const NEEDS = {
  generalized: [["k", "k", "numeric"], ["ell", "ell", "numeric"]],
  split: [["ell", "ell-guess", "numeric"]],
  randomized: [["k", "k-drawn", "numeric"], ["ell", "ell-drawn", "numeric"]],
  disguised: [["node", "node", "text"], ["ell", "ell-target", "numeric"]],
  graph: [["k", "k-graph", "numeric"], ["ell", "ell-graph", "numeric"]],
  numbers: [["k", "k-numbers", "numeric"], ["e", "e-numbers", "decimal"], ["ell", "ell-guess", "numeric"]],
};

function takesOthers() { return BY_VALUES.includes(SEEN.release.kind); }

function othersField() {
  // Where other tables of the same people are given.
  const box = byId("others") ?? make("input", [], { type: "file", multiple: "" });
  box.onchange = () => takeOthers([...box.files]);
  return field("others", uiWords(DATA.empty ? "others-files" : "others-pages"), box, uiWords("others-help"));
}

function othersWords() { return SEEN.others.length ? uiWords("others-told", { names: SEEN.others }) : ""; }

async function takeOthers(files) {
  // Tables to be put together with this one, in place of those given before.
  byId("others-error").textContent = "";
  try {
    Object.assign(SEEN, await SEEN.ask("others", files), { others: files.map(({ name }) => name) });
    keeping("form", drawForm);
    outdated();
  } catch (error) {
    refuse(Object.assign(error, { box: "others" }));
  }
}

function askedFields() {
  const places = field("distance", uiWords("distance"), textBox("numeric"));
  if (SEEN.release.kind === "indexed") return [places];
  const names = Object.keys(DIRECTIONS);
  const needs = SEEN.release.columns.map((column, at) =>
    field(`need-${at}`, uiWords("diversity", { title: column.title }), textBox()));
  return [
    places,
    field("criterion", uiWords("criterion"), choice(names, names.map((n) => DATA.words.criteria[n]))),
    field("apart", uiWords("apart"), textBox()),
    ...needs,
    field("looks", uiWords("looks"), textBox("numeric")),
  ];
}

function start() {
  byId("choice").replaceChildren(...languageChoice());
  if (DATA.empty) openDoor();
  draw();
  byId("form").addEventListener("submit", (event) => { event.preventDefault(); answer(); });
  byId("form").addEventListener("input", () => { if (!SEEN.working) outdated(); SEEN.edited = true; });
}

function languageChoice() {
  const names = Object.keys(DATA.languages), labels = names.map((name) => DATA.languages[name].name);
  const box = choice(names, labels);
  [box.id, box.value] = ["language", DATA.spoken];
  names.forEach((name, at) => box.options[at].setAttribute("lang", name));
  box.addEventListener("change", () => speakNow(box.value));
  return [make("label", DATA.words.language, { for: "language", id: "language-label" }), box];
}

async function speakNow(name) {
  // The same page with the same values, in another language; an answer is given anew.
  const { release } = await SEEN.ask("speak", name), answered = byId("card").childNodes.length > 0;
  const again = SEEN.working || (answered && !byId("answer").matches(".stale"));
  SEEN.release = release;
  speak(name);
  keeping("form", draw);
  byId("card").replaceChildren();
  outdated();
  if (again) await answer(false);
}

function keeping(id, redraw) {
  // Draw a part anew, with what was typed in it, opened and in hand as before.
  const part = byId(id), inHand = document.activeElement.id;
  const typed = [...part.querySelectorAll("input:not([type=file]), select")].map((box) => [box.id, box.value]);
  const open = [...part.querySelectorAll("details")].map((one) => one.open);
  redraw();
  for (const [name, value] of typed) if (byId(name)) byId(name).value = value;
  part.querySelectorAll("details").forEach((one, at) => { one.open = open[at]; });
  if (inHand) byId(inHand)?.focus();
}

function draw() {
  document.documentElement.lang = DATA.spoken;
  document.title = byId("title").textContent = DATA.title || uiWords("title");
  byId("language-label").textContent = uiWords("language");
  byId("care").textContent = uiWords("care");
  byId("answer").setAttribute("aria-label", uiWords("answer"));
  byId("made").textContent = uiWords(DATA.empty ? "made-empty" : "made", DATA.made);
  if (DATA.empty) drawDoor();
  byId("form").hidden = !SEEN.release;
  if (SEEN.release) drawForm();
}

function drawForm() {
  const { release } = SEEN, masked = isRankedTable();
  const titled = new Set(release.schema.map(({ name }) => name));
  const asked = masked ? release.columns : release.columns.filter(({ name, role }) => role === "quasi" && titled.has(name));
  const told = { records: release.n, attributes: asked.length };
  byId("lead").textContent = uiWords(masked ? "lead" : release.kind === "graph" ? "lead-graph" : "lead-fits", told);
  const { publisher, contact, year, people, licence } = release.about;
  const lines = [["published-by", [publisher, contact, year, licence]], ["concerns", [people]]].map(([name, parts]) => [name, parts.filter(Boolean).join(", ")]);
  byId("about").textContent = lines.filter(([, text]) => text).map(([name, text]) => uiWords("labelled", { label: uiWords(name) }) + ` ${text}`).join("; ");
  byId("method").textContent =
    release.told ? uiWords("method", { told: release.told }) : uiWords("untold");
  byId("form").replaceChildren(
    make("h2", uiWords("yours")), make("p", uiWords("leave"), { class: "soft" }),
    ...fieldsOf("quasi"), ...furtherFields(),
    make("p", [], { id: "form-error", class: "error", role: "alert" }),
    make("button", uiWords("check"), { type: "submit" }),
  );
}

function outdated() {
  byId("late").textContent = byId("card").childNodes.length ? uiWords("earlier") : "";
  byId("answer").classList.toggle("stale", byId("card").childNodes.length > 0);
}

async function answer(jump = true) {
  // Ask for a verdict; where she asks again before it is there, only the last one is shown.
  for (const error of document.querySelectorAll(".error")) error.textContent = "";
  for (const box of document.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
  byId("late").textContent = uiWords("working");
  byId("answer").classList.add("stale");
  const turn = ++SEEN.turn;
  [SEEN.working, SEEN.edited] = [true, false];
  try {
    const report = await SEEN.ask("check", typedRecord(), typedOptions());
    if (turn === SEEN.turn) showReport(report, jump);
  } catch (error) {
    if (turn !== SEEN.turn) return;
    SEEN.working = false;
    refuse(error instanceof Refused ? error : new Refused(uiWords("fault", { reason: error.message }), null));
  }
}

function showReport(report, jump) {
  // Show a verdict, and go there; where she has typed on meanwhile, as one on earlier values.
  SEEN.working = false;
  byId("card").replaceChildren(...card(report));
  outdated();
  if (SEEN.edited) return;
  byId("late").textContent = "";
  byId("spoken").textContent = [uiWords("labelled", { label: report.tag }), report.text].join(" ");
  byId("answer").classList.remove("stale");
  if (!jump) return;
  byId("answer").focus({ preventScroll: true });
  byId("answer").scrollIntoView({ block: "start" });
}

function refuse(error) {
  const at = SEEN.release.columns.findIndex((column) => column.name === error.column);
  const id = error.box ?? (at >= 0 ? `own-${at}` : null);
  byId(id ? `${id}-error` : "form-error").textContent = error.message;
  if (id) {
    byId(id).setAttribute("aria-invalid", "true");
    byId(id).closest("details")?.setAttribute("open", "");
  }
  byId(id ?? "own-0").focus();
  outdated();
}

function typedRecord() {
  return new Map(SEEN.release.columns.map((c, at) => [c.name, byId(`own-${at}`).value]));
}

function typedNumber(id, title, least) {
  const value = plainly(byId(id).value).trim(), whole = least !== undefined;
  if (value === "") return null;
  const fits = (whole ? WHOLE : NUMBER).test(value) && Number(value) >= (least ?? 0);
  if (fits && Number.isFinite(Number(value))) return Number(value);
  throw refused(whole ? "no-whole" : "no-share", { value, title, least: String(least) }, id);
}

function typedOptions() {
  if (SEEN.release.kind === "indexed")
    return { distance: typedNumber("distance", uiWords("distance"), 0) };
  if (SEEN.release.kind !== "masked") {
    const typed = { numeric: (name, words) => typedNumber(name, words, 1), decimal: typedNumber, text: (name) => byId(name).value.trim() || null };
    return Object.fromEntries(NEEDS[SEEN.release.kind].map(([name, words, mode]) => [name, typed[mode](name, uiWords(words))]));
  }
  const criterion = byId("criterion").value, diversity = new Map();
  SEEN.release.columns.forEach((column, at) => {
    const need = typedNumber(`need-${at}`, column.title);
    if (need !== null && byId(`own-${at}`).value.trim() !== "") diversity.set(column.name, need);
  });
  const apart = typedNumber("apart", uiWords("apart"));
  if (criterion === "packing" && !(apart > 0)) throw refused("no-apart", {}, "apart");
  return {
    criterion, apart,
    distance: typedNumber("distance", uiWords("distance"), 0),
    diversity: diversity.size ? diversity : null,
    looks: typedNumber("looks", uiWords("looks"), 1) ?? 1,
  };
}

function card(report) {
  const told = (name) => report.parts.filter(([part]) => part === name).map(([, text]) => text);
  const found = report.parts.filter(([part]) => ["found", "term"].includes(part))
    .map(([part, text]) => make("p", text, { class: part === "term" ? "soft" : null }));
  const numbers = report.attributes ? [picture(report), ...table(report)] : tables(report);
  const [first, ...steps] = told("now");
  return [
    headBox(report, told, first),
    ...(steps.length ? [make("h3", uiWords("next")), make("ul", steps.map((text) => make("li", text)))] : []),
    ...notesBoxes(report, told),
    foldedBox("limits", [...told("sure").map((text) => make("p", text)), ...cannotWords(report)]),
    foldedBox("found", found), foldedBox("numbers", [figureBoxes(report), ...numbers, ...details(report)]),
    ...told("letter").map((text) => make("details", [make("summary", uiWords("letter")), make("p", text)], { class: "screen" })), printButton(),
  ];
}

function foldedBox(heading, parts) {
  // What those read who want more: opened where there is room for it, and on paper.
  const open = innerWidth >= ROOM ? "" : null;
  return parts.length ? make("details", [make("summary", uiWords(heading)), ...parts], { open, class: "more" }) : "";
}

function cannotWords(report) {
  // What this page does not do, and who does.
  const learns = !["split", "numbers", "disguised"].includes(SEEN.release.kind) || SEEN.release.learned;
  const names = [
    ...(report.repeatable ? ["cannot"] : []), ...(DATA.empty || !isRankedTable() ? [] : ["cannot-other"]),
    ...(learns ? [] : ["cannot-learn"]), ...(!takesOthers() ? ["several"] : SEEN.others.length ? [] : ["others-help"]),
  ];
  const lasting = ["cannot", "cannot-learn"];  // what the other sentences advise is done on a screen
  return names.map((name) => make("p", uiWords(name), { class: lasting.includes(name) ? null : "screen" }));
}

function headBox({ state, tag, people }, told, step) {
  // What somebody could learn of her, how likely that is, and what she can do now.
  const [look, sign] = SIGNS[state.split("-")[0]], lines = (name) => told(name).map((text) => make("p", text));
  const top = make("span", [make("span", sign, { "aria-hidden": "true" }), ` ${tag}`], { class: "tag" });
  const first = make("p", make("b", told("headline")), { class: "first" });
  const now = make("p", [make("b", uiWords("labelled", { label: uiWords("next") })), ` ${[step, ...told("whom")].join(" ")}`], { class: "now" });
  const drawn = people.length ? [peopleDrawn(people)] : [];
  return make("div", [top, ...lines("harm"), first, ...drawn, ...lines("share"), now], { class: `head ${look}` });
}

function peopleDrawn(people) {
  // A hundred people, so many of them filled; of two numbers the second is filled lighter.
  const label = people.map((number) => ofWords("share", number, 100)).join(" – ");
  const svg = drawn("svg", { viewBox: "0 0 200 76", role: "img", "aria-label": label, class: "people" });
  [...people, 100].forEach((last, at) => {
    const one = (n) => `M${10 * (n % 20) + 5} ${15 * Math.floor(n / 20) + 1}${PERSON}`, first = at ? people[at - 1] : 0;
    const d = Array.from({ length: last - first }, (_, n) => one(first + n)).join("");
    svg.append(drawn("path", { d, class: at < people.length ? ["you", "window"][at] : "rest" }));
  });
  return svg;
}

function notesBoxes({ met }, told) {
  const [mark, look] = met === null ? ["", "note"] : met ? ["✓ ", "met"] : ["✗ ", "unmet"];
  const sign = make("span", mark, { "aria-hidden": "true" });
  return [
    ...told("asked").map((text) => make("p", [sign, text], { class: look })),
    ...told("note").map((note) => make("p", note, { class: "note" })),
  ];
}

function figureBoxes(report) {
  const boxes = report.figures.map((f) => make("div", [make("b", f.value), f.words]));
  return make("div", boxes, { class: "figures" });
}

function places(first, last) {
  if (first === null) return "–";
  const [low, high] = [first, last].map((rank) => local(commas(String(rank))));
  return first === last ? low : uiWords("to", { first: low, last: high });
}

function drawn(tag, attributes, content = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(content);
  return made;
}

function picture(report) {
  const { n, columns } = SEEN.release;
  const lines = report.attributes.filter((line) => line.first_rank !== null)
    .map((line) => [line, columns.find((c) => c.name === line.attribute)]);
  if (!lines.length) return "";
  const words = lines.map(([line, column]) => uiWords("line", {
    title: column.title, own: places(line.first_rank, line.last_rank),
    match: places(line.match_first, line.match_last),
  }));
  const label = `${uiWords("picture", { records: n })}. ${words.join(". ")}.`;
  const height = 54 * lines.length + 24;
  const svg = drawn("svg", { width: "100%", height, role: "img", "aria-label": label });
  lines.forEach(([line, column], at) => rankLine(svg, line, column.title, column.known, 54 * at));
  svg.append(drawn("text", { x: 0, y: height - 8 }, uiWords("lowest")));
  svg.append(drawn("text", { x: "100%", y: height - 8, "text-anchor": "end" }, uiWords("highest")));
  return make("figure", [svg, legend(report), explained(DATA.words.terms.places)]);
}

function rankLine(svg, line, title, n, top) {
  const at = (rank) => n > 1 ? 2 + 96 * (rank - 1) / (n - 1) : 50, y = top + 38;
  const bar = (from, to, height, look) => svg.append(drawn("rect", {
    x: `${at(from)}%`, y: y - height / 2, width: `${Math.max(at(to) - at(from), 0.4)}%`, height,
    class: look,
  }));
  svg.append(drawn("text", { x: 0, y: top + 16 }, title));
  bar(line.window_first, line.window_last, 24, "window");
  bar(1, n, 2, "axis");
  if (n <= 60)
    for (let rank = 1; rank <= n; rank++)
      svg.append(drawn("circle", { cx: `${at(rank)}%`, cy: y, r: 3, class: "dot" }));
  if (line.first_rank < line.last_rank) bar(line.first_rank, line.last_rank, 6, "you");
  if (line.match_first < line.match_last) bar(line.match_first, line.match_last, 3, "match");
  const own = Math.min(Math.max(line.match_first, line.first_rank), line.last_rank);
  svg.append(drawn("circle", { cx: `${at(own)}%`, cy: y, r: 7.5, class: "you" }));
  svg.append(drawn("rect", {
    x: `${at(line.match_rank)}%`, y: y - 7, width: 14, height: 14, transform: "translate(-7 0)",
    class: "record",
  }));
}

function legend(report) {
  const asked = report.attributes.some((line) => line.required_distance !== null);
  const marks = [
    ["circle", { cx: 10, cy: 9, r: 7.5, class: "you" }, "you"],
    ["rect", { x: 3, y: 2, width: 14, height: 14, class: "record" }, "record"],
    ["rect", { x: 1, y: 3, width: 18, height: 12, class: "window" }, asked ? "window-asked" : "window"],
  ];
  return make("figcaption", marks.map(([tag, attributes, words]) => {
    const svg = drawn("svg", { width: 20, height: 18, "aria-hidden": "true" });
    svg.append(drawn(tag, attributes));
    return make("span", [svg, uiWords(words)]);
  }));
}

function measureWords(report) {
  return DATA.words.measures[report.facts.criterion];
}

function table(report) {
  const heads = ["attribute", "own", "closest", "place", "record-place", "away"].map((w) => uiWords(w));
  heads.push(uiWords("spread", { measure: measureWords(report) }));
  if (report.met !== null) heads.push(uiWords("met"));
  const lines = report.attributes.map((line, at) => cells(report, line, at));
  const meanings = [tiedWords(report), DATA.words.meanings[report.facts.criterion]];
  return [grid(uiWords("numbers"), heads, lines), ...meanings.map(explained)]
    .filter((part) => part !== null);
}

function explained(words) {
  // What a term means, below what uses it.
  return words ? make("p", words, { class: "soft" }) : null;
}

function tiedWords({ attributes, matches }) {
  // What the lines show where no single one of the closest records is that near on all of them.
  const nearest = ([, ...gaps]) => gaps.every((gap, at) => gap === attributes[at].distance);
  return matches.some(nearest) ? "" : filled(DATA.words.terms.tied, { count: matches.length });
}

function grid(label, heads, lines) {
  const rows = lines.map((texts) => make("tr", texts.map(
    (text, place) => make(place ? "td" : "th", text, place ? {} : { scope: "row" }))));
  const head = make("thead", make("tr", heads.map((text) => make("th", text, { scope: "col" }))));
  return make("div", make("table", [head, make("tbody", rows)]),
    { class: "scroll", role: "region", tabindex: "0", "aria-label": label });
}

const HEADS = {
  generalized: {
    attributes: ["fits", { attribute: "attribute", own: "own", published: "instead", alone: "alone" }],
    values: ["shown", {
      attribute: "attribute", value: "value", records: "records", here: "here",
      everywhere: "everywhere",
    }],
  },
  indexed: {
    attributes: ["numbers", {
      attribute: "attribute", own: "own", fewest_places: "fewest", most_places: "most",
      largest_bucket: "bucket",
    }],
  },
  split: {
    groups: ["groups", { group: "group", people: "people", copies: "copies", yours: "mine-of" }],
    values: ["possible", {
      attribute: "attribute", value: "value", here: "here", everywhere: "everywhere",
      printed: "printed",
    }],
  },
};
const VALUES = ["possible", { attribute: "attribute", value: "value", here: "here", everywhere: "everywhere" }], TOGETHER = { together: VALUES };
Object.assign(HEADS, { randomized: { values: VALUES }, numbers: { groups: HEADS.split.groups, values: VALUES } });
HEADS.graph = { links: ["links-likely", { any: "any-of", links: "links-to", each: "each-of", some: "some-of" }] };
HEADS.disguised = {
  groups: ["groups", { group: "group", people: "people", yours: "mine-of" }],
  values: ["possible", { attribute: "attribute", value: "value", here: "here", target: "in-target" }],
};
const RESTS = { disguised: "target", generalized: "records", split: "links", randomized: "drawn", numbers: "links", graph: "nodes" };
const MOST_LINES = 20, MOST_CELLS = 3;

function tables(report) {
  // The tables behind an answer about groups, each with its heading; a formula is in the details.
  const found = report.tables.together ? TOGETHER : HEADS[SEEN.release.kind];
  return Object.entries(found).flatMap(([name, [title, { printed, ...heads }]]) =>
    [...headedTable(report.tables[name], title, heads), ...restsOf(name, report.tables[name])]);
}

function restsOf(name, lines) {
  // What the chances of a table of values rest on.
  const { kind, certain } = SEEN.release;
  const rests = DATA.speech.rests[name === "together" ? name : kind === "split" && !certain ? "people" : RESTS[kind]];
  return ["values", "together", "links"].includes(name) && lines.length ? [explained(uiWords("resting", { rests }))] : [];
}

function headedTable(lines, title, heads) {
  // The first lines of a table below its heading, and how many follow.
  if (!lines.length) return [];
  const names = Object.keys(heads), rest = lines.length - MOST_LINES;
  const found = grid(uiWords(title), names.map((n) => uiWords(heads[n])),
    inColumns(lines.slice(0, MOST_LINES).map((line) => names.map((n) => cellWords(line, n)))));
  return [make("h3", uiWords(title)), found,
    ...(rest > 0 ? [explained(uiWords("lines", { count: rest }))] : [])];
}

function cellWords(line, name) {
  // A cell of a table; numbers that name values as the language writes them.
  const column = SEEN.release.columns.find(({ title }) => title === line.attribute), cell = line[name];
  if (!column || name === "attribute") return cell;
  return Array.isArray(cell) ? cell.map((text) => valueWords(text, column)) : valueWords(cell, column);
}

function formulaNote() {
  // What is said of a formula in print, where the columns of a group were shuffled.
  return SEEN.release.permuted ? said("split.formula") : null;
}

function printedTable({ notes, tables: { values } }) {
  // A formula in print beside the chances, for those who follow the paper.
  if (!values || !notes.includes(formulaNote())) return [];
  const [title, { everywhere, ...heads }] = HEADS.split.values;
  return [make("p", formulaNote()), ...headedTable(values, title, heads)];
}

function inColumns(rows) {
  // The lines of a table as texts, the numbers of a column written alike.
  const columns = rows[0].map((_, at) => rows.map((row) => row[at])).map((values) =>
    (values.every((value) => typeof value === "number") ? columnTexts(values).map(local) : values.map(severalText)));
  return rows.map((_, at) => columns.map((texts) => texts[at]));
}

function severalText(value) {
  if (!Array.isArray(value)) return typeof value === "string" ? dateWords(value) : value;
  const more = value.length > MOST_CELLS ? [" …"] : [];
  return value.slice(0, MOST_CELLS).map(dateWords).join(` ${uiWords("or")} `) + more;
}

function cells(report, line, at) {
  const column = SEEN.release.columns.find((c) => c.name === line.attribute);
  const name = report.facts.criterion, value = line.diversity, unit = apartOf(column);
  const shown = (v) => typeof v === "number" ? column.dated ? local(dateText(v)) : writtenNumber(v) : v && dateWords(v);
  const spread = value === null ? "–" : name.includes("variance") && line.first_rank !== null
    ? `± ${two(Math.sqrt(value))}${unit ? ` ${unit}` : ""}` : two(value);
  const met = line.met === null ? "–" : uiWords(line.met ? "yes" : "no");
  return [
    unit && !column.dated ? `${column.title} (${unit})` : column.title, dateWords(report.written[at]), shown(line.closest),
    places(line.first_rank, line.last_rank), places(line.match_first, line.match_last),
    local(cellText(line.distance)), spread, ...(report.met === null ? [] : [met]),
  ];
}

function details(report) {
  // What those read who want to follow the numbers.
  const lines = report.attributes ? rowsWords(report).map((t) => make("p", t)) : printedTable(report);
  return lines.length ? [make("details", [make("summary", uiWords("details")), ...lines])] : [];
}

function rowsWords(report) {
  const texts = report.parts.filter(([part]) => part === "detail").map(([, text]) => text);
  const direction = shownAs(report.facts.direction, "term"), rows = report.matches.slice(0, 10).map((line) => line[0]);
  const tail = report.matches.length > 10 ? uiWords("more") : "";
  texts.push(uiWords("measure", { measure: measureWords(report), direction }));
  if (DATA.empty) texts.push(uiWords("rows", { rows: rows.join(", ") + tail }));  // else their order is not held
  return texts;
}

function printButton() {
  const button = make("button", uiWords("print"), { type: "button" });
  button.addEventListener("click", () => window.print());
  return make("div", [button, make("p", uiWords("mine"), { class: "soft" })], { class: "slip" });
}

function unfold() {
  for (const one of document.querySelectorAll("#card > details")) one.open = true;
}

async function open_() {
  byId("lead").textContent = "…";
  const texts = ["facts", "languages"].map((id) => byId(id).textContent);
  try {
    await load(...texts);
    SEEN.ask = await workplace(...texts);
    if (!DATA.empty) Object.assign(SEEN, await SEEN.ask("unpack", byId("values").textContent));
    start();
  } catch (error) {
    const broken = "This browser cannot open the table in this page (";
    byId("lead").textContent = `${broken}${error.name}). A newer one can; so can verikit app.`;
    throw error;
  }
}

if (ALONE) listen();
else {
  document.addEventListener("DOMContentLoaded", open_);
  addEventListener("beforeprint", unfold);
}
