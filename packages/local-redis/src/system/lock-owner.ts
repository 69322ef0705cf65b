import { hostname } from 'node:os';

/** Which process holds something. */
export interface LockOwner {
  readonly pid: number;
  /** A pid means nothing on another machine, or in another container that shares the directory. */
  readonly host: string;
}

export function currentProcess(): LockOwner {
  return { pid: process.pid, host: hostname() };
}

/** True only when the owner is known to have ended. */
export function hasExited({ pid, host }: LockOwner): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: it is there and another user's.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Whether parsed JSON is an owner. */
export function isLockOwner(value: unknown): value is LockOwner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host } = value as Partial<LockOwner>;
  return Number.isInteger(pid) && typeof host === 'string';
}
