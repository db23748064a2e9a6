// Parallel coordinates: a line a run through its levels, the metric on the last axis with the best at the top.
const drawParallel = (figure, { axes, levels, values, names, metric, better, choose, range, pick }) => {
  const svg = figure.querySelector("svg");
  const make = (tag, parent, attributes = {}) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return parent.appendChild(node);
  };
  const shown = axes.map((axis, at) => ({ ...axis, at })).filter((axis) => axis.levels.length > 1);
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const side = better === "higher" ? -1 : 1;
  const ranked = values.map((_, run) => run).filter((run) => values[run] !== null).sort((a, b) => side * (values[a] - values[b]));
  const rank = new Map(ranked.map((run, at) => [run, at]));
  const fifth = Math.max(1, Math.round(ranked.length / 5));
  const [top, bottom, left] = [34, 326, 12];
  let lines = new Map(), marks = [], brush, height;
  const scale = (value) => (high === low ? (top + bottom) / 2 : side > 0 ? top + ((value - low) / (high - low)) * (bottom - top) : top + ((high - value) / (high - low)) * (bottom - top));
  const back = (y) => { const part = Math.min(1, Math.max(0, (y - top) / (bottom - top))); return side > 0 ? low + part * (high - low) : high - part * (high - low); };

  const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  const draw = () => {
    const room = figure.clientWidth - 34;
    if (room < 50) return;
    const width = Math.max(room, 110 * (shown.length + 1));
    const step = (width - left - 96) / shown.length;
    svg.replaceChildren();
    svg.style.setProperty("--thick", ranked.length > 100 ? 1 : 2);
    svg.setAttribute("width", width);
    svg.setAttribute("height", bottom + 22);
    lines = new Map();
    marks = [];
    const gap = (axis) => (bottom - top) / axis.levels.length;
    const y = (axis, run) => top + gap(axis) * (levels[run][axis.at] + 0.5 + 0.55 * (rank.get(run) / Math.max(1, ranked.length - 1) - 0.5));
    const behind = make("g", svg), touch = make("g", svg);
    for (const run of [...ranked].reverse()) {
      const points = [...shown.map((axis, i) => [left + i * step, levels[run][axis.at] < 0 ? bottom + 8 : y(axis, run)]), [left + shown.length * step, scale(values[run])]];
      const d = "M" + points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L");
      const at = rank.get(run);
      const line = make("path", behind, { d, class: `run${at < fifth ? " first" : at >= ranked.length - fifth && ranked.length > 4 ? " last" : ""}` });
      const hit = make("path", touch, { d, class: "hit" });
      lines.set(run, line);
      hit.addEventListener("pointerenter", () => { behind.append(line); line.classList.add("on"); say(run); });
      hit.addEventListener("pointerleave", () => line.classList.remove("on"));
      hit.addEventListener("click", () => pick(run));
    }
    shown.forEach((axis, i) => {
      const x = left + i * step;
      make("line", behind, { x1: x, x2: x, y1: top, y2: bottom, class: "rule" });
      make("text", svg, { x: x - 8, y: 16, class: "name" }).textContent = cut(axis.label, Math.floor(step / 7.5));
      axis.levels.forEach((label, level) => {
        const group = make("g", svg, { class: "level", tabindex: 0, role: "button", "aria-label": `keep ${axis.label} ${label}` });
        make("text", group, { x: x + 7, y: top + gap(axis) * (level + 0.5) + 4 }).textContent = cut(label, 14);
        group.addEventListener("click", () => choose(axis.at, level));
        group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(axis.at, level); } });
        marks.push({ group, axis: axis.at, level });
      });
    });
    const x = left + shown.length * step;
    make("line", behind, { x1: x, x2: x, y1: top, y2: bottom, class: "rule" });
    make("text", svg, { x: x + 90, y: 14, class: "name", "text-anchor": "end" }).textContent = cut(metric.split("/").at(-1), 13);
    if (better !== "neither") make("text", svg, { x: x + 90, y: 28, "text-anchor": "end" }).textContent = "best on top";
    for (let i = 0; i <= 4; i++) make("text", svg, { x: x + 8, y: top + (i / 4) * (bottom - top) + 4 }).textContent = back(top + (i / 4) * (bottom - top)).toFixed(3);
    brush = make("rect", svg, { x: x - 9, width: 18, y: 0, height: 0, class: "brush" });
    const handle = make("rect", svg, { x: x - 10, width: 74, y: top, height: bottom - top, class: "brushed" });
    let from = null;
    const at = (event) => Math.min(bottom, Math.max(top, event.clientY - svg.getBoundingClientRect().top));
    handle.addEventListener("pointerdown", (event) => { from = at(event); handle.setPointerCapture(event.pointerId); });
    handle.addEventListener("pointermove", (event) => { if (from !== null) frame(Math.min(from, at(event)), Math.max(from, at(event))); });
    handle.addEventListener("pointerup", (event) => {
      const ends = [back(from), back(at(event))].sort((a, b) => a - b);
      const far = Math.abs(at(event) - from) > 4;
      from = null;
      range(...(far ? ends : [null, null]));
    });
  };
  const frame = (from, to) => { brush.setAttribute("y", from); brush.setAttribute("height", Math.max(0, to - from)); };
  const say = (run) => {
    const said = shown.map((axis) => `${axis.label} ${axis.levels[levels[run][axis.at]] ?? "–"}`).join(", ");
    figure.querySelector("#line").textContent = `${names[run]}: ${said}; ${metric} ${values[run].toFixed(4)}, place ${rank.get(run) + 1} of ${ranked.length}`;
  };
  let last = null;
  const update = (kept, chosen, ends) => {
    last = [kept, chosen, ends];
    if (!brush) return;
    for (const [run, line] of lines) line.classList.toggle("out", !kept.has(run));
    for (const { group, axis, level } of marks) group.classList.toggle("kept", Boolean(chosen.get(axis)?.has(level)));
    const open = ends.every((end) => end === null);
    const [a, b] = [scale(ends[0] ?? low), scale(ends[1] ?? high)].map((end) => Math.min(bottom, Math.max(top, end))).sort((p, q) => p - q);
    open ? frame(0, 0) : frame(a, b);
  };
  figure.hidden = false;
  draw();
  let wait;
  addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(() => { draw(); if (last) update(...last); }, 250); });
  return { update };
};
