import { execFile } from 'node:child_process';
import { errorMessage } from './error-message.ts';

/** How a command went; `reason` is what it said last. */
export type CommandOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly reason: string };

/** Runs a program to its end, without a shell and without ever throwing; it is killed after `limitMs`. */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, cwd, limitMs }: { env: NodeJS.ProcessEnv; cwd?: string; limitMs: number },
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const options = {
      env,
      timeout: limitMs,
      maxBuffer: 16 << 20,
      encoding: 'utf8',
      ...(cwd ? { cwd } : {}),
    } as const;
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) return resolve({ ok: true, stdout });
      if (error.killed) return resolve({ ok: false, reason: `${command} took more than ${limitMs} ms` });
      if (error.code === 'ENOENT') return resolve({ ok: false, reason: `there is no ${command}` });
      const said = stderr.trim().split('\n').at(-1);
      resolve({ ok: false, reason: said ? `${command}: ${errorMessage(said)}` : errorMessage(error) });
    });
  });
}
