/* What the page itself says while it waits, in the language of the view; SCREEN holds the words of
   every language. Before Python has told, it is that of the browser where the view has none. */

function makeWords(model) {
  const given = model.get("language");
  const fitting = () => navigator.languages.map((tag) => tag.split("-")[0]).find((tag) => tag in SCREEN);
  let language = given === undefined ? "en" : given ?? fitting() ?? "en";
  return {
    speak(name) { if (name in SCREEN) language = name; },
    say(name, told = {}) {
      return SCREEN[language][name].replace(/\{(\w+)\}/g, (_, place) => told[place]);
    },
  };
}
