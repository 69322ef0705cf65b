/** Rows as columns of equal width; the last one is as wide as it is. */
export function tableText(rows: readonly (readonly (string | number)[])[]): string {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)));
  return texts
    .map((row) =>
      row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '),
    )
    .join('\n');
}
