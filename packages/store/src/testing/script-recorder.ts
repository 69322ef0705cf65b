import type { Connection } from '../redis/connection.ts';
import { ALL_SCRIPTS, type AnyScript } from './all-scripts.ts';
import { type Mutation, mutateScript } from './script-mutation.ts';

/** Records what each script of a connection replies, and can put a mutant in a script's place. */
export class ScriptRecorder {
  private readonly runs: { readonly script: string; readonly reply: unknown[] }[] = [];
  private mutant: { readonly of: string; readonly script: AnyScript } | undefined;

  constructor(connection: Connection) {
    const straight = connection.evaluate.bind(connection);
    connection.evaluate = async (script, keys, args) => {
      const reply = await straight(this.mutant?.of === script.sha ? this.mutant.script : script, keys, args);
      this.runs.push({ script: ALL_SCRIPTS.get(script.sha)?.name ?? '', reply });
      return reply;
    };
  }

  replies(script: AnyScript): unknown[][] {
    return this.runs.filter((run) => run.script === script.name).map((run) => run.reply);
  }

  last(script: AnyScript): unknown[] {
    return this.replies(script).at(-1) ?? [];
  }

  /** The codes that a script has answered with so far. */
  codes(script: AnyScript): string[] {
    return [...new Set(this.replies(script).map(([code]) => String(code)))].sort();
  }

  /** Runs `body` with a mutant in the script's place. */
  async withMutant<T>(script: AnyScript, cuts: readonly Mutation[], body: () => Promise<T>): Promise<T> {
    this.mutant = { of: script.sha, script: mutateScript(script, ...cuts) };
    try {
      return await body();
    } finally {
      this.mutant = undefined;
    }
  }
}
