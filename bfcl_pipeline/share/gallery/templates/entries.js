"use strict";
// The matrix of entries and models: filtered, in pages.
(() => {
  if (!tables.length) return;
  const PAGE = 200;
  let table = tables[0], rows = [], place = 0;
  const right = (letters) => letters.filter((letter) => letter === "1").length;
  const judged = (letters) => letters.filter((letter) => letter !== " " && letter !== "-");
  const WHICH = {
    "": () => true,
    differ: (letters) => new Set(judged(letters)).size > 1,
    none: (letters) => judged(letters).length > 0 && judged(letters).every((letter) => letter === "0"),
    every: (letters) => judged(letters).length > 0 && judged(letters).every((letter) => letter === "1"),
  };
  const choose = () => {
    table = tables[Number(at("table").value)];
    options(at("category"), ["all", ...table.entries.map(([name]) => name)]);
    const names = named(table.models);
    at("entries").tHead.replaceChildren(make("tr", {}, make("th", { class: "name", scope: "col" }, "Entry"),
      ...table.models.map((model, number) => make("th", { class: "model", scope: "col" },
        make("a", { href: model.page }, isolated(names[number]))))));
    filter();
  };
  const filter = () => {
    const verdicts = table.verdicts[at("rules").value];
    const words = at("find").value.trim().toLowerCase(), category = Number(at("category").value) - 1;
    const wanted = WHICH[at("which").value];
    rows = [];
    let number = 0;
    table.entries.forEach(([name, ids], of) => ids.forEach((id) => {
      const letters = verdicts.map((text) => text[number]);
      number += 1;
      if ((category < 0 || category === of) && id.toLowerCase().includes(words) && wanted(letters)) {
        rows.push([name, id, letters]);
      }
    }));
    place = 0;
    draw();
  };
  const draw = () => {
    const shown = rows.slice(place, place + PAGE);
    at("entries").tBodies[0].replaceChildren(...shown.map(([, id, letters]) => make("tr", {},
      make("th", { class: "name", scope: "row" }, id),
      ...letters.map((letter, number) => verdict(letter, table.models[number], id)))));
    const span = rows.length > PAGE ? `, ${place + 1} to ${place + shown.length} shown` : "";
    const sure = rows.filter(([, , letters]) => right(letters) === letters.length).length;
    at("count").textContent = `${counted(rows.length, "entry", "entries")}${span}; ${sure.toLocaleString("en")} of them right for every model`;
    at("back").disabled = place === 0;
    at("on").disabled = place + PAGE >= rows.length;
  };
  options(at("table"), tables.map((one) => one.title));
  at("table").addEventListener("change", choose);
  for (const id of ["rules", "category", "which"]) at(id).addEventListener("change", filter);
  at("find").addEventListener("input", filter);
  at("back").addEventListener("click", () => { place = Math.max(0, place - PAGE); draw(); });
  at("on").addEventListener("click", () => { place += PAGE; draw(); });
  choose();
})();
