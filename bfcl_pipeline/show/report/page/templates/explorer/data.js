// The data of the page: the list of entries, and the conversations, within the page or in files beside it.

const unpack = async (text) => {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
// An item that occurs several times is stored once: its number in its place.
const resolved = ({ items, records }) => {
  const walk = (value) => {
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== "object" || "kind" in value) return value;
    if ("item" in value) return items[value.item];
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(part)]));
  };
  return new Map(Object.entries(records).map(([id, record]) => [id, () => walk(record)]));
};
const blocks = new Map();  // promises of what was asked for, by name
const arrived = new Map();  // what the files beside the page brought
window.bfcl_data = (name, digest, text) => arrived.set(name, [digest, text]);
let index = null;

// A page opened from disk may not read files, but it may run scripts: each file beside it is one.
const fetched = (name, digest) => new Promise((resolve, reject) => {
  const file = `report/${name}.js`;
  const script = make("script", { src: file });
  script.addEventListener("error", () => reject(new Error(
    `The file ${file} is not beside this page. Conversations lie in the folder report/ (${index.folder}): ` +
    "copy it together with report.html.")));
  script.addEventListener("load", () => {
    const [found, text] = arrived.get(name) ?? [];
    arrived.delete(name);
    script.remove();
    if (found === digest) resolve(text);
    else reject(new Error(`The file ${file} belongs to another report. Copy the folder report/ of this one.`));
  });
  document.head.append(script);
});
const load = (name) => {
  const digest = index.blocks[name];
  if (!digest) return Promise.resolve(new Map());
  if (!blocks.has(name)) {
    const inline = at(`bfcl-${name}`);
    const text = inline ? Promise.resolve(inline.textContent) : fetched(name, digest);
    const value = text.then(unpack).then(resolved);
    value.catch(() => blocks.delete(name));  // asked for again the next time
    blocks.set(name, value);
  }
  return blocks.get(name);
};

let rows = [], byId = new Map(), models = [];
const codeOf = (model, row, rules) => {
  const mark = row.session ? undefined : index.verdicts[model]?.[row.category]?.[rules]?.[row.place];
  return mark === undefined || mark === " " ? null : index.codes[mark.charCodeAt(0) - FIRST_CODE];
};
const kindOf = (code) => code === null ? "absent" : code[1] === true ? "right" : code[1] === false ? "wrong" : "none";
const WORD = { right: "right", wrong: "wrong", none: "no verdict", absent: "not asked" };
const verdict = (model, row) => codeOf(model, row, state.rules);
