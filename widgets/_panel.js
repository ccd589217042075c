/* A form and a card. What a person types travels in messages, never in the widget's state, so that
   no saved notebook can hold it. Texts are set as text; only the card, which Python writes and
   escapes, is set as HTML. */

const CHUNK = 4 * 2 ** 20;

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function describe(input, field, ids) {
  const told = [field.help && ids.help, field.error && ids.error].filter(Boolean).join(" ");
  if (told) input.setAttribute("aria-describedby", told);
  else input.removeAttribute("aria-describedby");
  if (field.error) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/* A value is given by leaving the box or by Enter, which a notebook may keep from ending the edit. */
function onGiven(input, act) {
  let entered = null;
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") act(entered = input.value);
  });
  input.addEventListener("change", () => {
    if (input.value !== entered) act(input.value);
    entered = null;
  });
}

/* A slider acts while it is dragged, ten times a second at most, and when it is let go. */
function whileDragged(input, act) {
  let given = null;
  let timer = 0;
  const give = () => { if (input.value !== given) act(given = input.value); };
  input.addEventListener("input", () => {
    if (timer) return;
    give();
    timer = setTimeout(() => { timer = 0; give(); }, 100);
  });
  input.addEventListener("change", () => {
    clearTimeout(timer);
    timer = 0;
    give();
    given = null;
  });
}

/* A line of the card along which a mark is dragged gives the box of its name a number, as a slider
   would; whoever has no pointer uses the box. */
function onDragged(body, send) {
  body.addEventListener("pointerdown", (event) => {
    const line = event.target.closest("[data-drag]");
    if (!line || event.button) return;
    event.preventDefault();
    const { drag: field, low, high, step } = line.dataset;
    const { left, width } = line.getBoundingClientRect();
    const slider = make("input", { type: "range", min: low, max: high, step });
    whileDragged(slider, (value) => send("set", { field, value }));
    const move = ({ clientX }) => {
      slider.value = Number(low) + ((clientX - left) / width) * (high - low);
      slider.dispatchEvent(new Event("input"));
    };
    const held = new AbortController();
    const end = () => {
      held.abort();
      slider.dispatchEvent(new Event("change"));
    };
    move(event);
    const { signal } = held;
    window.addEventListener("pointermove", move, { signal });
    for (const over of ["pointerup", "pointercancel"]) window.addEventListener(over, end, { signal });
  });
}

const KINDS = {
  text(field, send) {
    const input = make("input", { type: "text", autocomplete: "off", spellcheck: false });
    input.placeholder = field.hint ?? "";
    if (field.decimal) input.inputMode = "decimal";
    onGiven(input, (value) => send("set", { field: field.id, value }));
    return [input, input];
  },
  choice(field, send) {
    const input = make("select");
    for (const [value, label] of field.options) input.append(make("option", { value }, label));
    input.addEventListener("change", () => send("set", { field: field.id, value: input.value }));
    return [input, input];
  },
  range(field, send) {
    const input = make("input", { type: "range" });
    const box = make("input", { type: "number" });
    box.setAttribute("aria-label", `${field.label}, as a number`);
    input.addEventListener("input", () => { box.value = input.value; });
    whileDragged(input, (value) => send("set", { field: field.id, value }));
    onGiven(box, (value) => send("set", { field: field.id, value }));
    return [input, make("span", { className: "vk-range" }, input, box), box];
  },
  file(field, send) {
    const input = make("input", { type: "file", accept: field.accept });
    input.addEventListener("change", () => {
      if (input.files.length) send("upload", { field: field.id, file: input.files[0] });
      input.value = "";
    });
    return [input, input];
  },
  press(field, send) {
    const input = make("button", { type: "button" }, field.label);
    input.addEventListener("click", () => send("press", { field: field.id }));
    return [input, input];
  },
};

