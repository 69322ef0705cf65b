/** Narrower terminals are treated as this wide. */
const MIN_COLUMNS = 20;

/** How wide the terminal is; undefined where the output is none: lines are then whole, for who searches in them. */
export function terminalColumns(): number | undefined {
  return process.stdout.isTTY ? Math.max(MIN_COLUMNS, process.stdout.columns || 80) : undefined;
}
