import { z } from 'zod';
import { PRIORITIES, STATUSES } from '../project/index.ts';

/** A task or subtask as tools show it; fields that Baton does not know are shown as they are. */
const shown = {
  title: z.string(),
  description: z.string().optional(),
  status: z.enum(STATUSES),
  priority: z.enum(PRIORITIES).optional(),
  dependencies: z.array(z.union([z.int(), z.string()])),
  details: z.string().optional(),
  testStrategy: z.string().optional(),
  /** Not described further: a file may bring a field of this name. */
  attachments: z
    .unknown()
    .optional()
    .describe('What is attached, without its bodies: n, type, mimeType, size'),
};

export const subtaskViewSchema = z.looseObject({ id: z.int(), ...shown });
export const taskViewSchema = z.looseObject({
  id: z.int(),
  ...shown,
  subtasks: z.array(subtaskViewSchema).optional(),
});

/** A subtask shown on its own: its id is "5.2", and it names its task. */
export const standaloneSubtaskViewSchema = z.looseObject({
  id: z.string(),
  ...shown,
  parentTask: z.looseObject({ id: z.int(), title: z.string(), status: z.enum(STATUSES) }),
});
