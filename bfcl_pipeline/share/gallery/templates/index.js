"use strict";
// Filters the rows of every table by the name of a model, run or archive, and by what was verified.
(() => {
  const find = document.getElementById("find"), outcome = document.getElementById("outcome");
  const draw = () => {
    const words = find.value.toLowerCase().trim();
    let shown = 0, all = 0;
    for (const row of document.querySelectorAll("main .scroll tbody tr")) {
      const name = row.querySelector(".name").textContent.toLowerCase();
      const first = row.querySelector(".proved .badge").textContent;
      row.hidden = !name.includes(words) || (outcome.value !== "" && first !== outcome.value);
      if (row.closest("[data-rules][hidden]")) continue;
      all += 1;
      shown += row.hidden ? 0 : 1;
    }
    document.getElementById("count").textContent = words || outcome.value ? `${shown} of ${all} rows` : "";
  };
  find.addEventListener("input", draw);
  outcome.addEventListener("change", draw);
  document.addEventListener("rules", draw);
  draw();
})();
