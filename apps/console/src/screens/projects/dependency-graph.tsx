import { useEffect, useState } from 'preact/hooks';
import { plainText } from '../../components/plain-text.ts';
import type { GraphLayout } from './graph-layout.ts';
import type { ProjectTask } from './project-file.ts';

/** A graph of more tasks is no picture any more. */
const MOST_TASKS = 200;

/** What each task depends on, from left to right. The table below says the same in words. */
export function DependencyGraph({ tasks }: { tasks: readonly ProjectTask[] }) {
  const [layout, setLayout] = useState<GraphLayout>();
  const isDrawn =
    tasks.length <= MOST_TASKS && tasks.some(({ dependencies = [] }) => dependencies.length > 0);
  useEffect(() => {
    let isCurrent = true;
    // The layout is by a library of some size, which other screens do without.
    if (isDrawn)
      void import('./graph-layout.ts').then(({ layOutGraph }) => {
        if (isCurrent) setLayout(layOutGraph(tasks));
      });
    return () => {
      isCurrent = false;
    };
  }, [tasks, isDrawn]);
  if (tasks.length > MOST_TASKS) return <p>{`With more than ${MOST_TASKS} tasks it is not drawn.`}</p>;
  if (!isDrawn) return <p>No task depends on another.</p>;
  if (layout === undefined) return <p aria-busy="true">Drawing</p>;
  const { width, height, nodes, edges } = layout;
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label="Dependencies">
      <svg
        class="graph"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Dependencies of ${nodes.length} tasks`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {edges.map((points) => (
          <polyline key={points} points={points} marker-end="url(#arrow)" />
        ))}
        {nodes.map(({ id, x, y, width: w, height: h, title, status }) => (
          <g key={id} class={status}>
            <title>{`${id} ${plainText(title)}: ${status}`}</title>
            <rect x={x - w / 2} y={y - h / 2} width={w} height={h} rx="4" />
            <text x={x} y={y + 4} text-anchor="middle">
              {shortened(plainText(`${id} ${title}`))}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** As much of a text as a box has room for, whole characters. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= 22 ? text : `${characters.slice(0, 21).join('').trimEnd()}…`;
}
