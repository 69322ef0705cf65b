/**
 * The connection of a benchmark process to its parent: messages on standard output, and an exit with the parent.
 */

/** Prints a line of JSON for the parent process. */
export function sendToParent(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// In a session of its own it would outlive its parent; the end of its input says that the parent has exited.
process.stdin.on('end', () => process.exit()).resume();
// A file as input has no unref.
process.stdin.unref?.();
