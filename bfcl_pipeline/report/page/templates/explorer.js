"use strict";
// The entries of the run: a table with filters, and the conversation of one entry in a dialog. Texts come from
// models and from the web: they are only ever set as text, never as markup.
(() => {
  const PAGE = 100;  // rows of the table at a time
  const FOLD = 1500;  // characters of a text that are shown at first
  const FIRST_CODE = 0x23;  // the character of the first verdict

  const at = (id) => document.getElementById(id);
  const root = at("explorer"), dialog = at("conversation");
  if (!root) return;

  // ---- Elements ----

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

  // ---- Data ----

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  // An item that occurs several times is stored once: a number in its place.
  const resolved = ({ items, records }) => {
    const walk = (value) => {
      if (typeof value === "number") return items[value];
      if (Array.isArray(value)) return value.map(walk);
      if (value === null || typeof value !== "object" || "kind" in value) return value;
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

  // ---- Verdicts ----

  let rows = [], byId = new Map(), models = [];
  const codeOf = (model, row, rules) => {
    const mark = row.session ? undefined : index.verdicts[model]?.[row.category]?.[rules]?.[row.place];
    return mark === undefined || mark === " " ? null : index.codes[mark.charCodeAt(0) - FIRST_CODE];
  };
  const kindOf = (code) => code === null ? "absent" : code[1] === true ? "right" : code[1] === false ? "wrong" : "none";
  const WORD = { right: "right", wrong: "wrong", none: "no verdict", absent: "not asked" };
  const verdict = (model, row) => codeOf(model, row, state.rules);

  // ---- Filters ----

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

  // ---- Addresses: #entries?model=..&.., and #model/entry or #model+second/entry ----

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

  // ---- The table ----

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

  // ---- One entry ----

  const LABELS = { system: "system", user: "user", assistant: "assistant", tool: "tool" };
  const item = ({ kind, text, label, remark, marked }) => {
    const line = make("div", { class: `item ${kind}${marked ? " marked" : ""}` });
    const name = label || LABELS[kind];
    if (name) line.append(make("span", { class: "label" }, isolated(name)));
    line.append(make("div", { class: "text", dir: "auto" }, ...folded(text ?? "")));
    if (remark) line.append(make("span", { class: "remark" }, isolated(remark)));
    return line;
  };
  const items = (list) => (list ?? []).map(item);
  const side = (title, children, empty = "nothing") => make("div", { class: "side" },
    make("h4", null, title), ...(children.length ? children : [make("p", { class: "empty" }, empty)]));
  const part = (title, ...children) => make("section", { class: "part" }, make("h3", null, title), ...children);
  const foldedPart = (title, list) => {
    const box = make("details", { class: "part" }, make("summary", null, title), ...items(list));
    box.open = list.length <= 3;
    return box;
  };

  const verdictCard = (model, answer, row) => {
    const groups = new Map();  // the rule sets with the same verdict
    index.rules.forEach((rules, place) => {
      const code = codeOf(model, row, place);
      if (code === null) return;
      const told = answer?.verdicts?.find((one) => one.rules === rules);
      const key = JSON.stringify([code, told?.message, told?.answer_class]);
      if (!groups.has(key)) groups.set(key, { code, told, rules: [] });
      groups.get(key).rules.push(rules);
    });
    const lines = [...groups.values()].map(({ code, told, rules }) => {
      const kind = kindOf(code);
      return make("div", { class: `judged ${kind}` },
        make("p", null, make("strong", { class: `verdict ${kind}` }, WORD[kind]),
          " ", make("span", { class: "rules" }, `${rules.join(", ")} rules`),
          code[2] ? make("code", null, visible(code[2])) : null,
          kind === "none" ? make("code", null, visible(code[0])) : null,
          told?.answer_class ? make("span", { class: "class" }, visible(told.answer_class)) : null),
        told?.message ? make("p", { class: "message", dir: "auto" }, ...folded(told.message)) : null);
    });
    if (!answer) lines.push(notHere(model, row));
    if (row.session) lines.unshift(make("p", { class: "empty" }, "A session is not scored."));
    return side(isolated(models[model].shown), lines);
  };
  const notHere = (model, row) => {
    const kinds = index.rules.map((_, place) => kindOf(codeOf(model, row, place)));
    const asked = kinds.some((kind) => kind !== "absent");
    if (!asked && !row.session) return make("p", { class: "empty" }, "The model was not asked this entry.");
    const why = index.entries === "none" ? "This report was made without conversations."
      : asked && kinds.every((kind) => kind === "right" || kind === "absent")
        ? "This report has no conversations that are right under every rule set."
        : "This report does not have the conversation.";
    return make("p", { class: "empty" }, `${why} In a terminal: `,
      make("code", null, `bfcl-pipeline show ${row.id} --model ${visible(models[model].name)} --run ${index.run}`));
  };
  const sessionLinks = (answer, chosen) => answer?.sessions?.length ? make("p", { class: "sessions" },
    "Sessions before it: ", ...answer.sessions.flatMap((id, place) => [
      place ? ", " : "", make("a", { href: entryHash(id, chosen[0], chosen[1] ?? -1) }, visible(id))])) : null;
  const memory = (record) => {
    const box = make("details", { class: "memory" },
      make("summary", null, visible(record.title ?? "memory"), record.about ? make("small", null, visible(record.about)) : null),
      ...items(record.texts));
    box.open = (record.texts ?? []).length <= 6;
    return box;
  };

  const conversation = (row, entry, answers, chosen) => {
    const parts = [], names = chosen.map((model) => isolated(models[model].shown));
    const eachSide = (children) => answers.map((answer, place) =>
      answer ? side(names[place].cloneNode(true), children(answer, place)) : null);
    const beside = (...sides) => make("div", { class: "beside" }, ...sides.flat().filter(Boolean));
    parts.push(beside(chosen.map((model, place) => verdictCard(model, answers[place], row))));
    if (entry.errata?.length) parts.push(part("Defects of the entry", ...items(entry.errata)));
    const sessions = sessionLinks(answers.find((answer) => answer?.sessions?.length), chosen);
    const about = (entry.about ?? []).filter((text) => !sessions || !text.startsWith("sessions before it"));
    if (about.length) {
      parts.push(make("ul", { class: "about" }, ...about.map((text) => make("li", { dir: "auto" }, ...folded(text)))));
    }
    parts.push(sessions);
    if (entry.functions?.length) {
      parts.push(foldedPart(`Offered functions (${entry.functions.length})`, entry.functions));
    }
    if (answers.some((answer) => answer?.memories?.length)) {
      parts.push(part("Memory", beside(eachSide((answer) => (answer.memories ?? []).map(memory)))));
    }
    const turns = Math.max((entry.turns ?? []).length, ...answers.map((answer) => answer?.turns?.length ?? 0));
    const withTruth = (entry.turns ?? []).some((turn) => turn.truth?.length);
    const withSteps = answers.some((answer) => answer?.turns?.some((turn) => turn.steps?.length));
    for (let number = 0; number < turns; number++) {
      const turn = entry.turns?.[number] ?? {};
      const sides = [
        ...(withTruth ? [side("Truth", items(turn.truth), "no call")] : []),
        ...(withSteps ? eachSide((answer) => {
          const own = answer.turns?.[number];
          return [...(own?.remark ? [make("p", { class: "remark" }, isolated(own.remark))] : []), ...items(own?.steps)];
        }) : []),
      ];
      parts.push(part(turns > 1 ? `Turn ${number + 1} of ${turns}` : "Question", ...items(turn.messages),
        ...(turn.appears?.length ? [foldedPart(`Functions that appear (${turn.appears.length})`, turn.appears)] : []),
        beside(sides)));
    }
    if (entry.accepted?.length || answers.some((answer) => answer?.answer?.length)) {
      parts.push(part("Answer", beside(
        entry.accepted?.length ? [side("Acceptable", items(entry.accepted))] : [],
        answers.some((answer) => answer?.answer?.length) ? eachSide((answer) => items(answer.answer)) : [])));
    }
    if (entry.hops?.length) parts.push(part("From the question to the answer", ...items(entry.hops)));
    return parts;
  };

  let opened = null;  // the row that the dialog shows
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
    document.title = `${visible(entryId.slice(0, 300))} · ${index.run}`;
    neighbours = !row ? [] : shown.includes(row) ? shown : rows.filter((one) => one.category === row.category && one.session === row.session);
    const place = neighbours.indexOf(row);
    at("conversation-place").textContent = row ? `${count(place + 1)} of ${count(neighbours.length)}` : "";
    at("conversation-back").disabled = place <= 0;
    at("conversation-on").disabled = place < 0 || place >= neighbours.length - 1;
    if (!dialog.open) {
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

  // ---- Keys ----

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

  // ---- Links from the rest of the page ----

  const linkScores = () => {
    for (const element of document.querySelectorAll("[data-link], [data-entry]")) {
      const of = element.closest("[data-models]")?.dataset.models ?? "";
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
    state = { ...DEFAULTS, rules: index.rule };
    DEFAULTS.rules = index.rule;
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
})();
