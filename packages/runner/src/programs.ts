import { type Operation, allPrograms } from '@baton/operations';
import { BatonError } from '@baton/protocol';

/** The programs that this process can run: those of the release, and those that a test or a benchmark adds. */
export class Programs {
  /** Each as `"<name> <version>"`, as workers announce them. */
  readonly names: readonly string[];
  private readonly all: readonly Operation[];

  constructor(added: ReadonlyMap<string, Operation> = new Map()) {
    this.all = allPrograms(added);
    this.names = this.all.map(({ name, version }) => `${name} ${version}`);
  }

  /** The program of a task that was started as `name` at `version`; undefined where this process lacks it. */
  find(name: string, version: number): Operation | undefined {
    return this.all.find((program) => program.name === name && program.version === version);
  }

  /**
   * The newest version of an operation that this process and a live worker have. Where no worker lives it is this
   * process's newest, and the task waits for a worker. Errors: `program_unavailable` where workers live and none has it.
   */
  newestRunnable(operation: Operation, live: ReadonlySet<string> | undefined): Operation {
    const versions = this.all.filter(({ name }) => name === operation.name);
    const newest = versions.toSorted((a, b) => b.version - a.version);
    const found =
      live === undefined ? newest[0] : newest.find((one) => live.has(`${one.name} ${one.version}`));
    if (found !== undefined) return found;
    if (live === undefined) return operation;
    throw new BatonError(
      'program_unavailable',
      `No worker that runs now has the program '${operation.name}' in a version that this gateway knows. Repeat the call; ` +
        'if it stays so, upgrade the workers.',
    );
  }
}
