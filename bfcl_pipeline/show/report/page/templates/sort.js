"use strict";
// Makes the headers of every table.sortable buttons that sort its rows. Numbers by value, texts by
// letter; a cell without a value (N/A) comes last in either direction; equal ones keep their order.
// The value is the text of the cell, without the note beneath it, unless data-value has another.
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const body = table.tBodies[0];
  const original = [...body.rows];

  const valueOf = (cell) => {
    if (cell.classList.contains("na") || cell.classList.contains("missing")) return null;
    const parts = [...cell.childNodes].filter((part) => part.nodeName !== "SMALL");
    return (cell.dataset.value ?? parts.map((part) => part.textContent).join("")) || null;
  };
  const numberOf = (value) => value === "\u2013" ? 0 : Number(value.replaceAll(",", ""));

  const sortBy = (column, direction) => {
    const values = new Map(original.map((row) => [row, valueOf(row.cells[column])]));
    const known = [...values.values()].filter((value) => value !== null);
    if (known.every((value) => Number.isFinite(numberOf(value)))) {
      values.forEach((value, row) => values.set(row, value === null ? null : numberOf(value)));
    }
    const compare = (a, b) => {
      const left = values.get(a), right = values.get(b);
      if (left === null || right === null) return (left === null) - (right === null);
      return direction * (left < right ? -1 : left > right ? 1 : 0);
    };
    body.append(...[...original].sort(compare));
    headers.forEach((header, index) => header.setAttribute(
      "aria-sort", index !== column ? "none" : direction > 0 ? "ascending" : "descending"));
  };

  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const best = header.classList.contains("number") ? -1 : 1;  // scores: highest first
      const current = header.getAttribute("aria-sort");
      const first = best > 0 ? "ascending" : "descending";
      sortBy(column, current === first ? -best : best);
    });
  });
}
