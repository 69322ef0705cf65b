/** A line of JSON to the process that started this one. */
export function sendToParent(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// A process of the benchmark is of a session of its own, and yet ends with the one that started it.
process.stdin.on('end', () => process.exit()).resume();
// A file has none.
process.stdin.unref?.();
