"use strict";
// What the pages of entries and comparisons share: their data, elements, verdicts. Texts only become text.
const at = (id) => document.getElementById(id);
const tables = JSON.parse(at("data").textContent);
const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const options = (select, texts) => select.replaceChildren(
  ...texts.map((text, number) => make("option", { value: number }, text)));
const isolated = (text) => make("bdi", {}, text);
const WORDS = { "1": ["\u2713", "right"], "0": ["\u2717", "wrong"], "~": ["~", "right in some trials"],
  "-": ["\u25CB", "no verdict"], " ": ["", "left out"] };
const KINDS = { "1": "right", "0": "wrong", "~": "some", "-": "na", " ": "na" };
// A wrong answer has its conversation in the report of the run, if the site has that report.
const verdict = (letter, model, entry) => {
  const [sign, word] = WORDS[letter];
  const about = `${model.name}: ${word}`;
  const shown = model.report && (letter === "0" || letter === "~")
    ? make("a", { href: `${model.report}#${encodeURIComponent(model.model)}/${encodeURIComponent(entry)}`,
        title: `${about}; show the conversation`, "aria-label": `${about}; show the conversation` }, sign)
    : make("span", { title: about, "aria-label": about, role: "img" }, sign);
  return make("td", { class: KINDS[letter] }, ...(sign ? [shown] : []));
};
// Names of models, with the run where two have the same name.
const named = (models) => models.map((model) =>
  models.filter((other) => other.name === model.name).length > 1 ? `${model.name}, ${model.run}` : model.name);
const counted = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
