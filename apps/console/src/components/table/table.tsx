import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Which rows are chosen, and what chooses them. */
export interface RowSelection<Row> {
  readonly selected: ReadonlySet<string>;
  readonly select: (rows: readonly Row[], isSelected: boolean) => void;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly selection?: RowSelection<Row> | undefined;
}

/** A table that scrolls by itself where the page is too narrow; on a phone each row is a list of its titles and cells. */
export function Table<Row>({ caption, columns, rows, rowId, selection }: TableProps<Row>) {
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="Choose all of this page"
                  checked={rows.every((row) => selection.selected.has(rowId(row)))}
                  onChange={(event) => selection.select(rows, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map(({ title }) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {selection !== undefined && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Choose ${rowId(row)}`}
                    checked={selection.selected.has(rowId(row))}
                    onChange={(event) => selection.select([row], event.currentTarget.checked)}
                  />
                </td>
              )}
              {columns.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
