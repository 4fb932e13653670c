"use strict";
// Shows the tables of one rule set; without scripts those of all three are shown, each with its heading.
(() => {
  const parts = [...document.querySelectorAll("[data-rules]")];
  for (const box of document.querySelectorAll("[data-filters], [data-switch]")) box.hidden = false;
  const show = (rules) => {
    for (const part of parts) part.hidden = part.dataset.rules !== rules;
    document.dispatchEvent(new Event("rules"));
  };
  for (const input of document.querySelectorAll("input[name=rules]")) {
    input.addEventListener("change", () => show(input.value));
  }
  if (parts.length) show(document.querySelector("input[name=rules]:checked")?.value ?? "official");
})();
