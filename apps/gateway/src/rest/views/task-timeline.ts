import { interactionStatusSchema, isEnded, taskStatusSchema, type WireError } from '@baton/protocol';
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
    event: z.literal('interaction_claimed'),
    interactionId: z.string(),
    by: z.string().describe('Who claimed it last'),
    holder: z.string().optional().describe('The name that it gave itself'),
  }),
  z.object({
    at: isoTimeSchema,
    event: z.enum(interactionEnd.options.map((status) => `interaction_${status}` as const)),
    interactionId: z.string(),
    by: z.string().optional().describe('Who answered'),
    usage: interactionUsageSchema.optional(),
  }),
  z.object({ at: isoTimeSchema, event: taskEnd.extract(['completed']) }),
  z.object({
    at: isoTimeSchema,
    event: taskEnd.exclude(['completed']),
    reason: z.object({ code: z.string(), message: z.string() }).describe('Its error'),
  }),
  z.object({ at: isoTimeSchema, event: z.literal('retried'), by: z.string() }),
]);
type TimelineEntry = z.infer<typeof timelineEntrySchema>;

/** What happened to a task, in order, read off the times that are stored anyway. */
export function taskTimelineOf(task: TaskInspection): TimelineEntry[] {
  const entries: [at: number, entry: TimelineEntry][] = [];
  const add = (at: number, entry: TimelineEntry) => entries.push([at, entry]);

  add(task.createdAt, { at: isoTime(task.createdAt), event: 'created', by: task.principal });
  const addInteraction = (one: TaskInspection['interactions'][number]) => {
    const { interactionId, status, createdAt, endedAt, answeredBy, usage, lastClaim } = one;
    add(createdAt, { at: isoTime(createdAt), event: 'interaction_opened', interactionId });
    if (lastClaim !== undefined) {
      const { principal, holder } = lastClaim.by;
      const claimed = { interactionId, by: principal, ...(holder !== undefined && { holder }) };
      add(lastClaim.at, { at: isoTime(lastClaim.at), event: 'interaction_claimed', ...claimed });
    }
    if (status === 'pending' || endedAt === undefined) return;
    const by = answeredBy === undefined ? {} : { by: answeredBy };
    const used = usage === undefined ? {} : { usage };
    add(endedAt, { at: isoTime(endedAt), event: `interaction_${status}`, interactionId, ...by, ...used });
  };
  let rest = task.interactions;
  for (const { at, by, failedAt, code, message } of task.retries) {
    const isBefore = ({ endedAt = Infinity }) => endedAt <= failedAt;
    rest.filter(isBefore).forEach(addInteraction);
    rest = rest.filter((one) => !isBefore(one));
    add(failedAt, { at: isoTime(failedAt), event: 'failed', reason: { code, message } });
    add(at, { at: isoTime(at), event: 'retried', by });
  }
  rest.forEach(addInteraction);
  const end = endOf(task);
  if (end !== undefined) add(task.updatedAt, end);

  // The sort is stable: within a millisecond things stay in the order in which one led to the next.
  return entries.sort(([a], [b]) => a - b).map(([, entry]) => entry);
}

/** An ended task changes no more unless it is retried, so its last change is its end. */
function endOf({ status, updatedAt, payload }: TaskInspection): TimelineEntry | undefined {
  if (!isEnded(status)) return undefined;
  const at = isoTime(updatedAt);
  if (status === 'completed') return { at, event: status };
  const { code, message } = JSON.parse(payload ?? '{"code":"internal","message":""}') as WireError;
  return { at, event: status, reason: { code, message } };
}
