import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

const KILL_AFTER_MS = 5000;
const KEPT_LINES = 20;

/**
 * Becomes the program (so that its pid is the one we spawned) and leaves a watcher beside it that reads our end of a
 * pipe. The pipe closes when this process is gone, however it went, and then the watcher ends the program. `$$` cannot
 * come to mean a stranger: while the watcher lives, its process group keeps that number taken.
 */
const SCRIPT = `
exec 3<&0 </dev/null
(
  while read -r _; do :; done <&3
  kill -TERM $$ || exit
  for _ in 1 2 3 4 5; do sleep 1; kill -0 $$ || exit; done
  kill -KILL $$
) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`;

/** A program that never outlives this process, and that a Ctrl-C in our terminal does not reach. */
export interface ParentBoundProcess {
  readonly pid: number;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>;
  /** The last lines that it printed. */
  readonly lastLines: () => string;
  /** From here on it does not keep this process alive. */
  readonly release: () => void;
  /** SIGTERM, and SIGKILL after 5 s; resolves when it has ended. Safe to repeat. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a program in a session of its own: it has to serve until we have drained, so a signal for the terminal's
 * foreground group must not end it with us.
 * @throws Error when it cannot be spawned.
 */
export async function spawnBoundToParent(
  command: string,
  args: readonly string[],
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string },
): Promise<ParentBoundProcess> {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', command, ...args], {
    env,
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  const printed = keepLastLines(child);
  const ended = new Promise<string>((resolve) => {
    // 'close' comes after the last output was read, so that the lines which say why are there.
    child.once('close', (code, signal) => {
      resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`);
    });
  });
  // Writing to nobody: the pipe exists for its end alone.
  child.stdin.on('error', () => {});

  let stopping: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    child.ref();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    pid,
    ended,
    lastLines: () => printed.join('\n'),
    release: () => {
      child.unref();
      for (const pipe of [child.stdin, child.stdout, child.stderr])
        (pipe as Writable & Readable & Socket).unref();
    },
    stop: () => (stopping ??= end()),
  };
}

function keepLastLines(child: ChildProcessByStdio<Writable, Readable, Readable>): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.filter((line) => line.trim() !== ''));
      lines.splice(0, lines.length - KEPT_LINES);
    });
  }
  return lines;
}
