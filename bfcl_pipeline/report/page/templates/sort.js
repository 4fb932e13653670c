"use strict";
// Makes the headers of every table.sortable buttons that sort its rows. Numbers by value, texts by
// letter; a cell without a value (N/A) comes last in either direction; equal ones keep their order.
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const body = table.tBodies[0];
  const original = [...body.rows];

  const valueAt = (row, column) => row.cells[column].dataset.value ?? null;
  const isNumeric = (column) => original.every((row) => {
    const value = valueAt(row, column);
    return value === null || (value !== "" && Number.isFinite(Number(value)));
  });

  const sortBy = (column, direction) => {
    const numeric = isNumeric(column);
    const compare = (a, b) => {
      const left = valueAt(a, column), right = valueAt(b, column);
      if (left === null || right === null) return (left === null) - (right === null);
      if (numeric) return direction * (Number(left) - Number(right));
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
