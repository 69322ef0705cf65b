import { formatInteractionId, isEnded, parseInteractionId, toBatonError } from '@baton/protocol';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/sdk/types.js';
import type { InboxSubscription, TaskUpdate, TaskView } from '@baton/store';
import type { AdmittedCall } from '../../../call/call.ts';
import type { CallAbortSignal } from '../../../call/call-abort-signal.ts';
import { REQUEST_CANCELLED } from '../../../call/inflight-waits.ts';
import { msUntilDeadlineOrKeyExpiry } from '../../../delegation/ms-until-deadline-or-key-expiry.ts';
import { endedTaskView } from '../../../delegation/wait-until-task-ends-or-parks.ts';
import type { ResultWaits } from '../../../tasks/result-waits.ts';
import { withStreamProgress } from '../../../streaming/stream-progress.ts';
import { toClientRequests } from '../../client-requests/client-requests.ts';
import type { StreamPosition, StreamPositions } from './stream-positions.ts';

/**
 * The longest that one call waits. MCP has `tasks/result` wait until the end; a client that gave up, as most do after a minute, leaves its
 * call behind, and one that waits opens its stream again, or repeats the call.
 */
export const MAX_HOLD_MS = 600_000;

type WaitingView = Extract<TaskView, { readonly pending: unknown }>;

/** What a stream comes to: its task's end, a request that this client does not take, or nothing before its client opens it again. */
export type StreamEnd =
  | { readonly kind: 'ended'; readonly operation: string; readonly end: Exclude<TaskView, WaitingView> }
  | { readonly kind: 'unaskable'; readonly view: WaitingView }
  | { readonly kind: 'interrupted' };

/** What the streams of this process that wait for tasks share. */
export interface TaskStreamDependencies {
  readonly positions: StreamPositions;
  readonly waits: ResultWaits;
  /** So long one of them waits at most. */
  readonly holdMs: number;
}

/** Waits for a task on the stream of its call, from a position on, or, where it has none, for the end alone. Errors: those of reading a task, and of an admission that ended meanwhile. */
export async function streamTask(
  { positions, waits, holdMs }: TaskStreamDependencies,
  position: StreamPosition,
  call: AdmittedCall,
): Promise<StreamEnd> {
  const { identity, services, tenant } = call;
  const { taskId } = position;
  const subscription = services.store.inbox.subscribe(tenant.tasks.topic(taskId), identity.admittedBy);
  const stream = new TaskStream(positions, position, call, subscription);
  const run = () => waits.hold(call, (signal) => stream.run(signal, holdMs));
  try {
    return await (call.reportProgress === undefined
      ? run()
      : withStreamProgress(call, taskId, identity, run));
  } finally {
    subscription.close();
  }
}

/**
 * The stream of one request: asks its client what the task asks, each once, takes back what was answered elsewhere or has ended, and
 * gives the id of each event to begin from.
 */
class TaskStream {
  private readonly positions: StreamPositions;
  private position: StreamPosition;
  private readonly call: AdmittedCall;
  private readonly subscription: InboxSubscription;

  constructor(
    positions: StreamPositions,
    position: StreamPosition,
    call: AdmittedCall,
    subscription: InboxSubscription,
  ) {
    this.positions = positions;
    this.position = position;
    this.call = call;
    this.subscription = subscription;
  }

  async run(signal: CallAbortSignal, holdMs: number): Promise<StreamEnd> {
    const { tenant, identity, services } = this.call;
    const { taskId, dialect, method } = this.position;
    const { channel, endChannel } = services.store.inbox;
    const asks = dialect === 'sampling';
    const deadline = performance.now() + holdMs;
    let { operation } = this.position;
    for (let hasBegun = false, end: TaskView | undefined; ; hasBegun = true) {
      // Who is not asked waits for the end alone.
      const view =
        end ??
        (await tenant.tasks.read(identity, taskId, asks ? channel : endChannel, asks ? 'first' : 'none'));
      operation = view.operation || operation;
      await this.takeBack(view);
      if (!('pending' in view)) return { kind: 'ended', operation, end: view };
      this.position = { ...this.position, operation };
      // An id before anything else: whoever loses the stream from now on finds it again (MCP 2025-11-25, basic/transports).
      if (!hasBegun) this.send('');
      const isUnaskable = asks && !(await this.ask(view));
      // A call is answered by the directive then; a task has that in its status.
      if (isUnaskable && method === 'tools/call') return { kind: 'unaskable', view };
      const update = await this.nextUpdate(deadline, signal);
      if (update === 'interrupted' && !(await this.cancelTask())) return { kind: 'interrupted' };
      if (update === 'interrupted') continue;
      end = update?.end && endedTaskView(taskId, update.end);
    }
  }

