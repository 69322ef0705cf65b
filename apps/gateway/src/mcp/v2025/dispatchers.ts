import type { Services } from '../../call/call.ts';
import type { SessionTokens } from '../../sessions/session-tokens.ts';
import { ResultWaits } from '../../tasks/result-waits.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import type { McpMethods } from '../dispatch/mcp-methods.ts';
import { createServerOf2025, methodsOf2025, serveRevisionsOf2025, serveTasksOf2025 } from './server.ts';
import { StreamPositions } from './task-stream/stream-positions.ts';
import type { TaskStreamDependencies } from './task-stream/task-stream.ts';

/** What messages of the 2025 revisions are dispatched by. */
export interface DispatchersOf2025 {
  readonly methods: McpMethods;
  readonly sessions: SessionTokens;
  readonly taskStreams: TaskStreamDependencies;
  readonly dispatcher: Dispatcher;
  /** To a server without tasks, for clients of revisions that have none: what `initialize` says differs. */
  readonly taskless: Dispatcher;
}

export async function createDispatchersOf2025(
  services: Services,
  methods: McpMethods,
  sessions: SessionTokens,
): Promise<DispatchersOf2025> {
  const taskStreams = { positions: new StreamPositions(services.store), waits: new ResultWaits() };
  const served = methodsOf2025(methods, taskStreams.waits);
  const serverOf = (declaresTasks: boolean) => createServerOf2025(methods, served, declaresTasks);
  return {
    methods,
    sessions,
    taskStreams,
    dispatcher: new Dispatcher(await serveTasksOf2025(serverOf(true), methods, taskStreams)),
    taskless: new Dispatcher(await serveRevisionsOf2025(serverOf(false), methods, taskStreams)),
  };
}
