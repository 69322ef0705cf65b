/** A line of JSON to the process that started this one. */
export function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