/* One box with its label, its help and its error; update() puts in what Python says. */
function makeField(field, prefix, send) {
  const id = `${prefix}-${field.id}`.replace(/[^\w-]/g, (c) => `_${c.codePointAt(0)}_`);
  const ids = { help: `${id}-help`, error: `${id}-error` };
  const [input, shown, box] = KINDS[field.kind](field, send);
  input.id = id;
  const help = make("small", { id: ids.help });
  const error = make("p", { id: ids.error, className: "vk-error" });
  error.setAttribute("role", "alert");
  const row = make("div", { className: `vk-field vk-${field.kind}${field.wide ? " vk-wide" : ""}` });
  if (field.kind !== "press") row.append(make("label", { htmlFor: id }, field.label));
  row.append(shown, help, error);
  if (field.kind === "text" && field.options?.length) {
    const offered = field.options.map(([value, words]) => make("option", { value }, words));
    row.append(make("datalist", { id: `${id}-offered` }, ...offered));
    input.setAttribute("list", `${id}-offered`);
  }
  const written = box ?? (field.kind === "text" ? input : null);
  let typing = false;
  let given = "";
  const entered = () => {
    typing = false;
    given = written?.value;
    row.classList.remove("vk-unsent");
  };
  row.addEventListener("input", ({ target }) => {
    typing = true;
    if (target === written) row.classList.toggle("vk-unsent", written.value !== given);
    else if (written) given = written.value;
  });
  row.addEventListener("change", entered);
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") entered(); });
  row.addEventListener("focusout", () => { typing = false; });
  const update = (now) => {
    for (const part of box ? [input, box] : []) [part.min, part.max, part.step] = now.limits;
    const settled = "value" in now && !typing;
    for (const part of [input, box]) if (part && settled) part.value = now.value;
    if (settled) entered();
    help.textContent = now.help ?? "";
    if (now.lang) error.lang = now.lang; else error.removeAttribute("lang");
    if (error.textContent !== (now.error ?? "")) error.textContent = now.error ?? "";
    describe(input, now, ids);
  };
  return { row, update };
}

function makePart(part, prefix, send) {
  const lines = make("div", { className: "vk-lines" });
  const section = make("section", {}, ...(part.title ? [make("h2", {}, part.title)] : []), lines);
  const fold = part.fold && make("details", {}, make("summary", {}, part.fold));
  if (fold) section.append(fold);
  const fields = part.fields.map((field) => makeField(field, prefix, send));
  (fold || section).append(...fields.map((field) => field.row));
  const update = (now) => {
    lines.replaceChildren(...now.lines.map(([text, kind]) => make("p", { className: kind }, text)));
    now.fields.forEach((field, at) => fields[at].update(field));
    if (fold && now.fields.some((field) => field.error)) fold.open = true;
  };
  /* Built anew in place of an old one, it is as unfolded as that was. */
  const replace = (old) => {
    const fold = section.querySelector("details");
    if (fold) fold.open = old.querySelector("details")?.open ?? false;
    old.replaceWith(section);
  };
  return { section, update, replace, shape: shapeOf(part) };
}

/* What makes it necessary to build a part anew, rather than to fill it. */
function shapeOf(part) {
  const { lines, ...rest } = part;
  return JSON.stringify({ ...rest, fields: part.fields.map(({ value, error, lang, help, limits, ...f }) => f) });
}

/* Where a table of many values does not fit, each row becomes a block, its values beside their
   headings, so that no column is out of sight. */
const NARROW = 448;

function watchTables() {
  const widths = new WeakMap();
  const look = (box) => {
    const table = box.querySelector(".vk-rows");
    const width = box.clientWidth;
    if (!table || !width || widths.get(box) === width) return;
    widths.set(box, width);
    table.classList.remove("vk-folded");
    table.classList.toggle("vk-folded", width < NARROW || box.scrollWidth > width + 1);
  };
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => look(target)));
  return (body) => {
    observer.disconnect();
    for (const box of body.querySelectorAll(".vk-scroll")) observer.observe(box);
  };
}

function nameCells(body) {
  for (const table of body.querySelectorAll("table")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
    if (heads.length < 4) continue;
    table.classList.add("vk-rows");
    for (const row of table.tBodies[0]?.rows ?? [])
      [...row.cells].forEach((cell, at) => { cell.dataset.head = heads[at] ?? ""; });
  }
}

