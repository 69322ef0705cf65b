import type { UsageGrouping, UsageReportRow } from './usage-report.ts';

const COLUMNS = [
  'calls',
  'failedCalls',
  'inputTokens',
  'outputTokens',
  'durationMs',
  'cost',
  'unpricedCalls',
] as const;

/** A report as CSV (RFC 4180): a header, and a line for each row. */
export function formatUsageCsv(
  by: UsageGrouping,
  rows: readonly UsageReportRow[],
  currency: string | undefined,
): string {
  const header = [by, ...COLUMNS, 'currency'];
  const lines = rows.map((row) => [
    csvText(row.key),
    ...COLUMNS.map((column) => String(row[column] ?? '')),
    currency ?? '',
  ]);
  return [header, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/**
 * A name of agents' and models' own choosing as a field of CSV. One that a spreadsheet would take for a formula gets an
 * apostrophe in front, which shows it as text.
 */
function csvText(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
