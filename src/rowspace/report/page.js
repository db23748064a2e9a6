"use strict";
// Draws the packed figures when they come into view, lets the reader search the map, pages long tables, and reloads a
// page that is being written. Text from the corpus reaches the document through textContent only.
(async () => {
  const $ = (id) => document.getElementById(id);
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
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  };
  await new Promise((paint) => requestAnimationFrame(() => setTimeout(paint, 0)));
  const figures = JSON.parse(await unpack("figures"));
  if (!Object.keys(figures).length) return;
  const library = document.createElement("script");
  library.textContent = await unpack("library");
  document.head.append(library);
  const Plotly = window.Plotly;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const look = () => ({
    "font.color": colour("--ink"),
    "hoverlabel.bgcolor": colour("--card"),
    "hoverlabel.bordercolor": colour("--line"),
    "hoverlabel.font.color": colour("--ink"),
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const lighter = { "#0072B2": "#56B4E9", "#D55E00": "#FF8A4C", "#009E73": "#2FC79A" }; // the same hues, seen on black
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
    layout.margin = { ...layout.margin, t: isMap ? 10 : 34 };
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

  const boxes = [...document.querySelectorAll(".plot")];
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

  // ---------------------------------------------------------------- the map
  const box = document.querySelector("#map .plot");
  if (!box) return;
  const [search, found, detail] = ["search", "found", "detail"].map($);
  const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };
  const plain = (text) => text.replace(/&(lt|gt|amp|quot|#x27);/g, (entity) => entities[entity]);
  let points = [];
  let byId = new Map();
  const index = () => {
    const trace = figures[box.dataset.figure].data[0];
    points = trace.ids.map((id, i) => {
      const [count, near] = trace.customdata[i].split("|");
      const token = plain(trace.text[i]);
      const bare = token.replace(/^␣|^##/, "").toLowerCase();
      return { id, i, token, bare, count, times: Number(count.replace(/\D/g, "")), near: near ? near.split(" ") : [], x: trace.x[i], y: trace.y[i] };
    });
    byId = new Map(points.map((point) => [point.id, point]));
  };
  const button = (point) => {
    const b = document.createElement("button");
    b.type = "button";
    b.className = "token";
    b.textContent = point.token;
    b.title = point.count;
    b.addEventListener("click", () => select(point));
    return b;
  };

  const select = async (point) => {
    const title = document.createElement("h4");
    title.textContent = point.token;
    title.className = "token";
    const count = document.createElement("p");
    count.textContent = `${point.count}; the nearest five of the whole table, nearest first:`;
    const list = document.createElement("ol");
    const near = point.near.map((id) => byId.get(id)).filter(Boolean);
    for (const other of near) list.appendChild(document.createElement("li")).append(button(other));
    detail.replaceChildren(title, count, list);
    await draw(box);
    const spokes = near.flatMap((other) => [[point.x, point.y], [other.x, other.y], [null, null]]);
    const ends = [point, ...near];
    const ink = colour("--ink");
    const lines = { x: spokes.map((p) => p[0]), y: spokes.map((p) => p[1]), mode: "lines", line: { color: ink, width: 1 } };
    const rings = {
      x: ends.map((p) => p.x),
      y: ends.map((p) => p.y),
      text: ends.map((p) => figures[box.dataset.figure].data[0].text[p.i]),
      mode: "markers+text",
      textposition: "top center",
      textfont: { color: ink, size: 13 },
      marker: { symbol: "circle-open", size: ends.map((_, i) => (i ? 10 : 15)), color: ink, line: { width: 2 } },
    };
    const extra = box.data.map((_, i) => i).slice(2);
    if (extra.length) await Plotly.deleteTraces(box, extra);
    await Plotly.addTraces(box, [lines, rings].map((trace) => ({ ...trace, hoverinfo: "skip", showlegend: false })));
  };

  const look_up = () => {
    const wanted = search.value.toLowerCase().replaceAll(" ", "␣");
    const bare = wanted.replace(/^␣/, "");
    const rank = (p) => (p.bare === bare ? 0 : p.bare.startsWith(bare) ? 1 : 2);
    const hits = bare ? points.filter((p) => p.token.toLowerCase().includes(wanted)) : [];
    hits.sort((a, b) => rank(a) - rank(b) || b.times - a.times || a.i - b.i);
    found.replaceChildren(...hits.slice(0, 12).map((p) => {
      const item = document.createElement("li");
      item.append(button(p));
      return item;
    }));
    if (bare) {
      const said = document.createElement("li");
      said.className = "hint";
      said.textContent = hits.length > 12 ? `and ${hits.length - 12} more` : hits.length ? "" : "no token holds this";
      found.append(said);
    }
    return hits;
  };
  index();
  search.addEventListener("input", look_up);
  search.addEventListener("keydown", (event) => {
    const hits = event.key === "Enter" ? look_up() : [];
    if (hits.length) select(hits[0]);
  });
  await draw(box);
  const listen = () => box.on("plotly_click", (event) => {
    const hit = event.points.find((p) => p.curveNumber === 0);
    if (hit) select(points[hit.pointIndex]);
  });
  listen();
  const begin = () => {
    const named = (figures[box.dataset.figure].data[1].ids || []).map((id) => byId.get(id)).find(Boolean);
    if (named) select(named); // a first example, so that the map explains itself
  };
  begin();
  for (const radio of document.querySelectorAll('input[name="table"]')) {
    radio.addEventListener("change", async () => {
      box.dataset.figure = radio.value;
      delete box.dataset.drawn;
      Plotly.purge(box);
      index();
      const layout = figures[radio.value].layout;
      $("map-title").textContent = layout.title.text;
      $("map-caption").textContent = layout.meta.caption;
      box.setAttribute("aria-label", layout.meta.alt);
      detail.replaceChildren();
      await draw(box);
      listen();
      look_up();
      begin();
    });
  }
})();