/* The verdict in a line that stays in view where the card lies below the boxes. */
function makeBrief(section, spoken) {
  const brief = make("button", { className: "vk-brief", type: "button", hidden: true, title: spoken.say("whole") });
  brief.addEventListener("click", () => section.scrollIntoView({ block: "start" }));
  const update = (body) => {
    brief.title = spoken.say("whole");
    const head = body.querySelector(".vk-head");
    const parts = head ? [head.querySelector(".vk-tag"), head.querySelector(".vk-first > b")] : [];
    brief.hidden = !head || head.closest(".vk-stale") !== null;
    brief.className = `vk-brief ${head?.className.replace("vk-head", "") ?? ""}`;
    brief.replaceChildren(...parts.filter(Boolean).map((part) => part.cloneNode(true)));
  };
  return { brief, update };
}

function makeCard(send, spoken) {
  const status = make("p", { className: "vk-say" });
  status.setAttribute("role", "status");
  const title = make("h2");
  const now = make("p", { className: "vk-now" });
  const body = make("div", { className: "vk-answer" });
  const halt = make("button", { className: "vk-stop", type: "button", hidden: true });
  halt.addEventListener("click", () => send("press", { field: "stop" }));
  const top = make("div", { className: "vk-top" }, title, now, halt);
  const section = make("section", { className: "vk-card", tabIndex: -1 }, top, status, body);
  const line = makeBrief(section, spoken);
  const watch = watchTables();
  const speak = (text) => { if (status.textContent !== text) status.textContent = text; };
  const update = (card) => {
    const open = [...body.querySelectorAll("details[open]")].map((node) => node.id);
    title.textContent = card.title;
    halt.textContent = spoken.say("stop");
    body.innerHTML = card.html;
    nameCells(body);
    watch(body);
    line.update(body);
    for (const id of open) body.querySelector(`details[id="${id}"]`)?.setAttribute("open", "");
    speak(card.say);
  };
  body.addEventListener("click", (event) => {
    const field = event.target.closest("[data-press]")?.dataset.press;
    if (field) send("press", { field });
  });
  body.addEventListener("keydown", (event) => {
    if (event.target.dataset.press && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      send("press", { field: event.target.dataset.press });
    }
  });
  onDragged(body, send);
  /* What is said above the answer; an old one is greyed, and there is no slip of it. */
  const mark = ({ words, pending, old, aloud, stop }) => {
    halt.hidden = !stop;
    section.classList.toggle("vk-pending", old);
    line.brief.classList.toggle("vk-old", old);
    body.setAttribute("aria-busy", pending);
    for (const slip of body.querySelectorAll(".vk-slip")) slip.hidden = slip.inert = old;
    if (now.textContent !== words) now.textContent = words;
    if (words && aloud) speak(words);
  };
  return { section, update, mark, brief: line.brief };
}

/* Files travel in pieces, each asked for by Python, so that no size limit of a server matters. */
function makeUploads(model, current, spoken) {
  let file = null;
  let id = 0;
  return {
    offer(field, chosen) {
      file = chosen;
      id += 1;
      current.send("offer", { id, field, size: file.size, name: file.name });
    },
    async next(message) {
      if (message.id !== id || !file) return;
      const { start } = message;
      const percent = Math.round((100 * start) / file.size);
      current.wait(file.size ? spoken.say("reading", { name: file.name, percent }) : "", false, true);
      try {
        const piece = await file.slice(start, start + CHUNK).arrayBuffer();
        model.send({ kind: "piece", id, start }, undefined, [piece]);
      } catch {
        model.send({ kind: "lost", id });
      }
    },
  };
}

/* A notebook would take plain keys for its own commands (d d deletes a cell), from drop-down lists,
   sliders and buttons too; it leaves alone what carries this mark. */
