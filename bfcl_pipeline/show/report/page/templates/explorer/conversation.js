// One conversation as elements: verdicts, defects, functions, memories, turns beside the truth, answer, hops.

const LABELS = { system: "system", user: "user", assistant: "assistant", tool: "tool" };
const item = ({ kind, text, label, remark, marked, lacking }) => {
  const line = make("div", { class: `item ${kind}${marked ? " marked" : ""}${lacking ? " lacking" : ""}` });
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

const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const verdictCard = (model, answer, row) => {
  const groups = new Map();  // the rule sets with the same verdict
  index.rules.forEach((rules, place) => {
    const code = codeOf(model, row, place);
    if (code === null) return;
    const told = answer?.verdicts?.find((one) => one.rules === rules);
    const key = JSON.stringify([code, told?.message, told?.answer_class, told?.why]);
    if (!groups.has(key)) groups.set(key, { code, told, rules: [] });
    groups.get(key).rules.push(rules);
  });
  const lines = [...groups.values()].map(({ code, told, rules }) => {
    const kind = kindOf(code);
    return make("div", { class: `judged ${kind}` },
      make("p", null, make("strong", { class: `verdict ${kind}` }, WORD[kind]),
        " ", make("span", { class: "rules" }, `under ${listed(rules)} rules`),
        code[2] ? make("code", null, visible(code[2])) : null,
        kind === "none" ? make("code", null, visible(code[0])) : null,
        told?.answer_class && told.answer_class !== kind ? make("span", { class: "class" }, visible(told.answer_class)) : null),
      told?.message ? make("p", { class: "message", dir: "auto" }, ...folded(told.message)) : null,
      told?.why ? make("p", { class: "message", dir: "auto" }, ...folded(told.why)) : null);
  });
  if (!answer) lines.push(notHere(model, row));
  if (row.session) lines.unshift(make("p", { class: "empty" }, "A session is not scored."));
  return side(isolated(models[model].shown), lines);
};
// A word of a command, as a shell reads it as one word.
const quoted = (word) => /^[\w.,:=@%+\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const notHere = (model, row) => {
  const kinds = index.rules.map((_, place) => kindOf(codeOf(model, row, place)));
  const asked = kinds.some((kind) => kind !== "absent");
  if (!asked && !row.session) return make("p", { class: "empty" }, "The model was not asked this entry.");
  const why = index.entries === "none" ? "This report was made without conversations."
    : asked && kinds.every((kind) => kind === "right" || kind === "absent")
      ? "This report has no conversations that are right under every rule set."
      : "This report does not have the conversation.";
  const command = (...words) => make("code", null, visible(["bfcl-pipeline", ...words].map(quoted).join(" ")));
  return make("p", { class: "empty" }, `${why} In a terminal: `,
    command("show", row.id, "--model", models[model].name, "--run", index.run),
    ...(index.entries === "all" ? [] : [". A report with all conversations: ", command("report", index.run, "--entries", "all")]));
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

// The truth of a turn; a call that a wrong answer does not make says so.
const truthOf = (turn, answers, names) => {
  const reached = answers.map((answer) =>
    answer?.verdicts?.some((one) => one.valid === false) ? answer.turns?.[turn.number] : undefined);
  let place = -1;
  return (turn.truth ?? []).map((one) => {
    if (one.kind !== "call") return item(one);
    place += 1;
    const without = names.filter((_, model) => reached[model]?.missing?.includes(place));
    if (!without.length) return item(one);
    const of = reached.length > 1 ? ` of ${listed(without)}` : "";
    return item({ ...one, lacking: true, remark: `not in the answer${of}` });
  });
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
    const turn = { number, ...entry.turns?.[number] };
    const sides = [
      ...(withTruth ? [side("Truth", truthOf(turn, answers, chosen.map((model) => models[model].shown)), "no call")] : []),
      ...(withSteps ? eachSide((answer) => {
        const own = answer.turns?.[number];
        const later = answer.verdicts?.some((one) => one.rules === index.rules[index.rule] && one.turn < number);
        const remark = own?.remark ? [make("p", { class: later ? "empty" : "remark" }, isolated(own.remark))] : [];
        return [...remark, ...items(own?.steps)];
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
