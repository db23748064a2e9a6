// What the filter and the ticked arms do to the figures: what does not fit is dimmed, a ticked arm stands out. A trace says
// in meta.runs which runs are behind each of its points, or behind each of its lines, which nulls part.
const safe = (text) => text.replace(/[&<>"']/g, (sign) => Object.keys(entities).find((entity) => entities[entity] === sign));

const watchRuns = ({ figures, draw }, ticks, arms) => {
  const whole = Object.fromEntries(Object.entries(figures).filter(([, { data }]) => data.some((trace) => trace.meta?.runs)).map(([name, { data }]) => [name, data]));
  const palette = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
  let kept = null, picked = [], wait;

  const dimmed = (trace) => {
    const groups = trace.meta?.runs;
    if (!kept || !groups?.length) return trace;
    const on = groups.map((runs) => runs.some((run) => kept.has(run)));
    if (on.every(Boolean)) return trace;
    if (trace.mode === "markers") {
      const faint = { ...trace, marker: { ...trace.marker, opacity: on.map((one) => (one ? trace.marker.opacity ?? 1 : 0.06)) } };
      for (const bar of ["error_x", "error_y"]) if (trace[bar]) faint[bar] = { ...trace[bar], array: trace[bar].array.map((end, i) => (on[i] ? end : "none")), arrayminus: trace[bar].arrayminus.map((end, i) => (on[i] ? end : "none")) };
      return faint;
    }
    if (groups.length === 1) return { ...trace, opacity: 0.1, ...(trace.fill ? { fillcolor: "rgba(0,0,0,0)" } : {}) };
    let line = 0;
    return { ...trace, y: trace.y.map((value, i) => { const shown = on[line]; if (trace.x[i] === null) line++; return shown ? value : null; }) };
  };
  // An arm among the grey ones gets lines of its own; one that has a colour gets a thicker line.
  const lines = (trace, { name, runs }, place) => {
    const [x, y] = [[], []];
    let line = 0;
    trace.x.forEach((at, i) => {
      if (trace.meta.runs[line]?.some((run) => runs.has(run))) { x.push(at); y.push(trace.y[i]); }
      if (at === null) line++;
    });
    return { x, y, type: "scatter", mode: "lines", name: safe(name), hovertemplate: `${safe(name)}: %{y:.4f}<extra></extra>`, line: { width: 3, dash: "dash", color: palette[place % palette.length] } };
  };
  const stand = (data) => {
    const found = data.map(dimmed).map((trace) => {
      const own = trace.meta?.runs;
      return own?.length === 1 && trace.line?.width >= 2 && picked.some(({ runs }) => own[0].some((run) => runs.has(run))) ? { ...trace, line: { ...trace.line, width: 5 } } : trace;
    });
    const grey = data.find((trace) => trace.mode === "lines" && trace.hoverinfo === "skip" && trace.name && trace.meta?.runs.length);
    const more = grey ? picked.map((arm, place) => lines(grey, arm, place)).filter((one) => one.x.length) : [];
    return [...found, ...more];
  };
  const paint = () => {
    const now = Object.fromEntries(Object.entries(whole).map(([name, data]) => [name, stand(data)]));
    for (const [name, data] of Object.entries(now)) figures[name].data = data;
    for (const box of document.querySelectorAll(".plot[data-drawn]")) {
      if (!(box.dataset.figure in whole)) continue;
      delete box.dataset.drawn;
      draw(box);
    }
  };
  const soon = () => { clearTimeout(wait); wait = setTimeout(paint, 150); };
  for (const tick of ticks) { // of rows on other pages of the table too
    tick.disabled = false;
    tick.addEventListener("change", () => {
      const arm = arms[Number(tick.value)];
      tick.checked ? picked.push(arm) : picked.splice(picked.indexOf(arm), 1);
      soon();
    });
  }
  return (now, all) => { const next = now.size === all ? null : now; if (next || kept) { kept = next; soon(); } };
};
