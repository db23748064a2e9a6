"use strict";
// The map of a run's page: search, the nearest five of a token, and the other tables.
(async () => {
  const page = await openPage();
  const box = document.querySelector("#map .plot");
  if (!page || !box) return;
  const { figures, Plotly, draw } = page;
  const [search, found, detail] = ["search", "found", "detail"].map($);
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
