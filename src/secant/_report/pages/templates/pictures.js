"use strict";
// Draws panels with plotly in the colours of the page. `secant.draw` is all that others call.
const secant = (() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const drawn = new Map();  // what to draw again when the theme changes

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }

  function painted(value, key) {
    if (typeof value === "string") {
      const isColour = value.startsWith("@") && (key === undefined || key.endsWith("color"));
      return isColour ? colour(value.slice(1)) : value;
    }
    if (Array.isArray(value)) {
      return key === "colorscale" ? value.map(([at, name]) => [at, colour(name.slice(1))]) : value;
    }
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, painted(item, name)]));
  }

  function layout(panel, width) {
    const isMap = panel.kind === "claimed" || panel.kind === "measured" || panel.kind === "residual";
    const axis = { linecolor: colour("line"), tickcolor: colour("line"), automargin: true };
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: isMap ? colour("grid") : "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("text") },
      margin: { l: 8, r: isMap ? 8 : 36, t: isMap ? 8 : 14, b: 8 },
      modebar: { orientation: isMap ? "h" : "v", bgcolor: "rgba(0,0,0,0)" },
      hoverlabel: { bgcolor: colour("card"), bordercolor: colour("line"), font: { color: colour("text") }, align: "left" },
      hovermode: "closest",
      dragmode: width < 600 ? false : "zoom",
      showlegend: !isMap,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 11.5 } },
      xaxis: { ...axis, ...painted(panel.xaxis) },
      yaxis: { ...axis, ...painted(panel.yaxis) },
    };
  }

  function draw(figure, panel) {
    const canvas = figure.querySelector(".canvas");
    figure.querySelector("figcaption").textContent = panel.title;
    const says = figure.querySelector(".says");
    if (says) says.textContent = panel.says;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", panel.says);
    drawn.set(figure, panel);
    return Plotly.react(canvas, panel.traces.map((trace) => painted(trace)), layout(panel, canvas.clientWidth), {
      displaylogo: false,
      responsive: true,
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    });
  }

  dark.addEventListener("change", () => {
    for (const [figure, panel] of drawn) {
      if (figure.isConnected) draw(figure, panel); else drawn.delete(figure);
    }
  });

  return { draw };
})();

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data.pairs) return;  // an index draws when a check is unfolded

  function show(place) {
    const pair = data.pairs[place];
    document.getElementById("reduced").hidden = !pair.is_reduced;
    for (const kind of ["claimed", "measured", "residual", "residuals"]) {
      const figure = document.querySelector(`figure[data-kind="${kind}"]`);
      const panel = pair.panels.find((one) => one.kind === kind);
      figure.hidden = !panel;
      if (panel) secant.draw(figure, panel);
    }
  }

  if (data.pairs.length) show(0);
  if (data.curve) secant.draw(document.querySelector('figure[data-kind="steps"]'), data.curve);
  const pick = document.getElementById("pair");
  if (pick) pick.addEventListener("change", () => show(Number(pick.value)));
})();
