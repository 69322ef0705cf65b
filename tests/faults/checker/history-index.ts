import type { FinalState, FinalTask } from './final-state.ts';
import type { AnswerKind, HistoryEntry, Reply, Request, ReportedTask } from './history.ts';

/** One request with its reply, if one is known. */
export interface Exchange {
  readonly request: Request;
  readonly from: number;
  /** Undefined while the outcome is unknown. */
  readonly reply?: Reply & { readonly at: number };
}

export interface SentAnswer {
  readonly mark: string;
  readonly kind: AnswerKind;
}

/** A history and a final state, indexed for the invariants. */
export class HistoryIndex {
  readonly final: FinalState;
  readonly exchanges: readonly Exchange[];
  readonly tasks: ReadonlyMap<string, FinalTask>;
  /** The answers sent to each interaction, accepted or not. */
  readonly sentAnswers: ReadonlyMap<string, readonly SentAnswer[]>;
  /** The tasks for which a client requested cancellation. */
  readonly cancelled: ReadonlySet<string>;
  private readonly history: readonly HistoryEntry[];

  constructor(history: readonly HistoryEntry[], final: FinalState) {
    this.history = history;
    this.final = final;
    this.exchanges = pairExchanges(history);
    this.tasks = new Map(final.tasks.map((task) => [task.taskId, task]));
    const posted = new Map<string, SentAnswer[]>();
    const cancelled = new Set<string>();
    for (const { request } of this.exchanges) {
      if (request.f === 'cancel') cancelled.add(request.taskId);
      if (request.f !== 'answer') continue;
      const { interactionId, mark, kind } = request;
      const others = posted.get(interactionId) ?? [];
      if (!others.some((other) => other.mark === mark)) others.push({ mark, kind });
      posted.set(interactionId, others);
    }
    this.sentAnswers = posted;
    this.cancelled = cancelled;
  }

  /** The answers sent to any interaction of a task. */
  sentAnswersTo(task: FinalTask): SentAnswer[] {
    return task.interactions.flatMap(({ interactionId }) => this.sentAnswers.get(interactionId) ?? []);
  }

  /** Every task status that a reply reported. */
  *reportedTasks(): Generator<{ reportedTask: ReportedTask; exchange: Exchange }> {
    for (const exchange of this.exchanges) {
      const reportedTask = exchange.reply?.task;
      if (reportedTask !== undefined) yield { reportedTask, exchange };
    }
  }

  /** Milliseconds between two times in which Redis, all workers or the machine did not run. */
  outageMs(from: number, to: number, workers: readonly string[]): number {
    let sum = 0;
    let since: number | undefined;
    const out = new Set<string>();
    const end = (at: number) => {
      if (since !== undefined) sum += Math.max(0, Math.min(at, to) - Math.max(since, from));
      since = undefined;
    };
    for (const entry of this.history) {
      if (entry.type === 'out') out.add(entry.target);
      else if (entry.type === 'back') out.delete(entry.target);
      else continue;
      const all = workers.length > 0 && workers.every((worker) => out.has(worker));
      const none = all || out.has('redis') || out.has('machine');
      if (!none) end(entry.at);
      else since ??= entry.at;
    }
    end(to);
    return sum;
  }

  /** Names of all workers in the history. */
  get workers(): string[] {
    const targets = this.history.flatMap((entry) => ('target' in entry ? [entry.target] : []));
    return [...new Set(targets)].filter((target) => target.startsWith('worker'));
  }
}

function pairExchanges(history: readonly HistoryEntry[]): Exchange[] {
  const replies = new Map<number, Reply & { at: number }>();
  for (const entry of history)
    if (entry.type === 'reply') replies.set(entry.id, { ...entry.reply, at: entry.at });
  return history.flatMap((entry) => {
    if (entry.type !== 'invoke') return [];
    const reply = replies.get(entry.id);
    return [{ request: entry.request, from: entry.at, ...(reply ? { reply } : {}) }];
  });
}
