// The page of a comparison: one filter for the table and the parallel coordinates, figures that switch, two maps of E side
// by side, neighbours of a word. Names, levels and tokens reach the document through textContent only.
addEventListener("DOMContentLoaded", async () => {
  const ticks = [...document.querySelectorAll("table.arms input[type=checkbox]")];
  for (const table of document.querySelectorAll("table.arms")) openTable(table);
  const data = JSON.parse(await unpack("data"));
  const watched = [];
  if ($("table")) filterRuns(data, watched);
  if ($("near-table")) showNeighbours(data);
  const page = await openPage();
  if (!page) return;
  switchFigures(page);
  watched.push(watchRuns(page, ticks, data.arms.map(({ name, runs }) => ({ name, runs: new Set(runs) }))));
  if ($("map-left")) showMaps(data, page);
});

const filterRuns = (data, watched) => {
  const table = openTable($("table"));
  const levels = table.rows.map((row) => row.dataset.levels.split(",").map(Number));
  const names = table.rows.map((row) => row.cells[0].textContent);
  const selects = [...document.querySelectorAll("#filters select")];
  const chosen = new Map();
  const number = (id) => ($(id).value === "" || isNaN($(id).value) ? null : Number($(id).value));
  const run = (row) => Number(row.dataset.run);
  let parallel = null;
  const apply = () => {
    const wanted = $("search").value.toLowerCase().trim();
    const ends = [number("from"), number("to")];
    const fits = (row) => {
      const value = data.values[run(row)];
      if (ends[0] !== null && !(value >= ends[0])) return false;
      if (ends[1] !== null && !(value <= ends[1])) return false;
      for (const [axis, kept] of chosen) if (kept.size && !kept.has(levels[run(row)][axis])) return false;
      return !wanted || wanted.split(/\s+/).every((word) => table.words(row).includes(word));
    };
    const kept = new Set(table.rows.filter(fits).map(run));
    table.filter((row) => kept.has(run(row)));
    $("count").textContent = `${kept.size} of ${table.rows.length} runs`;
    selects.forEach((select) => {
      const own = chosen.get(Number(select.dataset.axis)) ?? new Set();
      select.value = own.size === 0 ? "" : own.size === 1 ? String([...own][0]) : "several";
    });
    parallel?.update(kept, chosen, ends);
    for (const watch of watched) watch(kept, table.rows.length);
  };
  const choose = (axis, level) => {
    const own = chosen.get(axis) ?? chosen.set(axis, new Set()).get(axis);
    own.has(level) ? own.delete(level) : own.add(level);
    apply();
  };
  const range = (from, to) => {
    $("from").value = from === null ? "" : from.toFixed(4);
    $("to").value = to === null ? "" : to.toFixed(4);
    apply();
  };
  const pick = (at) => { $("search").value = names[at]; apply(); $("table").scrollIntoView({ block: "nearest" }); };
  selects.forEach((select) => select.addEventListener("change", () => {
    chosen.set(Number(select.dataset.axis), new Set(select.value === "" ? [] : [Number(select.value)]));
    apply();
  }));
  for (const id of ["search", "from", "to"]) $(id).addEventListener("input", apply);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("reset", () => setTimeout(() => { chosen.clear(); apply(); }));
  const draw = () => {
    parallel = drawParallel($("parallel"), { axes: data.axes, levels, values: data.values, names, metric: data.metric, better: data.better, choose, range, pick });
    apply();
  };
  if (table.rows.length > 1 && data.axes.some((axis) => axis.levels.length > 1)) requestAnimationFrame(() => setTimeout(draw));
};

const showNeighbours = (data) => {
  const table = $("near-table");
  const cell = (tag, text, parent) => { const node = document.createElement(tag); node.textContent = text; return parent.appendChild(node); };
  const head = table.tHead.insertRow();
  const looks = data.beside.map((label, place) => ({ label, place })).filter(({ place }) => data.words.some((one) => one.near[place]));
  for (const { label } of looks) cell("th", label, head).scope = "col";
  const show = () => {
    const wanted = $("word").value.trim().toLowerCase();
    const found = data.words.find((one) => one.word.toLowerCase() === wanted) ?? (wanted && data.words.find((one) => one.word.toLowerCase().includes(wanted)));
    $("near-count").textContent = found ? `${found.word}: ${Object.keys(found.near).length} of ${looks.length} runs looked it up` : "no run looked this word up";
    const row = document.createElement("tr");
    for (const { place } of found ? looks : []) {
      const near = found.near[place] ?? [["not looked up", "", null]];
      const box = cell("td", "", row);
      for (const [token, verdict, cosine] of near) {
        const item = cell("div", "", box);
        item.className = verdict ? `near ${verdict}` : "none";
        if (verdict) { const sign = cell("span", data.signs[verdict] ?? "?", item); sign.className = "sign"; sign.title = verdict; sign.setAttribute("aria-label", verdict); }
        cell("span", token, item).className = verdict ? "token" : "";
        if (cosine !== null) cell("span", cosine.toFixed(2), item).className = "seen";
      }
    }
    table.tBodies[0].replaceChildren(row);
  };
  $("word").addEventListener("input", show);
  show();
};

const switchFigures = ({ figures, Plotly, draw }) => {
  for (const radio of document.querySelectorAll(".switched input[type=radio]")) {
    radio.addEventListener("change", async () => {
      const figure = radio.closest("figure");
      const box = figure.querySelector(".plot");
      const { title, meta } = figures[radio.value].layout;
      figure.querySelector("h4").textContent = plain(title.text);
      figure.querySelector("figcaption").textContent = plain(meta.caption);
      box.setAttribute("aria-label", plain(meta.alt));
      Plotly.purge(box);
      delete box.dataset.drawn;
      delete box.dataset.least;
      box.style.height = "";
      box.dataset.figure = radio.value;
      await draw(box);
    });
  }
};

