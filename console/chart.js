// A curve over the last hour.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { rate, size } from "./format.js";
import { html } from "./ui.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
/** @param {string} name */
const colour = name =>
  getComputedStyle(document.documentElement).getPropertyValue(name).match(/#\w+/g)?.[dark.matches ? 1 : 0] ?? "#888";

/**
 * @param {{label: string, times: number[], lines: (number | null)[][], format: (value: any) => string, now: any}} props
 * times are in seconds; a second line is drawn in a softer colour
 */
export function Curve({ label, times, lines, format, now }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const plot = useRef(/** @type {uPlot | null} */ (null));
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(box, lines.length, format, setAt), [times, ...lines], box);
    };
    draw();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height: 96 }));
    resized.observe(box);
    dark.addEventListener("change", draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener("change", draw);
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => {
    plot.current?.setData([times, ...lines]);
  }, [times]);
  const shown = at === null ? now : lines.map(line => line[at] ?? null);
  const when = at !== null && times[at] && new Date(times[at] * 1000).toTimeString().slice(0, 8);
  return html`<section class="card curve" aria-label=${label}>
    <h3><span>${label}${when && html` <span class="muted">${when}</span>`}</span>
      <span><b>${format(shown[0])}</b>${lines.length > 1 && html` <span class="two">out ${format(shown[1])}</span>`}</span></h3>
    <div class="plot" ref=${place} aria-hidden="true"></div>
  </section>`;
}

// Steps of the axis for which labels differ: rates have one decimal, other counts none, and sizes count in 1024.
const tens = Array.from({ length: 16 }, (_, i) => [10 ** i, 2 * 10 ** i, 5 * 10 ** i]).flat();
const steps = new Map([
  [size, Array.from({ length: 50 }, (_, i) => 2 ** i)],
  [rate, [0.1, 0.2, 0.5, ...tens]],
]);
const compact = new Intl.NumberFormat("en-US", { notation: "compact" });

/** @param {HTMLElement} box @param {number} count @param {(value: any) => string} format @param {(at: number | null) => void} told @returns {uPlot.Options} */
function options(box, count, format, told) {
  const axis = { stroke: colour("--soft"), font: "10px system-ui", ticks: { show: false } };
  const series = Array.from({ length: count }, (_, i) => ({
    stroke: colour(i ? "--soft" : "--accent"),
    width: 1.5,
    fill: i ? undefined : colour("--accent") + "22",
    points: { show: false },
    spanGaps: false,
  }));
  return {
    width: box.clientWidth,
    height: 96,
    legend: { show: false },
    series: [{}, ...series],
    padding: [8, 15, 0, 0], // half of a label of the time axis
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "hour" }, points: { size: 5 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 18, gap: 2, space: 60, values: "{HH}:{mm}" },
      {
        ...axis,
        grid: { stroke: colour("--line"), width: 1 },
        size: 44,
        gap: 4,
        space: 28,
        incrs: steps.get(format) ?? tens,
        values: (_, all) => all.map(format === size ? size : value => compact.format(value)),
      },
    ],
    hooks: { setCursor: [self => told(self.cursor.idx ?? null)] },
  };
}
