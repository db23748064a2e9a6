"use strict";
// Shows one position at a time: chosen by a chip, the list, the two buttons, or a row of any table. Text is never built
// here: every part is in the document already, and this only hides and shows.
(() => {
  const chips = [...document.querySelectorAll('input[name="at"]')];
  const list = document.getElementById("position-list");
  const [earlier, later] = ["earlier", "later"].map((id) => document.getElementById(id));
  const parts = [...document.querySelectorAll("[data-at]")];
  const rows = [...document.querySelectorAll("tr[data-row]")];
  const last = list.options.length - 1;

  const show = (at) => {
    for (const part of parts) part.hidden = Number(part.dataset.at) !== at;
    for (const row of rows) {
      const chosen = Number(row.dataset.row) === at;
      row.classList.toggle("chosen", chosen);
      const box = chosen && row.closest(".tall"); // bring it into view inside its table, without moving the page
      if (box) box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
    for (const chip of chips) chip.checked = Number(chip.value) === at;
    list.selectedIndex = at;
    earlier.disabled = at === 0;
    later.disabled = at === last;
  };
  for (const chip of chips) chip.addEventListener("change", () => show(Number(chip.value)));
  list.addEventListener("change", () => show(list.selectedIndex));
  earlier.addEventListener("click", () => show(list.selectedIndex - 1));
  later.addEventListener("click", () => show(list.selectedIndex + 1));
  for (const row of rows) row.addEventListener("click", () => show(Number(row.dataset.row)));
  document.body.dataset.ready = "yes";
  show(Number(document.body.dataset.first));
})();
