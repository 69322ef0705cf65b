import type { Services } from '../../call/call.ts';
import type { SessionTokens } from '../../sessions/session-tokens.ts';
import { ResultWaits } from '../../tasks/result-waits.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { CancellableRequests } from './call/cancellable-requests.ts';
import { createServerOf2025, METHODS_OF_2025, serveRevisionsOf2025, serveTasksOf2025 } from './server.ts';
import { StreamPositions } from './task-stream/stream-positions.ts';
import { MAX_HOLD_MS, type TaskStreamDependencies } from './task-stream/task-stream.ts';

/** What messages of the 2025 revisions are dispatched by. */
export interface DispatchersOf2025 {
  readonly sessions: SessionTokens;
  readonly taskStreams: TaskStreamDependencies;
  readonly cancellable: CancellableRequests;
  readonly dispatcher: Dispatcher;
  /** To a server without tasks, for clients of revisions that have none: what `initialize` says differs. */
  readonly taskless: Dispatcher;
}

export async function createDispatchersOf2025(
  services: Services,
  sessions: SessionTokens,
): Promise<DispatchersOf2025> {
  const taskStreams = {
    positions: new StreamPositions(services.store),
    waits: new ResultWaits(),
    holdMs: MAX_HOLD_MS,
  };
  const serverOf = (declaresTasks: boolean) => createServerOf2025(METHODS_OF_2025, declaresTasks);
  return {
    sessions,
    taskStreams,
    cancellable: new CancellableRequests(sessions),
    dispatcher: new Dispatcher(await serveTasksOf2025(serverOf(true), taskStreams)),
    taskless: new Dispatcher(await serveRevisionsOf2025(serverOf(false), taskStreams)),
  };
}
