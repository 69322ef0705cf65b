import { useEffect, useState } from 'preact/hooks';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useSession } from '../../session/session-context.ts';
import { type BulkAction, BulkActions } from './bulk-actions.tsx';
import { LiveState } from '../live-state.tsx';
import { type Column, Table } from './table.tsx';

export type { Column } from './table.tsx';

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | undefined;
}

interface ListProps<Row> {
  readonly path: string;
  /** The field of the reply that holds the rows. */
  readonly field: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  /** What stands there when nothing matches. */
  readonly empty: string;
  readonly caption: string;
  /** Reads the page again whenever this changes. */
  readonly changes?: number;
  /** What can be done to the rows that are chosen. */
  readonly bulk?: readonly BulkAction<Row>[];
}

/** A list of REST as a table that the server pages: the page holds 50 rows, however many there are. */
export function PagedTable<Row>({
  path,
  field,
  query,
  columns,
  rowId,
  empty,
  caption,
  bulk,
  changes = 0,
}: ListProps<Row>) {
  const session = useSession();
  const filter = JSON.stringify([path, query]);
  // Where each page begins, up to the one that is shown; another filter begins anew.
  const [trail, setTrail] = useState<{ filter: string; cursors: readonly string[] }>({ filter, cursors: [] });
  const cursors = trail.filter === filter ? trail.cursors : [];
  const cursor = cursors.at(-1);
  const live = useLiveValue<Page<Row>>(session, `${filter} ${cursor ?? ''}`, async (signal) => {
    const reply = await session.client.get<Record<string, unknown>>(path, { ...query, cursor }, signal);
    return { rows: reply[field] as Row[], nextCursor: reply['nextCursor'] as string | undefined };
  });
  const { reload } = live;
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  const page = live.value;
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const selected = (page?.rows ?? []).filter((row) => selectedIds.has(rowId(row)));
  const select = (rows: readonly Row[], isSelected: boolean) => {
    const ids = rows.map(rowId);
    setSelectedIds(
      isSelected
        ? new Set([...selectedIds, ...ids])
        : new Set([...selectedIds].filter((id) => !ids.includes(id))),
    );
  };
  const next = page?.nextCursor;
  return (
    <section aria-label={caption}>
      <LiveState live={live} />
      {page !== undefined && page.rows.length === 0 && <p>{empty}</p>}
      {bulk !== undefined && page !== undefined && page.rows.length > 0 && (
        <BulkActions
          rows={selected}
          actions={bulk}
          onDone={() => (setSelectedIds(new Set()), live.reload())}
        />
      )}
      {page !== undefined && page.rows.length > 0 && (
        <Table
          caption={`${caption}, table`}
          columns={columns}
          rows={page.rows}
          rowId={rowId}
          selection={bulk && { selected: selectedIds, select }}
        />
      )}
      {(cursors.length > 0 || next !== undefined) && (
        <nav aria-label="Pages" class="pages">
          <button
            type="button"
            class="small secondary outline"
            disabled={cursors.length === 0}
            onClick={() => setTrail({ filter, cursors: cursors.slice(0, -1) })}
          >
            Previous
          </button>
          <span>Page {cursors.length + 1}</span>
          <button
            type="button"
            class="small secondary outline"
            disabled={next === undefined}
            onClick={() => next !== undefined && setTrail({ filter, cursors: [...cursors, next] })}
          >
            Next
          </button>
        </nav>
      )}
    </section>
  );
}
