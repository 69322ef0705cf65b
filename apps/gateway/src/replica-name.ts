import { randomBytes } from 'node:crypto';

/** A name that no other process has, and that says nothing of where it runs: clients see it. */
export function generateReplicaName(): string {
  return randomBytes(6).toString('hex');
}
