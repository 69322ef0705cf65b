import { parseEntry } from '@baton/engine';
import { isEnded, taskStatusSchema, usageSumsSchema } from '@baton/protocol';
import type { TaskInspection, TaskSummary } from '@baton/store';
import { parseTraceparent } from '@baton/tracing';
import { z } from 'zod';
import { type StreamedText, streamingSchema } from '../../streaming/streamed-texts.ts';
import { isoTime } from '../../delegation/iso-time.ts';
import { clientNameSchema, interactionSummarySchema, toInteractionSummary } from './interaction-view.ts';
import { isoTimeSchema, named } from '../openapi/shared-schemas.ts';
import { timelineEntrySchema, taskTimelineOf } from './task-timeline.ts';

/** A task as lists show it. */
export const taskSummarySchema = named(
  'Task',
  z.looseObject({
    taskId: z.string(),
    operation: z.string(),
    principal: z.string().describe('Who made the call'),
    client: clientNameSchema,
    status: taskStatusSchema,
    createdAt: isoTimeSchema,
    lastUpdatedAt: isoTimeSchema,
    expiresAt: isoTimeSchema.describe('When it fails unless it has ended'),
  }),
);

const journalEntry = z.looseObject({
  path: z
    .string()
    .describe(
      "Where in the program it stands: '2.0.1' is the second effect of the first branch of the third",
    ),
  kind: z.string().describe('The kind of effect'),
  ok: z.boolean(),
  value: z.unknown().optional().describe('What came of it, when ok'),
  error: z.looseObject({}).optional(),
});

/** A task with everything that is stored of it. */
export const taskDetailSchema = named(
  'TaskDetail',
  taskSummarySchema.extend({
    version: z.int().describe("The operation's version"),
    input: z.unknown().describe('The arguments of the call'),
    result: z.looseObject({}).optional().describe('When it is completed: what the call would have returned'),
    error: z
      .looseObject({ code: z.string(), message: z.string() })
      .optional()
      .describe('When it failed or was cancelled'),
    usage: usageSumsSchema.optional().describe('What its answered LLM requests have used'),
    streaming: streamingSchema.optional(),
    traceId: z
      .string()
      .optional()
      .describe('The OpenTelemetry trace of the call that started it, if that was traced'),
    interactions: z.array(interactionSummarySchema),
    journal: z
      .array(journalEntry)
      .describe('The recorded outcomes of its effects, in the order of the program'),
    timeline: z.array(timelineEntrySchema).describe('What happened, in order'),
  }),
);

export function toTaskSummary(task: TaskSummary): z.infer<typeof taskSummarySchema> {
  const { taskId, operation, principal, client, status, createdAt, updatedAt, expiresAt } = task;
  return {
    taskId,
    operation,
    principal,
    ...(client !== undefined && { client }),
    status,
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    expiresAt: isoTime(expiresAt),
  };
}

export function toTaskDetail(
  task: TaskInspection,
  streaming: readonly StreamedText[],
): z.infer<typeof taskDetailSchema> {
  const trace = parseTraceparent(task.traceparent);
  return {
    ...toTaskSummary(task),
    version: task.version,
    input: task.input,
    ...resultOrError(task),
    ...(task.usage && { usage: task.usage }),
    ...(trace && { traceId: trace.traceId }),
    ...(streaming.length > 0 && { streaming: [...streaming] }),
    interactions: task.interactions.map(toInteractionSummary),
    journal: [...task.journal]
      .sort(([a], [b]) => comparePaths(a, b))
      .map(([path, text]) => ({ path, ...parseEntry(text) })),
    timeline: taskTimelineOf(task),
  };
}

function resultOrError({ status, payload }: TaskInspection) {
  if (!isEnded(status) || payload === undefined) return {};
  const value = JSON.parse(payload) as { code: string; message: string };
  return status === 'completed' ? { result: value } : { error: value };
}

function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? -1) - (right[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const bulkRetriedSchema = z.object({
  dryRun: z.boolean(),
  tasks: z.array(
    taskSummarySchema.extend({
      result: z.enum(['retried', 'would_be_retried', 'refused']),
      error: z
        .looseObject({ code: z.string(), message: z.string() })
        .optional()
        .describe('Why it was refused'),
    }),
  ),
  stopped: z
    .looseObject({ code: z.string(), message: z.string() })
    .optional()
    .describe('What kept the rest from being retried; the same call goes on once that has passed'),
});

export const retriedTaskSchema = taskSummarySchema.extend({
  replayed: z.literal(true).optional().describe('The same caller had retried it, and it has not ended since'),
});
