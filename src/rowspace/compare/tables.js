// Tables that sort, filter and turn pages. The rows are in the document from the start, so that it reads without a script.
const openTable = (table) => {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const size = Number(table.dataset.page);
  const text = new Map();
  let order = rows, kept = () => true, first = 0, whole = false, inside = rows;
  const bar = document.createElement("p");
  bar.className = "pager";
  const [back, where, on, all] = ["button", "span", "button", "button"].map((tag) => bar.appendChild(document.createElement(tag)));
  [back.textContent, on.textContent] = ["Earlier rows", "Later rows"];
  for (const button of [back, on, all]) button.type = "button";
  const show = () => {
    inside = order.filter(kept);
    first = Math.min(first, Math.max(0, Math.ceil(inside.length / size) - 1) * size);
    const end = whole ? inside.length : Math.min(first + size, inside.length);
    const start = whole ? 0 : first;
    body.replaceChildren(...inside.slice(start, end));
    where.textContent = inside.length ? `${start + 1} to ${end} of ${inside.length}` : "no row is left";
    bar.hidden = inside.length <= size && inside.length > 0;
    all.hidden = inside.length <= size;
    all.textContent = whole ? "In pages" : "All rows";
    back.disabled = whole || first === 0;
    on.disabled = whole || end >= inside.length;
  };
  back.addEventListener("click", () => { first -= size; show(); });
  on.addEventListener("click", () => { first += size; show(); });
  all.addEventListener("click", () => { whole = !whole; show(); });
  (table.closest(".scroll") ?? table).before(bar);

  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const sort = (column, down) => {
    const numbers = rows.every((row) => row.cells[column].dataset.v !== undefined);
    const side = down ? -1 : 1;
    order = [...rows].sort((one, other) => {
      const [a, b] = [key(one, column), key(other, column)];
      if (a === "" || b === "") return (a === "") - (b === ""); // without a value: last either way
      return side * (numbers ? a - b : a.localeCompare(b, "en", { numeric: true }));
    });
    heads.forEach((head, at) => (at === column ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    first = 0;
    show();
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending"));
    head.append(button);
  });
  addEventListener("beforeprint", () => body.replaceChildren(...inside));
  addEventListener("afterprint", show);
  show();
  return {
    rows,
    words: (row) => text.get(row) ?? text.set(row, row.textContent.toLowerCase()).get(row),
    filter: (test) => { kept = test; first = 0; show(); return inside.length; },
  };
};
