// The dialog with a conversation, and the keys.

let opened = null;  // the row that the dialog shows
let opener = null;  // the element that had the focus before
let neighbours = [];
const say = (text) => at("conversation-body").replaceChildren(make("p", { class: "empty", role: "alert" }, text));
const openEntry = async (names, entryId) => {
  const row = byId.get(entryId), chosen = names.map(modelNamed);
  if (names.length) {
    state.model = Math.max(chosen[0], 0);
    state.second = chosen.length > 1 && chosen[1] !== state.model ? chosen[1] : -1;
    update();
  }
  opened = row ?? null;
  at("conversation-title").replaceChildren(visible(entryId.slice(0, 300)));
  document.title = visible(`${entryId.slice(0, 300)} · ${index.run}`);
  neighbours = !row ? [] : shown.includes(row) ? shown : rows.filter((one) => one.category === row.category && one.session === row.session);
  const place = neighbours.indexOf(row);
  at("conversation-place").textContent = row ? `${count(place + 1)} of ${count(neighbours.length)}` : "";
  at("conversation-back").disabled = place <= 0;
  at("conversation-on").disabled = place < 0 || place >= neighbours.length - 1;
  if (!dialog.open) {
    opener = document.activeElement;
    dialog.showModal();
    at("conversation-title").focus();
  }
  if (!row || chosen.includes(-1)) {
    say(`The link names ${row ? "a model" : "an entry"} that this report does not have.`);
    return;
  }
  const wanted = [state.model, state.second].filter((one) => one >= 0);
  try {
    const [entries, ...answers] = await Promise.all([
      load(`e${row.category}`), ...wanted.map((model) => load(`a${model}c${row.category}`))]);
    if (opened !== row) return;
    const entry = entries.get(entryId)?.() ?? { turns: [{ messages: [{ kind: "user", text: row.words }] }] };
    const own = answers.map((answer) => answer.get(entryId)?.());
    const tag = index.categories[row.category].name;
    const body = at("conversation-body");
    body.replaceChildren(make("p", { class: "kind" }, tag, row.defect ? ` · ${index.mark} in the errata` : "",
      row.session ? " · a session before the questions" : ""), ...conversation(row, entry, own, wanted).filter(Boolean));
    body.scrollTop = 0;
  } catch (error) {
    if (opened === row) say(error.message);
  }
};
const step = (by) => {
  const next = neighbours[neighbours.indexOf(opened) + by];
  if (!next || !opened) return;
  history.replaceState(null, "", entryHash(next.id));
  state.page = Math.max(0, Math.floor(shown.indexOf(next) / PAGE));
  drawTable();
  openEntry([], next.id);
};
const title = document.title;
dialog.addEventListener("close", () => {
  const last = opened;
  opened = null;
  document.title = title;
  if (location.hash.includes("/")) history.pushState(null, "", filterHash());
  if (opener?.isConnected && opener !== document.body && !root.contains(opener)) {
    opener.focus();  // a link elsewhere on the page
    return;
  }
  const link = [...at("entries-table").querySelectorAll("tbody a")].find((one) => one.textContent === visible(last?.id));
  link?.focus();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();  // beside the dialog
});
const reopen = (changes) => {
  const row = opened;
  change(changes);
  if (!row) return;
  history.replaceState(null, "", entryHash(row.id));
  openEntry([], row.id);
};
const copyLink = async () => {
  const tool = at("conversation-copy");
  try {
    await navigator.clipboard.writeText(location.href);
    tool.textContent = "Copied";
  } catch {
    prompt("The link to this entry:", location.href);
  }
  setTimeout(() => { tool.textContent = "Copy link"; }, 2000);
};

const keys = at("keys");
const moveFocus = (by) => {
  const links = [...at("entries-table").querySelectorAll("tbody a")];
  const place = links.indexOf(document.activeElement?.closest("tr")?.querySelector("a"));
  links[place < 0 ? 0 : Math.min(Math.max(place + by, 0), links.length - 1)]?.focus();
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const inTable = event.target.closest("#entries-table");
  if (event.key === "?") keys.open ? keys.close() : keys.showModal();
  else if (keys.open) return;
  else if (event.key === "/") {
    if (dialog.open) dialog.close();
    at("entries").scrollIntoView();
    at("filter-text").focus();
  } else if (dialog.open && (event.key === "j" || event.key === "k")) step(event.key === "j" ? 1 : -1);
  else if (!dialog.open && (event.key === "j" || event.key === "k")) moveFocus(event.key === "j" ? 1 : -1);
  else if (!dialog.open && inTable && event.key.startsWith("Arrow") && /Up|Down/.test(event.key)) moveFocus(event.key === "ArrowDown" ? 1 : -1);
  else return;
  event.preventDefault();
});
