import { interactionStatusSchema, isEnded, taskStatusSchema } from '@baton/protocol';
import type { TaskInspection } from '@baton/store';
import { z } from 'zod';
import { isoTime } from '../../delegation/iso-time.ts';
import { interactionUsageSchema } from './interaction-view.ts';
import { isoTimeSchema } from '../openapi/shared-schemas.ts';

const interactionEnd = interactionStatusSchema.exclude(['pending']);
const taskEnd = taskStatusSchema.exclude(['working', 'input_required']);

/** One thing that happened to a task. */
export const timelineEntrySchema = z.discriminatedUnion('event', [
  z.object({ at: isoTimeSchema, event: z.literal('created'), by: z.string() }),
  z.object({ at: isoTimeSchema, event: z.literal('interaction_opened'), interactionId: z.string() }),
  z.object({
    at: isoTimeSchema,
    event: z.enum(interactionEnd.options.map((status) => `interaction_${status}` as const)),
    interactionId: z.string(),
    by: z.string().optional().describe('Who answered'),
    usage: interactionUsageSchema.optional(),
  }),
  z.object({ at: isoTimeSchema, event: taskEnd }),
]);
type TimelineEntry = z.infer<typeof timelineEntrySchema>;

/** What happened to a task, in order, read off the times that are stored anyway. */
export function taskTimelineOf(task: TaskInspection): TimelineEntry[] {
  const entries: [at: number, entry: TimelineEntry][] = [];
  const add = (at: number, entry: TimelineEntry) => entries.push([at, entry]);

  add(task.createdAt, { at: isoTime(task.createdAt), event: 'created', by: task.principal });
  for (const { interactionId, status, createdAt, endedAt, answeredBy, usage } of task.interactions) {
    add(createdAt, { at: isoTime(createdAt), event: 'interaction_opened', interactionId });
    if (status === 'pending' || endedAt === undefined) continue;
    const by = answeredBy === undefined ? {} : { by: answeredBy };
    const used = usage === undefined ? {} : { usage };
    add(endedAt, { at: isoTime(endedAt), event: `interaction_${status}`, interactionId, ...by, ...used });
  }
  // An ended task changes no more, so its last change is its end.
  if (isEnded(task.status)) add(task.updatedAt, { at: isoTime(task.updatedAt), event: task.status });

  // The sort is stable: within a millisecond things stay in the order in which one led to the next.
  return entries.sort(([a], [b]) => a - b).map(([, entry]) => entry);
}
