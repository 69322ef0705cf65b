import { spawnSync } from 'node:child_process';

/** Runs a command with this terminal; ends this process with its exit code when it fails. */
export function runCommandOrExit(command, args, environment = {}) {
  const { status, signal, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? (signal ? 1 : 0));
}
