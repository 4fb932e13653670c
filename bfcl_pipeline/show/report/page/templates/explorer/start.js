// Links from the rest of the page into the list, and the start.

const linkScores = () => {
  for (const element of document.querySelectorAll("[data-link], [data-entry]")) {
    const of = element.dataset.entry || (element.closest("[data-models]")?.dataset.models ?? "");
    const href = element.dataset.link ?? `#${of}/${encodeURIComponent(element.textContent)}`;
    const link = make("a", { href, class: "into" });
    const own = [...element.childNodes].filter((node) => node.nodeName !== "SMALL");
    element.prepend(link);
    link.append(...own);
  }
};

const start = async () => {
  index = await unpack(at("bfcl-index").textContent);
  models = index.models;
  const defects = new Map(Object.entries(index.defects));
  index.categories.forEach((one, category) => {
    const add = (ids, words, session) => ids.forEach((id, place) => rows.push({
      id, category, place, session, words: words[place], defect: defects.get(id), number: rows.length,
      search: `${id} ${words[place]}`.toLowerCase() }));
    add(one.ids, one.words, false);
    add(one.sessions ?? [], one.sessionWords ?? [], true);
  });
  byId = new Map(rows.map((row) => [row.id, row]));
  DEFAULTS.rules = index.rule;
  state = { ...DEFAULTS };
  // At first the wrong answers: they have conversations, and are what most readers look for.
  if (rows.some((row) => kindOf(verdict(state.model, row)) === "wrong")) state.verdict = "wrong";
  for (const [id, key] of [["filter-model", "model"], ["filter-second", "second"], ["filter-rules", "rules"]]) {
    at(id).addEventListener("change", (event) => change({ [key]: Number(event.target.value) }));
  }
  for (const key of ["category", "verdict", "error", "status"]) {
    at(`filter-${key}`).addEventListener("change", (event) => change({ [key]: event.target.value }));
  }
  at("filter-text").addEventListener("input", (event) => change({ text: event.target.value }));
  at("filter-errata").addEventListener("change", (event) => change({ errata: event.target.checked }));
  at("filter-reset").addEventListener("click", () => change({ ...DEFAULTS, model: state.model }));
  at("page-back").addEventListener("click", () => change({ page: state.page - 1 }));
  at("page-on").addEventListener("click", () => change({ page: state.page + 1 }));
  at("conversation-model").addEventListener("change", (event) => reopen({ model: Number(event.target.value) }));
  at("conversation-second").addEventListener("change", (event) => reopen({ second: Number(event.target.value) }));
  at("conversation-back").addEventListener("click", () => step(-1));
  at("conversation-on").addEventListener("click", () => step(1));
  at("conversation-copy").addEventListener("click", copyLink);
  at("conversation-close").addEventListener("click", () => dialog.close());
  at("show-keys").addEventListener("click", () => keys.showModal());
  at("keys-close").addEventListener("click", () => keys.close());
  addEventListener("hashchange", () => route(true));
  linkScores();
  update();
  root.hidden = false;
  route(true);
};
start().catch((error) => {
  const failure = at("explorer-failure");
  failure.textContent = `The list of entries cannot be shown: ${error.message}`;
  failure.hidden = false;
});
