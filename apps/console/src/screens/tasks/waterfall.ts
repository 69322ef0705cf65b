import type { TaskDetailReply } from '@baton/gateway/reply-types';

/** A span of a task's time, in milliseconds since the epoch. */
export interface WaterfallSpan {
  readonly kind: 'work' | 'wait' | 'claimed' | 'ended';
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** The interaction that is waited for. */
  readonly interactionId?: string;
  /** How it came out: an interaction's or the task's status. */
  readonly status?: string;
}

/**
 * A task's timeline as spans in the order of their beginnings: each interaction from its opening to its end, and what Baton itself took between them.
 * What goes on lasts until `now`.
 */
export function waterfallOf(
  { timeline }: Pick<TaskDetailReply, 'timeline'>,
  now: number,
): readonly WaterfallSpan[] {
  const spans: WaterfallSpan[] = [];
  const open = new Map<string, { from: number; claimed?: { at: number; by: string } }>();
  let workFrom: number | undefined;
  const endWork = (to: number) => {
    if (workFrom !== undefined) spans.push({ kind: 'work', label: 'Worker', from: workFrom, to });
    workFrom = undefined;
  };
  const endWait = (interactionId: string, to: number, status: string, by?: string) => {
    const wait = open.get(interactionId);
    if (wait === undefined) return;
    open.delete(interactionId);
    const { from, claimed } = wait;
    const label = by === undefined ? status : `${status} by ${by}`;
    spans.push({ kind: 'wait', label, from, to, interactionId, status });
    if (claimed !== undefined)
      spans.push({
        kind: 'claimed',
        label: `claimed by ${claimed.by}`,
        from: claimed.at,
        to,
        interactionId,
      });
  };
  for (const entry of timeline) {
    const at = Date.parse(entry.at);
    switch (entry.event) {
      case 'created':
      case 'retried':
        workFrom = at;
        break;
      case 'interaction_opened':
        endWork(at);
        open.set(entry.interactionId, { from: at });
        break;
      case 'interaction_claimed': {
        const wait = open.get(entry.interactionId);
        if (wait !== undefined) wait.claimed = { at, by: entry.holder ?? entry.by };
        break;
      }
      case 'completed':
      case 'failed':
      case 'cancelled':
        endWork(at);
        spans.push({
          kind: 'ended',
          label: entry.event === 'completed' ? 'completed' : `${entry.event}: ${entry.reason.code}`,
          from: at,
          to: at,
          status: entry.event,
        });
        break;
      default:
        endWait(entry.interactionId, at, entry.event.replace('interaction_', ''), entry.by);
        if (open.size === 0) workFrom = at;
    }
  }
  for (const interactionId of open.keys()) endWait(interactionId, now, 'pending');
  endWork(now);
  return spans.sort((a, b) => a.from - b.from);
}
