import uPlot from 'uplot';

/** One layer of each bar. */
export interface Layer {
  readonly label: string;
  readonly color: string;
  readonly counts: readonly number[];
}

const HEIGHT = 160;
const DAY_SECONDS = 86_400;

/** Draws bars of layers upon one another into an element, as wide as that; `times` in seconds since the epoch. Returns what takes it away. */
export function drawStackedBars(
  into: HTMLElement,
  times: readonly number[],
  layers: readonly Layer[],
  textColor: string,
): () => void {
  // The highest sums are drawn first, and those below stand before them.
  const sums = layers.map((_, at) =>
    times.map((_time, time) =>
      layers.slice(0, at + 1).reduce((sum, { counts }) => sum + (counts[time] ?? 0), 0),
    ),
  );
  const bars = uPlot.paths.bars?.({ align: 1, size: [0.8] });
  const series = layers
    .map(({ label, color }) => ({
      label,
      fill: color,
      width: 0,
      points: { show: false },
      ...(bars && { paths: bars }),
    }))
    .toReversed();
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > DAY_SECONDS;
  const labelOf = (seconds: number) => {
    const date = new Date(seconds * 1_000);
    return isLong
      ? date.toLocaleDateString([], { month: 'short', day: 'numeric' })
      : date.toLocaleTimeString([], { timeStyle: 'short' });
  };
  const axis = { stroke: textColor, grid: { show: false }, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        // The last bar begins at the last time, and is as wide as the others.
        x: { range: (_plot, least, most) => [least, most + (most - least) / (times.length - 1)] },
        y: { range: (_plot, _least, most) => [0, Math.max(1, most)] },
      },
      axes: [
        { ...axis, values: (_plot, ticks) => ticks.map(labelOf) },
        { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200], size: 40 },
      ],
      series: [{}, ...series],
    },
    [[...times], ...sums.toReversed()],
    into,
  );
  const fit = new ResizeObserver(() => plot.setSize({ width: into.clientWidth, height: HEIGHT }));
  fit.observe(into);
  return () => {
    fit.disconnect();
    plot.destroy();
  };
}
