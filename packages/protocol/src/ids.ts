import { z } from 'zod';

/**
 * Ids on the wire. A task's id is a UUID (RFC 9562, version 8) whose last two bytes are zero; its interactions are
 * the same UUID with their number, from 1, in those bytes. So an interaction names its task, and one script reaches
 * everything of a delegation without a look-up. The other 106 bits are random.
 */
export const tenantIdSchema = z
  .string()
  .regex(/^[a-z0-9-]{1,63}$/, 'must match [a-z0-9-]{1,63}')
  .describe('A tenant: lower-case letters, digits and hyphens, 1 to 63 characters');

export const MAX_INTERACTIONS = 0xffff;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A new task id from a random UUID (version 4), which comes in because ids are made only where I/O is. */
export function taskIdFromUuid(uuid: string): string {
  return `${uuid.slice(0, 14)}8${uuid.slice(15, 32)}0000`;
}

export function formatInteractionId(taskId: string, number: number): string {
  return taskId.slice(0, 32) + number.toString(16).padStart(4, '0');
}

/** The task and the number behind an interaction's id, or undefined for what Baton never gave out. */
export function parseInteractionId(id: string): { taskId: string; number: number } | undefined {
  const number = UUID.test(id) ? Number.parseInt(id.slice(32), 16) : 0;
  return number === 0 ? undefined : { taskId: `${id.slice(0, 32)}0000`, number };
}

export function isTaskId(id: string): boolean {
  return UUID.test(id) && id.endsWith('0000');
}
