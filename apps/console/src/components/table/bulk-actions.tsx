import { useAction } from '../action/action.ts';
import { ActionResult } from '../action/action-result.tsx';
import { ConfirmedButton } from '../action/confirmed-button.tsx';

/** One thing that can be done to each of several rows. */
export interface BulkAction<Row> {
  /** A verb: `Cancel`. */
  readonly label: string;
  /** What the rows are called: `tasks`. */
  readonly noun: string;
  readonly run: (row: Row) => Promise<unknown>;
}

/** The actions for the rows that are chosen. Each is confirmed with their count, and says how many were done and why others were not. */
export function BulkActions<Row>({
  rows,
  actions,
  onDone,
}: {
  rows: readonly Row[];
  actions: readonly BulkAction<Row>[];
  onDone: () => void;
}) {
  const action = useAction();
  const run = ({ label, noun, run: runOne }: BulkAction<Row>) =>
    action.start(async () => {
      const problems: string[] = [];
      // One after the other: together they would use up the rate that the tenant has for its calls.
      for (const row of rows) {
        try {
          await runOne(row);
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error));
        }
      }
      onDone();
      const done = `${label}: ${rows.length - problems.length} of ${rows.length} ${noun} done.`;
      return problems.length === 0 ? done : `${done} ${[...new Set(problems)].join(' ')}`;
    });
  return (
    <div class="actions">
      {actions.map((one) => (
        <ConfirmedButton
          key={one.label}
          class="small secondary"
          disabled={rows.length === 0 || action.isRunning}
          question={`${one.label} ${rows.length} ${one.noun}?`}
          confirm={`${one.label} ${rows.length}`}
          onConfirm={() => void run(one)}
        >
          {one.label} chosen ({rows.length})
        </ConfirmedButton>
      ))}
      <ActionResult action={action} />
    </div>
  );
}
