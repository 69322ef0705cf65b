import { attachableBlockSchema } from '@baton/protocol';
import { z } from 'zod';
import { idTextSchema, projectRoot, tag } from '../definition/shared-arguments.ts';
import { ATTACHMENT_LIMITS, attachmentViewSchema, parseTaskRef } from '../project/index.ts';
import { integerOrDigits } from '../schema/coercion.ts';
import { DESTRUCTIVE_HINTS, defineChangeTool, pluralize } from './project-tool.ts';

export const attachToTaskTool = defineChangeTool({
  name: 'attach_to_task',
  title: 'Attach to a task',
  category: 'task-management',
  changes: ['attachment', 'task'],
  description:
    'Attaches images, audio, links and embedded resources to a task or a subtask, as content blocks of MCP, and takes out ' +
    'attachments by their numbers. What is attached is read as baton://projects/{project}/tasks/{id}/attachments/{n}. Blocks that ' +
    'an answer brings to add_task, update_task and update_subtask are attached by themselves.',
  hints: DESTRUCTIVE_HINTS,
  input: z
    .strictObject({
      id: idTextSchema(100)
        .refine((id) => parseTaskRef(id) !== undefined, 'must be one task ("5") or one subtask ("5.2")')
        .describe('The task ("5") or the subtask ("5.2")'),
      attachments: z
        .array(attachableBlockSchema)
        .max(ATTACHMENT_LIMITS.perItem)
        .default([])
        .describe('Content blocks: image, audio, resource_link, resource'),
      remove: z
        .array(integerOrDigits(z.int().min(1)))
        .max(ATTACHMENT_LIMITS.perItem)
        .default([])
        .describe(
          'Numbers of attachments to take out; a number is never given again while a higher one is there',
        ),
      tag,
      projectRoot,
    })
    .superRefine(({ attachments, remove }, context) => {
      if (attachments.length + remove.length > 0) return;
      const message = 'give attachments to add, or numbers to remove';
      context.addIssue({ code: 'custom', path: ['attachments'], message });
    }),
  result: z.object({
    projectRoot: z.string(),
    tag: z.string(),
    id: z.string(),
    attachments: z.array(attachmentViewSchema),
  }),
  command: ({ id, attachments, remove, tag }) => ({
    command: 'attach',
    id,
    blocks: attachments,
    remove,
    tag,
  }),
  summarize: ({ id, attachments }) => `${id} has ${pluralize(attachments.length, 'attachment')}.`,
});