const showMaps = ({ maps, named }, { Plotly }) => {
  const sides = ["left", "right"];
  const box = (side) => $(`map-${side}`);
  const of = (side) => maps.shown[Number($(side).value)];
  let found = null;
  const spread = (axis) => {
    const values = maps.shown.flatMap((one) => one[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [low - 0.05 * (high - low), high + 0.05 * (high - low)];
  };
  const ranges = { x: spread("x"), y: spread("y") };
  const bare = (token) => token.toLowerCase().replace(/^␣|^##/, "");
  const known = new Map(maps.tokens.map((token, at) => [token, at]));
  const written = named.map((word) => known.get(`␣${word}`) ?? known.get(word)).filter((at) => at !== undefined).slice(0, 12);
  const counts = maps.shown.flatMap((one) => one.count.map((count) => Math.log10(count + 1))).sort((a, b) => a - b);
  const words = (map) => {
    const here = written.map((at) => map.i.indexOf(at)).filter((i) => i >= 0);
    return {
      x: here.map((i) => map.x[i]), y: here.map((i) => map.y[i]), text: here.map((i) => `<b>${safe(bare(maps.tokens[map.i[i]]))}</b>`),
      mode: "text", textposition: "middle right", textfont: { size: 12, color: colour("--ink") }, hoverinfo: "skip",
    };
  };
  const ring = (map) => {
    const at = found === null ? -1 : map.i.indexOf(found);
    const here = at >= 0 ? [at] : [];
    return {
      x: here.map((i) => map.x[i]), y: here.map((i) => map.y[i]), text: here.map((i) => (written.includes(found) ? "" : safe(maps.tokens[map.i[i]]))),
      mode: "markers+text", textposition: "top center", textfont: { size: 14, color: colour("--ink") }, hoverinfo: "skip",
      marker: { symbol: "circle-open", size: 16, color: colour("--ink"), line: { width: 2.5 } },
    };
  };
  const axis = (range) => ({ range, showticklabels: false, zeroline: false, gridcolor: "rgba(128,128,128,0.18)" });
  const draw = async (side) => {
    const map = of(side);
    $(`${side}-name`).textContent = map.label;
    const points = {
      x: map.x, y: map.y, mode: "markers", customdata: map.i,
      text: map.i.map((token, i) => `${safe(maps.tokens[token])}<br>seen ${map.count[i].toLocaleString("en")} times`),
      hovertemplate: "%{text}<extra></extra>",
      marker: { size: 5, opacity: 0.75, color: map.count.map((count) => Math.log10(count + 1)), colorscale: maps.scale, cmin: counts[Math.floor(counts.length * 0.02)], cmax: counts[Math.floor(counts.length * 0.98)] },
    };
    const layout = {
      xaxis: axis(ranges.x), yaxis: axis(ranges.y), showlegend: false, hovermode: "closest", dragmode: "pan", margin: { l: 8, r: 8, t: 8, b: 8 },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colour("--ink") }, autosize: true,
      hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink"), family: "monospace" }, align: "left" },
    };
    await Plotly.react(box(side), [points, words(map), ring(map)], layout, { responsive: true, displayModeBar: false, scrollZoom: false });
  };
  const mark = (token) => {
    found = token;
    for (const side of sides) Plotly.restyle(box(side), Object.fromEntries(Object.entries(ring(of(side))).filter(([key]) => ["x", "y", "text"].includes(key)).map(([key, value]) => [key, [value]])), [2]);
    const lacks = sides.filter((side) => !of(side).i.includes(token)).map((side) => of(side).label);
    $("place").textContent = token === null ? "no drawn token holds this" : `${maps.tokens[token]}: ringed in both${lacks.length ? `, but not drawn for ${lacks.join(" and ")}` : ""}`;
  };
  const compare = async () => {
    const pair = ["left", "right"].map((side) => Number($(side).value)).sort((a, b) => a - b);
    const told = maps.likeness[pair.join(" ")];
    $("alike").textContent = pair[0] === pair[1]
      ? "The same run twice."
      : told.cosine === null
        ? `Too few shared tokens (${told.tokens}) to say how alike these two tables are.`
        : `After the best rotation a token's rows in the two runs have a mean cosine of ${told.cosine.toFixed(2)} (over ${Math.floor(told.tokens / 2).toLocaleString("en")} tokens that did not fit it; chance is 0, the same table 1).`;
    for (const side of sides) await draw(side);
  };
  const listen = () => sides.forEach((side) => box(side).on("plotly_hover", (event) => {
    const point = event.points.find((one) => one.curveNumber === 0);
    if (point && point.customdata !== found) mark(point.customdata);
  }));
  const seen = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    found = written[0] ?? null;
    await compare();
    listen();
  }, { rootMargin: "500px" });
  seen.observe(box("left"));
  for (const side of sides) $(side).addEventListener("change", compare);
  $("token").addEventListener("input", () => {
    const wanted = $("token").value.toLowerCase().replaceAll(" ", "␣");
    const hits = wanted ? maps.tokens.map((token, at) => ({ token: token.toLowerCase(), at })).filter(({ token }) => token.includes(wanted)) : [];
    hits.sort((a, b) => (bare(a.token) !== bare(wanted)) - (bare(b.token) !== bare(wanted)) || a.token.length - b.token.length);
    mark(hits.length ? hits[0].at : null);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", compare);
};
