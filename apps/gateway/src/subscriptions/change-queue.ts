import { setImmediate } from 'node:timers/promises';
import type { DataChange } from '../resources/resource-kind.ts';
import type { SubscriptionIndex } from './subscription-index.ts';

/** So many subscriptions are visited in a turn of the event loop. */
const VISITS_PER_TURN = 1_000;

/**
 * Notifies of a tenant's changes, one after the other: a change may concern a hundred subscriptions of each of its streams, so that they are visited
 * in parts. What changes again before its turn is one change with what it was before.
 */
export class ChangeQueue {
  private readonly index: SubscriptionIndex;
  private readonly queued = new Map<string, DataChange>();
  private running = false;

  constructor(index: SubscriptionIndex) {
    this.index = index;
  }

  add(change: DataChange): void {
    const subject = subjectOf(change);
    const before = this.queued.get(subject);
    this.queued.set(subject, before === undefined ? change : merged(before, change));
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    let visits = 0;
    try {
      for (const [subject, change] of this.queued) {
        // What changes from now on may not be seen by those that are visited already.
        this.queued.delete(subject);
        const visit = this.index.notify(change);
        while (visit.next().done !== true) if (++visits % VISITS_PER_TURN === 0) await setImmediate();
      }
    } finally {
      this.running = false;
    }
  }
}

function subjectOf(change: DataChange): string {
  switch (change.kind) {
    case 'project':
      return `project ${change.project}`;
    case 'task':
      return `task ${change.taskId}`;
    case 'workflow':
      return `workflow ${change.workflow}`;
    case 'agent':
      return `agent ${change.agent}`;
    case 'prompt':
      return `prompt ${change.prompt}`;
  }
}

/** One change of a subject that may show all that either of them does. */
function merged(before: DataChange, change: DataChange): DataChange {
  if (before.kind === 'project' && change.kind === 'project')
    return {
      ...change,
      fields: new Set([...before.fields, ...change.fields]),
      created: before.created || change.created,
      shaped: before.shaped || change.shaped,
    };
  if (before.kind === 'task' && change.kind === 'task')
    return { ...change, listed: before.listed || change.listed };
  if (before.kind === 'agent' && change.kind === 'agent')
    return { ...change, tools: before.tools || change.tools };
  return change;
}
