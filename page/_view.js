// The answer as data: what every face of it says, in one order; `subject._view` in the page.

const VIEW = RULES.view;

function answerParts(report) {
  // All that an answer says in words, each text with the name of its part.
  const elsewhere = [saidHere("split.formula"), said("common.cut", { most: MOST_VALUES })];  // beside the tables
  const told = {
    tag: [report.tag], harm: [harmWords(report.harm)], headline: [report.text], share: [report.share],
    now: stepsOf(report).map((name) => uiWords(name)), asked: spoken(report, ["R"]),
    note: report.notes.filter((note) => !elsewhere.includes(note)), sure: [...spoken(report, VIEW.sure), report.better],
    letter: [whomWords("letter-text", report)], detail: spoken(report, VIEW.detail),
  };
  const named = (name) => told[name].filter(Boolean).map((text) => [name, text]);
  const [step, ...later] = named("now"), whom = whomWords("whom", report);  // who is asked first
  const apart = { found: foundParts(report), now: [step, ...(whom ? [["whom", whom]] : []), ...later] };
  return VIEW.order.flatMap((name) => apart[name] ?? named(name));
}

function spoken({ sentences }, keys) {
  return keys.map((key) => sentences.find((one) => one.key === key)?.text);
}

function foundParts({ text: head, sentences }) {
  // What was found besides, with the meaning of a term below the sentence that uses it.
  const others = sentences.filter(({ key }) => ![...VIEW.sure, ...VIEW.detail, "R"].includes(key));
  return others.flatMap(({ key, text }) => {
    const rest = (text.startsWith(head) ? text.slice(head.length) : text).trim();
    const term = DATA.words.terms[ownOf(VIEW.terms, key)];
    return rest ? [["found", rest], ...(term ? [["term", term]] : [])] : [];
  });
}

function saidHere(name) {
  // A sentence of one kind of release; nothing where the page lacks it, being for others.
  return Object.hasOwn(DATA.sentences, name) ? said(name) : null;
}

function whomWords(name, { several, tag }) {
  // To whom she can write, or what; nothing where nobody is named.
  const { publisher, contact, title = "", law = uiWords("law") } = (several ? null : DATA.release.about) ?? {};
  const to = [publisher, contact].filter(Boolean).join(", ");
  return to && uiWords(name, { to, title, law, tag });
}

function harmWords(titles) {
  const most = VIEW.most_titles, words = titles.length ? titles : uiWords("harm-none");
  const short = () => titles.slice(0, most).join(", ") + uiWords("more");
  return uiWords("harm", { titles: titles.length > most ? short() : words });
}

function stepsOf({ state, text, fitting, several }) {
  // What she can do: ask for nothing that is told, nor where no record fits her.
  const { method, links } = several ? {} : DATA.release, tested = typeof links === "number";
  const told = method ? (tested ? "both" : "made") : tested ? "tested" : "nothing";
  const others = text.endsWith(saidHere("generalized.none-among"));
  const asks = [...(others ? ["do-others"] : []), ...VIEW.asks[told]];
  const own = fitting && !others ? ["do-stronger", "do-object"] : [];
  return [...(state.startsWith("warning") ? [...own, ...asks] : [...asks, ...own]), "do-again"];
}
