import { costOf, type PriceTable } from '@baton/protocol';
import type { UsageRow } from '@baton/store';
import type { UsageGrouping, UsageReportRow } from '../views/usage-view.ts';

/** A report has so many rows at most; those with the fewest calls are one row, `other`, together. */
const MAX_ROWS = 1_000;
const REST = 'other';

/** Sums up rows of usage, as they come, by one of their names. Cost is computed now, with the prices of now. */
export class UsageReport {
  private readonly grouping: UsageGrouping;
  private readonly prices: PriceTable | undefined;
  private readonly groups = new Map<string, UsageReportRow>();
  private readonly total: UsageReportRow;

  constructor(grouping: UsageGrouping, prices: PriceTable | undefined) {
    this.grouping = grouping;
    this.prices = prices;
    this.total = emptyRow('total', prices);
  }

  add(row: UsageRow): void {
    const key = row[this.grouping];
    let group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, (group = emptyRow(key, this.prices)));
    const cost = this.prices && costOf(this.prices, row.model, row);
    for (const one of [group, this.total]) {
      addSums(one, row);
      if (cost !== undefined) one.cost = (one.cost ?? 0) + cost;
      else if (one.unpricedCalls !== undefined) one.unpricedCalls += row.calls;
    }
  }

  /** Days in order, all else by calls, most first. */
  finish(): { rows: UsageReportRow[]; total: UsageReportRow } {
    const byKey = (a: UsageReportRow, b: UsageReportRow) => (a.key < b.key ? -1 : 1);
    const sorted = [...this.groups.values()].sort((a, b) =>
      this.grouping === 'day' ? byKey(a, b) : b.calls - a.calls || byKey(a, b),
    );
    const rows = sorted.length > MAX_ROWS ? withRest(sorted, this.prices) : sorted;
    return { rows: rows.map(rounded), total: rounded(this.total) };
  }
}

function withRest(sorted: readonly UsageReportRow[], prices: PriceTable | undefined): UsageReportRow[] {
  const rows = sorted.slice(0, MAX_ROWS - 1).filter(({ key }) => key !== REST);
  const shown = new Set(rows);
  const rest = emptyRow(REST, prices);
  for (const row of sorted) {
    if (shown.has(row)) continue;
    addSums(rest, row);
    if (row.cost !== undefined) rest.cost = (rest.cost ?? 0) + row.cost;
    if (row.unpricedCalls !== undefined) rest.unpricedCalls = (rest.unpricedCalls ?? 0) + row.unpricedCalls;
  }
  return [...rows, rest];
}

function emptyRow(key: string, prices: PriceTable | undefined): UsageReportRow {
  const row = { key, calls: 0, failedCalls: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };
  return prices === undefined ? row : { ...row, cost: 0, unpricedCalls: 0 };
}

function addSums(
  row: UsageReportRow,
  { calls, failedCalls, inputTokens, outputTokens, durationMs }: Omit<UsageReportRow, 'key'>,
) {
  row.calls += calls;
  row.failedCalls += failedCalls;
  row.inputTokens += inputTokens;
  row.outputTokens += outputTokens;
  row.durationMs += durationMs;
}

/** Cost to the millionth: what is beyond is the error of adding up. */
function rounded(row: UsageReportRow): UsageReportRow {
  return row.cost === undefined ? row : { ...row, cost: Math.round(row.cost * 1e6) / 1e6 };
}
