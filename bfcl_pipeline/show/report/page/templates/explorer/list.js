// The table of entries and the controls above it.

const verdictCell = (model, row) => {
  const code = verdict(model, row), kind = row.session ? "session" : kindOf(code);
  const cell = make("td", { class: `verdict ${kind}` }, row.session ? "not scored" : WORD[kind]);
  const detail = code && (code[2] || (kind === "none" ? code[0] : ""));
  if (detail) cell.append(make("small", null, visible(detail)));
  return cell;
};
const drawTable = () => {
  const table = at("entries-table"), columns = COLUMNS();
  table.tHead.rows[0].replaceChildren(...columns.map(({ key, title }) => {
    const sorted = state.sort === key ? (state.down ? "descending" : "ascending") : "none";
    const head = make("th", { scope: "col", "aria-sort": sorted, class: key });
    head.append(button(visible(title), () => {
      change({ sort: key, down: state.sort === key && !state.down });
      table.querySelector(`th.${key} button`)?.focus();
    }));
    return head;
  }));
  const start = state.page * PAGE;
  table.tBodies[0].replaceChildren(...shown.slice(start, start + PAGE).map((row) => {
    const link = make("a", { href: entryHash(row.id) }, visible(row.id));
    const name = make("th", { scope: "row", class: "id" }, link);
    if (row.defect) name.append(make("span", { title: visible(row.defect), class: "mark" }, ` ${index.mark}`));
    const line = make("tr", null, name,
      make("td", { class: "category" }, index.categories[row.category].name),
      make("td", { class: "words" }, isolated(row.words)),
      verdictCell(state.model, row),
      state.second < 0 ? null : verdictCell(state.second, row));
    if (models.length > 1) {
      const [right, judged] = row.session ? [0, 0] : rightOf(row);
      line.append(make("td", { class: "right number" }, judged ? `${right} of ${judged}` : "–"));
    }
    line.addEventListener("click", (event) => {
      if (!event.target.closest("a") && !String(getSelection())) link.click();
    });
    return line;
  }));
  const all = rows.filter((row) => !row.session).length, pages = Math.ceil(shown.length / PAGE);
  at("entries-count").textContent = state.verdict === "sessions"
    ? `${count(shown.length)} sessions of memories` : `${count(shown.length)} of ${count(all)} entries`;
  at("page-number").textContent = pages > 1 ? `page ${state.page + 1} of ${pages}` : "";
  at("page-back").disabled = state.page === 0;
  at("page-on").disabled = state.page >= pages - 1;
  root.querySelector(".pages").hidden = pages < 2;
};
const drawFilters = () => {
  const named = models.map((model, place) => [String(place), model.shown]);
  const beside = [["-1", "no other model"], ...named.filter(([place]) => place !== String(state.model))];
  fill(at("filter-model"), named, String(state.model));
  fill(at("filter-second"), beside, String(state.second));
  fill(at("conversation-model"), named, String(state.model));
  fill(at("conversation-second"), beside, String(state.second));
  fill(at("filter-category"), [["", "all"], ...index.categories.map(({ name }) => [name, name])], state.category);
  const two = state.second < 0 ? [] : [
    ["flipped", "right for only one of the two"],
    ["first", `only ${models[state.model].shown} right`],
    ["second", `only ${models[state.second].shown} right`],
    ["bothRight", "both right"], ["bothWrong", "both wrong"]];
  fill(at("filter-verdict"), [["", "all"], ...Object.entries(ONE), ["rules", "differs between rules"], ...two,
    ...(rows.some((row) => row.session) ? [["sessions", "sessions of memories"]] : [])], state.verdict);
  const used = (place) => [...new Set(index.codes.map((code) => code[place]).filter(Boolean))].sort();
  fill(at("filter-error"), [["", "all"], ...used(2).map((one) => [one, one])], state.error);
  fill(at("filter-status"), [["", "all"], ...used(0).map((one) => [one, one])], state.status);
  fill(at("filter-rules"), index.rules.map((one, place) => [String(place), one]), String(state.rules));
  at("filter-errata").checked = state.errata;
  if (at("filter-text").value !== state.text) at("filter-text").value = state.text;
};
const update = () => {
  drawFilters();
  search();
  drawTable();
};
const change = (changes) => {
  state = { ...state, page: 0, ...changes };
  if (state.second === state.model) state.second = -1;
  if (state.second < 0 && /^(flipped|first|second|both)/.test(state.verdict)) state.verdict = "";
  update();
  if (!dialog.open) history.replaceState(null, "", filterHash());
};
