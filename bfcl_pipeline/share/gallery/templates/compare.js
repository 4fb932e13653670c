"use strict";
// The difference of two models: precomputed for every pair, so that nothing is estimated here.
(() => {
  if (!tables.length) return;
  const MOST = 500;
  const GROUPS = ["overall", "non_live", "live", "irrelevance_all", "multi_turn", "agentic", "web_search", "memory", "simple_ast"];
  let table = tables[0];
  const percent = (share) => (share * 100).toFixed(2);
  const points = (share) => `${share > 0 ? "+" : ""}${(share * 100).toFixed(2)}`;
  const choose = () => {
    table = tables[Number(at("table").value)];
    const names = named(table.models).slice(0, table.compared);
    for (const id of ["first", "second"]) options(at(id), names);
    at("second").value = "1";
    draw();
  };
  const scoresOf = (first, second) => {
    const pairs = table.pairs[at("rules").value];
    if (first < second) return pairs[`${first}-${second}`];
    // The other way round: what belongs to the first and to the second changes places, limits change signs.
    return pairs[`${second}-${first}`]?.map(([score, entries, one, two, difference, low, high, only, other, p]) =>
      [score, entries, two, one, -difference, -high, -low, other, only, p]);
  };
  const draw = () => {
    const first = Number(at("first").value), second = Number(at("second").value);
    const one = table.models[first], two = table.models[second];
    const names = named(table.models);
    const scores = first === second ? undefined : scoresOf(first, second);
    head(at("differences"), ["Score", "Entries", names[first], names[second], "Difference", "95 % interval", "Only first", "Only second", "p (Holm)"]);
    at("differences").tBodies[0].replaceChildren(...(scores ?? []).map(row));
    at("summary").replaceChildren(...summary(scores, names[first], names[second]));
    flips(first, second, one, two, names);
  };
  const head = (table, titles, style = "number") => table.tHead.replaceChildren(make("tr", {}, ...titles.map((title, number) =>
    make("th", { scope: "col", class: number ? style : "name" }, isolated(title)))));
  const row = ([score, entries, one, two, difference, low, high, only, other, p]) => {
    const bare = score.replace("*", ""), sure = low > 0 || high < 0;
    const kind = bare === "overall" ? "overall" : GROUPS.includes(bare) ? "group-row" : "category";
    return make("tr", { class: kind }, make("th", { class: "name", scope: "row" }, score),
      ...[entries.toLocaleString("en"), percent(one), percent(two)].map((text) => make("td", { class: "number" }, text)),
      make("td", { class: sure ? "number shown" : "number" }, points(difference)),
      ...[`${points(low)} to ${points(high)}`, only, other, p === null ? "" : p].map((text) => make("td", { class: "number" }, String(text))));
  };
  const summary = (scores, first, second) => {
    if (!scores) return [at("first").value === at("second").value ? "Choose two different models." : "These two have no entry with a verdict in common."];
    const [, entries, , , difference, low, high] = scores[0];
    const limits = ` (95 % interval ${points(low)} to ${points(high)}, ${counted(entries, "entry", "entries")})`;
    if (low > 0 || high < 0) {
      const better = difference > 0 ? first : second, worse = difference > 0 ? second : first;
      return [isolated(better), " is better than ", isolated(worse), ` by ${percent(Math.abs(difference))} points on ${scores[0][0].replace("*", "")}${limits}.`];
    }
    return [`No difference on ${scores[0][0].replace("*", "")} is shown: `, isolated(first), " minus ", isolated(second), ` is ${points(difference)} points${limits}.`];
  };
  const flips = (first, second, one, two, names) => {
    const verdicts = table.verdicts[at("rules").value];
    const found = [];
    let number = 0, all = 0;
    for (const [category, ids] of table.entries) for (const id of ids) {
      const letters = [verdicts[first][number], verdicts[second][number]];
      number += 1;
      if (letters[0] !== letters[1] && letters.every((letter) => "01~".includes(letter))) {
        all += 1;
        if (found.length < MOST) found.push([category, id, letters]);
      }
    }
    at("flip-count").textContent = `${counted(all, "entry", "entries")}${all > found.length ? `, the first ${found.length} shown` : ""}.`;
    head(at("flipped"), ["Entry", "Category", names[first], names[second]], "center");
    at("flipped").tBodies[0].replaceChildren(...found.map(([category, id, letters]) => make("tr", {},
      make("th", { class: "name", scope: "row" }, id), make("td", { class: "center" }, category),
      verdict(letters[0], one, id), verdict(letters[1], two, id))));
  };
  options(at("table"), tables.map((each) => each.title));
  at("table").addEventListener("change", choose);
  for (const id of ["rules", "first", "second"]) at(id).addEventListener("change", draw);
  at("swap").addEventListener("click", () => {
    [at("first").value, at("second").value] = [at("second").value, at("first").value];
    draw();
  });
  choose();
})();