  /** Cancels the task of a call that its client has cancelled, unless it has ended. False where it is not this call's to cancel. */
  private async cancelTask(): Promise<boolean> {
    const { call, position } = this;
    const { taskId, isOfThisCall } = position;
    if (isOfThisCall !== true || call.signal().reason !== REQUEST_CANCELLED) return false;
    try {
      // CANCEL checks no key, so it is told whom the key was admitted as.
      const principal = call.caller.principal ?? call.identity.principal;
      await call.tenant.tasks.cancel({ ...call.identity, principal }, taskId);
      call.logEvent('ended', { taskId, status: 'cancelled' });
    } catch (thrown) {
      if (toBatonError(thrown).code !== 'task_ended') throw thrown;
    }
    return true;
  }

  /** The next update that concerns the stream; undefined where the task is to be read. */
  private async nextUpdate(
    deadline: number,
    signal: CallAbortSignal,
  ): Promise<TaskUpdate | 'interrupted' | undefined> {
    const { identity } = this.call;
    for (;;) {
      const update = await this.subscription.next(msUntilDeadlineOrKeyExpiry(deadline, identity), signal);
      if (update === 'ended' && (signal.aborted || performance.now() >= deadline)) return 'interrupted';
      const isCurrent = msUntilDeadlineOrKeyExpiry(Number.POSITIVE_INFINITY, identity) > 0;
      if (typeof update !== 'object' || !isCurrent) return undefined;
      // A park, which another wait of this replica is told of.
      if (this.position.dialect === 'sampling' || isEnded(update.status)) return update;
    }
  }

  /** Asks what was not asked before. False where one of the requests is none that this client takes. */
  private async ask({ pending }: WaitingView): Promise<boolean> {
    const shown = new Set(this.position.shown);
    const unasked = pending.filter(({ interactionId }) => !shown.has(numberOf(interactionId)));
    const asked = await toClientRequests(unasked, this.call);
    if (asked === undefined) return false;
    for (const { interactionId: id, number, request } of asked) {
      const { method, params } = request;
      shown.add(number);
      this.position = { ...this.position, shown: [...shown] };
      this.send({ jsonrpc: '2.0', id, method, params: this.related(params) });
    }
    return true;
  }

  /** Takes back what was asked and needs no answer any more, unless it was answered on a stream: then its client knows. */
  private async takeBack(view: TaskView): Promise<void> {
    const { taskId } = this.position;
    const open = new Set(
      'pending' in view ? view.pending.map(({ interactionId }) => numberOf(interactionId)) : [],
    );
    const over = this.position.shown.filter((number) => !open.has(number));
    if (over.length === 0) return;
    const ids = over.map((number) => formatInteractionId(taskId, number));
    const { tenant, identity } = this.call;
    const left = this.position.shown.filter((number) => open.has(number));
    this.position = { ...this.position, shown: left };
    for (const { interactionId, status, answeredOnStream } of await tenant.queries.interactions(
      identity,
      ids,
    )) {
      if (answeredOnStream === true) continue;
      const reason = status === 'answered' ? 'It was answered elsewhere.' : `It is ${status}.`;
      const params = this.related({ requestId: interactionId, reason });
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
  }

  /** What is sent of a task on the stream of `tasks/result` names the task (MCP 2025-11-25, basic/utilities/tasks). */
  private related(params: object): object {
    const { method, taskId } = this.position;
    return method === 'tasks/result' ? { ...params, _meta: { [RELATED_TASK_META_KEY]: { taskId } } } : params;
  }

  private send(message: object | ''): void {
    const { sendEvent } = this.call;
    if (sendEvent === undefined) return;
    sendEvent(message === '' ? '' : JSON.stringify(message), this.positions.format(this.position, this.call));
  }
}

function numberOf(interactionId: string): number {
  return parseInteractionId(interactionId)?.number ?? 0;
}
