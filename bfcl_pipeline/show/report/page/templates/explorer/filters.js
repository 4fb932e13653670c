// Which entries the list shows, and the addresses of filters and of conversations:
// #entries?model=..&verdict=.., #model/entry, #model+second/entry.

const DEFAULTS = {
  model: 0, second: -1, category: "", verdict: "", error: "", status: "", rules: 0, errata: false, text: "",
  sort: "", down: false, page: 0,
};
let state = { ...DEFAULTS }, shown = [];

const ONE = { right: "right", wrong: "wrong", none: "no verdict" };
const TESTS = {
  rules: (row) => new Set(index.rules.map((_, rules) => kindOf(codeOf(state.model, row, rules)))
    .filter((kind) => kind !== "absent")).size > 1,
  flipped: (row, first, second) => TESTS.first(row, first, second) || TESTS.second(row, first, second),
  first: (row, first, second) => first === "right" && second === "wrong",
  second: (row, first, second) => first === "wrong" && second === "right",
  bothRight: (row, first, second) => first === "right" && second === "right",
  bothWrong: (row, first, second) => first === "wrong" && second === "wrong",
};
const matches = (row, words) => {
  if (row.session !== (state.verdict === "sessions")) return false;
  if (state.category && index.categories[row.category].name !== state.category) return false;
  if (state.errata && !row.defect) return false;
  if (words.some((word) => !row.search.includes(word))) return false;
  if (row.session) return true;
  const code = verdict(state.model, row), first = kindOf(code);
  if (first === "absent" && (state.second < 0 || verdict(state.second, row) === null)) return false;
  if (state.error && code?.[2] !== state.error) return false;
  if (state.status && code?.[0] !== state.status) return false;
  if (!state.verdict) return true;
  if (state.verdict in ONE) return first === state.verdict;
  return TESTS[state.verdict]?.(row, first, state.second < 0 ? "absent" : kindOf(verdict(state.second, row))) ?? true;
};
const rightOf = (row) => {
  let right = 0, judged = 0;
  for (const model of models.keys()) {
    const kind = kindOf(verdict(model, row));
    right += kind === "right";
    judged += kind === "right" || kind === "wrong";
  }
  return [right, judged];
};
const ORDER = { wrong: 0, none: 1, right: 2, absent: 3 };
const verdictKey = (model) => (row) => {
  const code = verdict(model, row);
  return `${ORDER[kindOf(code)]}${code?.[2] ?? ""}${code?.[0] ?? ""}`;
};
const COLUMNS = () => [
  { key: "id", title: "Entry", of: (row) => row.number },
  { key: "category", title: "Category", of: (row) => row.category },
  { key: "words", title: "Question", of: (row) => row.words },
  { key: "first", title: models[state.model]?.shown, of: verdictKey(state.model) },
  ...(state.second < 0 ? [] : [{ key: "second", title: models[state.second].shown, of: verdictKey(state.second) }]),
  ...(models.length < 2 ? [] : [{ key: "right", title: "Models right", of: (row) => {
    const [right, judged] = rightOf(row);
    return judged ? right / judged : 2;
  } }]),
];

const search = () => {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  shown = rows.filter((row) => matches(row, words));
  const column = COLUMNS().find((one) => one.key === state.sort);
  if (column) {
    const keys = new Map(shown.map((row) => [row, column.of(row)]));
    const sign = state.down ? -1 : 1;
    shown.sort((a, b) => {
      const left = keys.get(a), right = keys.get(b);
      return left < right ? -sign : left > right ? sign : a.number - b.number;
    });
  }
  state.page = Math.min(state.page, Math.max(0, Math.ceil(shown.length / PAGE) - 1));
};

const filterHash = () => {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (value === DEFAULTS[key] || key === "page") continue;
    query.set(key, key === "model" || key === "second" ? models[value].name
      : key === "rules" ? index.rules[value] : value === true ? "1" : value);
  }
  return query.size ? `#entries?${query}` : "#entries";
};
const entryHash = (entryId, model = state.model, second = state.second) => {
  const names = [model, second].filter((one) => one >= 0).map((one) => encodeURIComponent(models[one].name));
  return `#${names.join("+")}/${encodeURIComponent(entryId)}`;
};
const modelNamed = (name) => models.findIndex((model) => model.name === name);
const readFilters = (text) => {
  const query = new URLSearchParams(text);
  const next = { ...DEFAULTS, rules: index.rule };
  for (const key of Object.keys(DEFAULTS)) {
    const value = query.get(key);
    if (value === null) continue;
    if (key === "model" || key === "second") next[key] = Math.max(modelNamed(value), DEFAULTS[key]);
    else if (key === "rules") next.rules = Math.max(index.rules.indexOf(value), 0);
    else if (typeof DEFAULTS[key] === "boolean") next[key] = true;
    else if (typeof DEFAULTS[key] === "string") next[key] = value.slice(0, 300);
  }
  if (next.second === next.model) next.second = -1;
  return next;
};
const route = (scroll) => {
  const hash = location.hash;
  if (hash.includes("/") && !hash.startsWith("#entries?")) {
    const [names, ...rest] = hash.slice(1).split("/");
    let parts;
    try {
      parts = [names.split("+").filter(Boolean).map(decodeURIComponent), decodeURIComponent(rest.join("/"))];
    } catch {
      parts = [[], hash];
    }
    openEntry(...parts);
    return;
  }
  if (dialog.open) dialog.close();
  if (hash.startsWith("#entries?")) {
    state = readFilters(hash.slice("#entries?".length));
    update();
    if (scroll) at("entries").scrollIntoView();
  }
};