function keepKeys(el) {
  const mark = ({ target, ctrlKey, metaKey, altKey }) => {
    if (!el.contains(target)) return;
    if (ctrlKey || metaKey || altKey) delete target.dataset.lmSuppressShortcuts;
    else target.dataset.lmSuppressShortcuts = "true";
  };
  window.addEventListener("keydown", mark, true);
  return () => window.removeEventListener("keydown", mark, true);
}

/* The language of the view, and with it that of the page around it where it is a page of its own. */
function makeChooser(prefix, send) {
  const id = `${prefix}-language`;
  const box = make("select", { id });
  const label = make("label", { htmlFor: id });
  const row = make("div", { className: "vk-language", hidden: true }, label, box);
  box.addEventListener("change", () => send("set", { field: "language", value: box.value }));
  const update = ({ language, choices }) => {
    row.hidden = !choices;
    if (!choices) return;
    if (!box.options.length)
      for (const [value, name] of choices.languages) box.append(make("option", { value, lang: value }, name));
    label.textContent = choices.label;
    box.value = choices.chosen;
    row.parentNode.lang = language;
    if (document.querySelector("[data-voila]")) setPage(choices);
  };
  return { row, update };
}

function setPage({ chosen, title, lead }) {
  document.documentElement.lang = chosen;
  document.title = title;
  const head = document.querySelector("[data-voila] .jp-RenderedMarkdown h1");
  if (!head) return;
  head.textContent = title;
  if (head.nextElementSibling) head.nextElementSibling.textContent = lead;
}

function render({ model, el }) {
  const prefix = `vk-${Math.random().toString(36).slice(2)}`;
  const form = make("div", { className: "vk-form" });
  let parts = {};
  const send = (kind, content) => {
    if (kind === "upload") uploads.offer(content.field, content.file);
    else current.send(kind, content);
  };
  const spoken = makeWords(model);
  const card = makeCard(send, spoken);
  const chooser = makeChooser(prefix, send);
  const current = makeCurrent(model, card, () => form.querySelector(".vk-unsent") !== null, spoken);
  const uploads = makeUploads(model, current, spoken);
  const show = (screen) => {
    const used = el.getRootNode().activeElement;
    const place = [...form.children].findIndex((section) => section.contains(used));
    spoken.speak(screen.language);
    chooser.update(screen);
    const old = parts;
    parts = {};
    const now = new Set(screen.parts.map(({ id }) => id));
    for (const id of Object.keys(old)) if (!now.has(id)) old[id].section.remove();
    for (const [at, part] of screen.parts.entries()) {
      const kept = old[part.id]?.shape === shapeOf(part) ? old[part.id] : null;
      parts[part.id] = kept ?? makePart(part, prefix, send);
      if (!kept && old[part.id]) parts[part.id].replace(old[part.id].section);
      const { section } = parts[part.id];
      if (form.children[at] !== section) form.insertBefore(section, form.children[at] ?? null);
      parts[part.id].update(part);
    }
    card.update(screen.card);
    /* What was in use is gone: who works by keyboard goes on at what came of it, or, where there is
       no answer yet, at the next box. */
    if (place >= 0 && !form.contains(el.getRootNode().activeElement)) {
      const waits = card.section.querySelector(".vk-answer > p.soft:only-child");
      const below = [...form.children].slice(place + 1);
      const boxes = below.flatMap((section) => [...section.querySelectorAll("input, select")]);
      const next = waits && boxes.find((box) => box.checkVisibility());
      (next || card.section).focus();
    }
    current.tell();
  };
  const heard = (message) => {
    if (message.kind === "screen" && current.answers(message)) show(message);
    if (message.kind === "more") uploads.next(message);
    if (message.kind === "wait") current.wait(message.say, message.hushed, message.stop);
  };

  el.classList.add("vk-panel");
  el.append(make("div", { className: "vk-grid" }, chooser.row, card.brief, form, card.section));
  model.on("msg:custom", heard);
  form.addEventListener("input", current.tell);
  form.addEventListener("keydown", current.tell);
  model.send({ kind: "hello", languages: [...navigator.languages] });
  const release = keepKeys(el);
  return () => {
    release();
    current.end();
    model.off("msg:custom", heard);
  };
}

export default { render };
