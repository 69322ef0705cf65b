import { useState } from 'preact/hooks';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useAction } from '../../components/action/action.ts';
import { countText } from '../../components/count-text.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { ComplexityChart } from './complexity-chart.tsx';
import { DependencyGraph } from './dependency-graph.tsx';
import { countByStatus, type ProjectFile, type ProjectTask } from './project-file.ts';
import { TaskTitle } from './task-title.tsx';

/** So many tasks stand in the table at once. */
const ROWS = 100;

/** One project: its tasks by status, what they depend on, and how complex they were found. */
export function ProjectPage({ id }: { id: string }) {
  const session = useSession();
  const { client } = session;
  const path = `/projects/${encodeURIComponent(id)}`;
  const live = useLiveValue(
    session,
    path,
    (signal) => client.get<ProjectFile>(path, {}, signal),
    `baton://projects/${encodeURIComponent(id)}/tasks`,
  );
  const [chosen, setChosen] = useState<string>();
  const action = useAction();
  const save = () =>
    action.start(async () => {
      download(`${id}.tasks.json`, JSON.stringify(await client.get(path), null, 2));
      return 'The file is with your downloads.';
    });
  const file = live.value;
  const tags = Object.keys(file ?? {});
  const tag = chosen !== undefined && tags.includes(chosen) ? chosen : (tags[0] ?? '');
  const tasks = file?.[tag]?.tasks ?? [];
  return (
    <>
      <h1>{plainText(id)}</h1>
      <LiveState live={live} />
      {file !== undefined && (
        <>
          <div class="actions">
            <label>
              Tag{' '}
              <select value={tag} onChange={(event) => setChosen(event.currentTarget.value)}>
                {tags.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
            <button type="button" class="small secondary" onClick={() => void save()}>
              Export
            </button>
            <ActionResult action={action} />
          </div>
          <p>
            {countText(tasks.length, 'task')}
            {tasks.length > 0 && ': '}
            {countByStatus(tasks)
              .map(([status, count]) => `${count} ${status}`)
              .join(', ')}
          </p>
          <h2>Dependencies</h2>
          <DependencyGraph tasks={tasks} />
          <ComplexityChart project={id} tag={tag} />
          <h2>Tasks</h2>
          <TaskTable key={tag} tasks={tasks} />
        </>
      )}
    </>
  );
}

function TaskTable({ tasks }: { tasks: readonly ProjectTask[] }) {
  const [wanted, setFrom] = useState(0);
  // The page before is the last one where tasks were removed meanwhile.
  const last = Math.max(0, Math.ceil(tasks.length / ROWS) - 1) * ROWS;
  const from = Math.min(wanted, last);
  return (
    <>
      <Table
        caption="Tasks"
        columns={TASK_COLUMNS}
        rows={tasks.slice(from, from + ROWS)}
        rowId={({ id }) => String(id)}
      />
      {tasks.length > ROWS && (
        <div class="actions">
          <button type="button" class="small" disabled={from === 0} onClick={() => setFrom(from - ROWS)}>
            Previous
          </button>
          <span>
            {from + 1} to {Math.min(from + ROWS, tasks.length)} of {tasks.length}
          </span>
          <button
            type="button"
            class="small"
            disabled={from + ROWS >= tasks.length}
            onClick={() => setFrom(from + ROWS)}
          >
            Next
          </button>
        </div>
      )}
    </>
  );
}

const TASK_COLUMNS: readonly Column<ProjectTask>[] = [
  { title: 'Id', cell: ({ id }) => id },
  { title: 'Title', cell: (task) => <TaskTitle task={task} /> },
  { title: 'Status', cell: ({ status }) => status ?? 'pending' },
  { title: 'Priority', cell: ({ priority }) => priority ?? '—' },
  { title: 'Depends on', cell: ({ dependencies = [] }) => dependencies.join(', ') || '—' },
  { title: 'Subtasks', cell: ({ subtasks = [] }) => subtasks.length },
];

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
