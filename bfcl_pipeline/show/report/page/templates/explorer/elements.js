// Elements of the page. Texts come from models and from the web: they are only ever set as text, never as markup.

const PAGE = 100;  // rows of the table at a time
const FOLD = 1500;  // characters of a text that are shown at first
const FIRST_CODE = 0x23;  // the character of the first verdict

const at = (id) => document.getElementById(id);
const root = at("explorer"), dialog = at("conversation");
if (!root) return;

const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const button = (text, action, attributes) => {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", action);
  return element;
};
// Invisible characters are spelled out: control characters, marks of direction, zero-width ones.
const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu, (letter) =>
  letter === "\n" ? letter : letter === "\t" ? "    " : `\\u{${letter.codePointAt(0).toString(16)}}`);
const isolated = (text) => make("bdi", null, visible(text));
const folded = (text) => {
  const whole = visible(text);
  if (whole.length <= FOLD * 1.3) return [whole];
  const rest = make("span", { hidden: "" }, whole.slice(FOLD));
  const more = button(`show all (${count(whole.length)} characters)`, () => {
    rest.hidden = false;
    more.remove();
  }, { class: "more" });
  return [whole.slice(0, FOLD), rest, more];
};
const count = (number) => number.toLocaleString("en-US");
const fill = (select, options, value) => {
  select.replaceChildren(...options.map(([key, text]) => make("option", { value: key }, visible(text))));
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
};
