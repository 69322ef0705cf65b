import { findProgram, type Operation } from '@baton/operations';

/** The programs that this process can run: those of the release, and what a test or a benchmark adds. */
export class Programs {
  private readonly added: ReadonlyMap<string, Operation>;

  constructor(added: ReadonlyMap<string, Operation> = new Map()) {
    this.added = added;
  }

  /** The program of a task that was started as `name` at `version`, or undefined where this process has none. */
  find(name: string, version: number): Operation | undefined {
    return findProgram(name, version, this.added);
  }
}
