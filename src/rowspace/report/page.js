"use strict";
// What every page with figures does: draws them when they come into view, pages long tables, unfolds what a link points
// into, and reloads a page that is being written. Text from the corpus reaches the document through textContent only.
const $ = (id) => document.getElementById(id);
const unpack = async (id) => {
  const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
};
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };
const plain = (text) => text.replace(/&(lt|gt|amp|quot|#x27);/g, (entity) => entities[entity]);
const openPage = async () => {
  const live = document.body.dataset.live === "yes";

  // ---------------------------------------------------------------- a run in progress
  if (live) {
    let paused = false;
    let touched = 0;
    const pause = $("pause");
    pause.hidden = false;
    pause.addEventListener("click", () => {
      paused = !paused;
      pause.textContent = paused ? "Go on" : "Pause";
    });
    for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, () => (touched = Date.now()), { passive: true });
    setInterval(() => {
      const busy = Date.now() - touched < 8000 || ($("search") && $("search").value) || document.querySelector("details[open]");
      if (!paused && !busy) location.reload();
    }, Number(document.body.dataset.refresh) * 1000);
  }

  // ---------------------------------------------------------------- long tables
  for (const table of document.querySelectorAll("table.paged")) {
    const rows = [...table.tBodies[0].rows];
    const size = Number(table.dataset.page);
    if (rows.length <= size) continue;
    const bar = document.createElement("p");
    bar.className = "pager";
    const [back, where, on] = ["button", "span", "button"].map((tag) => bar.appendChild(document.createElement(tag)));
    back.textContent = "Earlier rows";
    on.textContent = "Later rows";
    back.type = on.type = "button";
    let first = 0;
    const turn = () => {
      rows.forEach((row, i) => (row.hidden = i < first || i >= first + size));
      where.textContent = `${first + 1} to ${Math.min(first + size, rows.length)} of ${rows.length}`;
      back.disabled = first === 0;
      on.disabled = first + size >= rows.length;
    };
    back.addEventListener("click", () => { first -= size; turn(); });
    on.addEventListener("click", () => { first += size; turn(); });
    (table.closest(".scroll") ?? table).before(bar);
    turn();
    addEventListener("beforeprint", () => rows.forEach((row) => (row.hidden = false)));
    addEventListener("afterprint", turn);
  }

  // ---------------------------------------------------------------- folded parts: a link opens them, paper shows them
  const unfold = () => {
    const target = location.hash.length > 1 ? $(decodeURIComponent(location.hash.slice(1))) : null;
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  unfold();
  addEventListener("hashchange", unfold);
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    folded.forEach((fold) => (fold.open = true));
  });
  addEventListener("afterprint", () => folded.forEach((fold) => (fold.open = false)));

  // ---------------------------------------------------------------- figures
  await new Promise((paint) => requestAnimationFrame(() => setTimeout(paint, 0)));
  const figures = JSON.parse(await unpack("figures"));
  if (!Object.keys(figures).length) return null;
  const library = document.createElement("script");
  library.textContent = await unpack("library");
  document.head.append(library);
  const Plotly = window.Plotly;

  const look = () => ({
    "font.color": colour("--ink"),
    "hoverlabel.bgcolor": colour("--card"),
    "hoverlabel.bordercolor": colour("--line"),
    "hoverlabel.font.color": colour("--ink"),
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const lighter = { "#0072B2": "#56B4E9", "#D55E00": "#FF8A4C", "#009E73": "#2FC79A", "#000000": "#e6ebf0" }; // the same hues, seen on black
  const recoloured = (name) => JSON.parse(JSON.stringify(figures[name]), (_, value) => (dark.matches && lighter[value]) || value);
  const narrow = () => innerWidth < 620;

  const draw = async (box) => {
    if (box.dataset.drawn) return;
    box.dataset.drawn = "yes";
    const name = box.dataset.figure;
    const { data, layout } = recoloured(name);
    const isMap = name.startsWith("map_");
    delete layout.title;
    delete layout.template;
    layout.margin = { ...layout.margin, t: isMap || layout.showlegend === false ? 10 : 34 };
    layout.autosize = true;
    if (layout.height) box.dataset.least = layout.height; // of a figure with a line a category
    delete layout.height;
    layout.hoverlabel = { align: "left" };
    for (const [key, value] of Object.entries(look())) {
      let node = layout;
      const path = key.split(".");
      for (const part of path.slice(0, -1)) node = node[part] ??= {};
      node[path.at(-1)] = value;
    }
    if (isMap && narrow() && data[0].marker.colorbar) {
      layout.xaxis.title.text = "";
      Object.assign(data[0].marker.colorbar, { orientation: "h", len: 1, y: -0.08, title: { text: "seen", side: "bottom" } });
    }
    const config = {
      responsive: true,
      displaylogo: false,
      displayModeBar: isMap ? !narrow() : false,
modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]], // none that sends data anywhere
    };
    await Plotly.react(box, data, layout, config);
    await fit(box);
  };
  // A figure grows with the rows of its legend, so that curves keep their room. Plotly cuts a legend at half the height.
  const fit = async (box) => {
    const legend = box.querySelector(".legend .scrollbox");
    const rows = legend ? legend.getBBox().height : 0;
    const least = Number(box.dataset.least ?? 0), legends = rows > 30 ? Math.max(265 + rows, 2 * rows + 40) : 0;
    const height = least || legends ? `${Math.ceil(Math.max(least, legends, 290))}px` : "";
    if (box.style.height === height || box.closest("#map")) return;
    box.style.height = height;
    await Plotly.Plots.resize(box);
  };

  const boxes = [...document.querySelectorAll(".plot[data-figure]")];
  const seen = new IntersectionObserver(
    (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => { seen.unobserve(e.target); draw(e.target); }),
    { rootMargin: "500px" },
  );
  boxes.forEach((box) => seen.observe(box));
  addEventListener("beforeprint", () => boxes.forEach(draw));
  let resized;
  addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => boxes.filter((box) => box.querySelector(".main-svg")).forEach(fit), 300);
  });
  dark.addEventListener("change", () => {
    for (const box of boxes.filter((box) => box.dataset.drawn)) {
      delete box.dataset.drawn;
      draw(box);
    }
  });
  return { figures, Plotly, draw };
};
