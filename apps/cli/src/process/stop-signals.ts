/** The exit codes that a shell reports for a process that the signal ended: 128 + its number. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/** Calls `stop` on the first SIGTERM or SIGINT; a second one ends the process at once. */
export function onStopSignal(stop: () => void): void {
  let stopping = false;
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    process.on(signal, () => {
      if (stopping) process.exit(code);
      stopping = true;
      stop();
    });
  }
}
