import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const BUILT_COMMAND = new URL('../../dist/baton.js', import.meta.url).pathname;

/** Types `baton ...` in a folder, with `input` as its standard input; resolves once it has ended. */
export async function runBaton(
  args: readonly string[],
  {
    cwd,
    environment,
    input = '',
  }: {
    readonly cwd: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly input?: string;
  },
): Promise<{ readonly code: number; readonly said: string; readonly complaints: string }> {
  const child = spawn(process.execPath, [BUILT_COMMAND, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
  });
  child.stdin.end(input);
  const closed = once(child, 'close');
  const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number];
  return { code, said, complaints };
}
