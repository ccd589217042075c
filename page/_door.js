// The page without data: it takes the published files, and asks what they do not tell.

function drawDoor() {
  // Where the files are given, what was read of them, and what is asked of the columns.
  const named = DATA.package ? uiWords("files-named", { names: packageNames() }) : uiWords("files");
  const box = byId("files") ?? filesBox();
  const told = make("p", "", { id: "files-told", role: "status" });
  const parts = [make("h2", uiWords("table-file")), field("files", named, box, uiWords("files-help")), told];
  byId("door").replaceChildren(...parts, ...(SEEN.bare ? [missingField(), columnQuestions()] : []));
  const notes = (SEEN.bare?.notes ?? []).map(noteWords);
  told.textContent = [...(SEEN.release ? [readWords()] : []), ...notes].join(" ");
  if (!SEEN.release) [byId("lead").textContent, byId("method").textContent] = [uiWords("lead-empty"), ""];
  if (SEEN.wrong) byId("files-error").textContent = filled(DATA.words[SEEN.wrong.name], SEEN.wrong.told);
}

function filesBox() {
  const box = make("input", [], { type: "file", multiple: "" });
  box.addEventListener("change", () => take(box.files));
  return box;
}

function packageNames() { return parsed(DATA.package).resources.map((part) => part.path); }

function readWords() {
  return uiWords("files-read", { names: SEEN.files, records: SEEN.release.n });
}

function openDoor() {
  // Files may be dropped anywhere on the page.
  byId("form").before(make("section", [], { id: "door" }));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (event.target.id === "others") return;
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    byId("files").files = event.dataTransfer.files;
    take(event.dataTransfer.files);
  });
}

async function take(files) {
  byId("files-told").textContent = uiWords("reading");
  SEEN.files = Array.from(files, (file) => file.name);
  SEEN.others = [];
  await learn("read", [...files]);
}

async function learn(name, given, redraw = draw) {
  // What was read, or one sentence that says why it was not; an answer before it is forgotten.
  SEEN.turn++;
  SEEN.working = false;
  byId("card").replaceChildren();
  byId("form").hidden = true;
  outdated();
  try {
    Object.assign(SEEN, await SEEN.ask(name, given));
    redraw();
  } catch (error) {
    console.error(error);  // for whoever can mend it
    const wrong = { name: "fault", told: { reason: error.message } };
    Object.assign(SEEN, { release: null, bare: null, wrong });
    draw();
  }
}

async function releaseIn(files, told = DATA.package) {
  // A release from the files that were given: described beside them or in the page, or by her.
  const described = [...files.keys()].find((name) => name.endsWith("datapackage.json"));
  const text = told ?? (described && lettersOf(files.get(described), described));
  if (text) return packageOf(text, (name) => fileOf(files, name, parsed(text).resources.length));
  if (files.size !== 1) throw refused("which", {}, "files");
  const [[name, bytes]] = files;
  if (isIndex(bytes)) return indexIn(bytes, name);
  DATA.bare = bareRead({ bytes, name, roles: new Map(), orders: new Map(), promise: "untold" }, "", []);
  return bareRelease(DATA.bare);
}

function bareRead(bare, missing, words) {
  // A table of which nothing is told, as it is read where some marks stand for a missing value.
  if (missing === bare.missing && String(words) === String(bare.words)) return bare;
  const columns = bareColumns(bare.bytes, bare.name, missing.split(";").map((mark) => mark.trim()).filter(Boolean), words);
  return Object.assign(bare, { columns, notes: NOTES, missing, words });
}

function fileOf(files, name, tables) {
  const others = [...files.keys()].filter((one) => !one.endsWith(".json"));
  const found = files.get(name) ?? (others.length === 1 && tables === 1 ? files.get(others[0]) : undefined);
  if (!found) throw refused("missing-file", { name }, "files");
  return found;
}

function bareRelease({ columns, roles, orders, promise }) {
  // A table of which nothing is told but what she says of its columns.
  const schema = columns.map(({ name, numbers, dated, wordy }) => {
    const categories = numbers || dated ? null : orders.get(name) ?? null;
    const kind = numbers || dated ? "numeric" : categories ? "ordinal" : "nominal";
    const unit = dated ? DATA.days : "";
    return {
      name, title: name, unit, tree: null, kind, role: roles.get(name) ?? "quasi", categories, spans: false,
      words: wordy,      dated, textual: kind !== "numeric",
    };
  });
  const table = new Map(columns.map((column) => [column.name, column]));
  return releaseOf(schema, { table }, { promise });
}

function missingField() {
  const box = textBox("text");
  box.value = SEEN.bare.missing;
  box.addEventListener("change", toldColumns);
  return field("missing", uiWords("missing"), box, uiWords("missing-help"));
}

function columnQuestions() {
  const { columns, roles, orders, promise } = SEEN.bare;
  const asked = columns.flatMap((column, at) => {
    const role = choice(ROLES, ROLES.map((name) => uiWords(`role-${name}`)));
    role.value = roles.get(column.name) ?? "quasi";
    const found = [field(`role-${at}`, column.name, role)];
    if (!column.textual) return found;
    const box = textBox("text");
    box.value = (orders.get(column.name) ?? []).join("; ");
    if (column.doubtful !== undefined) {
      const words = make("input", [], { type: "checkbox" });
      words.checked = column.wordy;
      found.push(field(`words-${at}`, uiWords("words-of", { title: column.name, cell: quotedText(column.doubtful) }), words));
    }
    return [...found, field(`order-${at}`, uiWords("order", { title: column.name }), box)];
  });
  const box = choice(PROMISES, PROMISES.map((name) => uiWords(`promise-${name.replaceAll(" ", "-")}`)));
  box.value = promise;
  const part = make("details", [
    make("summary", uiWords("columns-asked")), make("p", uiWords("columns-why"), { class: "soft" }),
    ...asked, field("promise", uiWords("promise"), box),
  ]);
  part.open = Boolean(SEEN.wrong);
  part.addEventListener("change", toldColumns);
  return part;
}

async function toldColumns() {
  // What she says of the table and its columns is taken at once.
  const roles = new Map(), orders = new Map(), words = [];
  SEEN.bare.columns.forEach(({ name }, at) => {
    roles.set(name, byId(`role-${at}`).value);
    if (byId(`words-${at}`)?.checked) words.push(name);
    const names = (byId(`order-${at}`)?.value ?? "").split(";").map((one) => one.trim()).filter(Boolean);
    orders.set(name, names.length ? [...new Set(names)] : null);
  });
  const told = { roles, orders, promise: byId("promise").value, missing: byId("missing").value, words };
  await learn("tell", told, () => keeping("door", draw));
}
