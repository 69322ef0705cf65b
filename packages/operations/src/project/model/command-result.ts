import type { JsonObject } from '@baton/protocol';
import { withoutAttachmentBodies } from './attachment.ts';
import { type Project } from './project.ts';

/** The project after a command, and the command's outcome. */
export interface CommandResult {
  readonly project: Project;
  /** Returned to the program that committed the command; journaled. */
  readonly outcome: JsonObject;
}

/**
 * A reducer's outcome is JSON, which types with unknown extra fields cannot express. Attachments are shown without their bodies:
 * outcomes are journaled, and stand in results.
 */
export function asJsonOutcome(outcome: object): JsonObject {
  return withoutAttachmentBodies(outcome) as JsonObject;
}
