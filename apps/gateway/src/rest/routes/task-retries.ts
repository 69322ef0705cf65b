import { parseOwnerAndTimes } from '../../delegation/owner-and-time-filter.ts';
import { BatonError, MAX_WAIT_MS } from '@baton/protocol';
import type { Identity } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Call, Services } from '../../call/call.ts';
import { retryTask, retryWithoutWaiting } from '../../retries/retry-task.ts';
import { tenantRouter } from '../admission/router.ts';
import { restCallOf } from '../admission/rest-call.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { optionalParam } from './optional-param.ts';
import { cursorParamSchema, nextCursorSchema, originFields } from './paging.ts';
import { requireTaskId } from './task-id.ts';
import { bulkRetriedSchema, retriedTaskSchema, toTaskSummary } from '../views/task-view.ts';

const retry = z.strictObject({
  waitMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .default(0)
    .describe('How long to wait for its next request or its end, in milliseconds'),
});

/** One call retries so many tasks at most, and 50 where it does not say how many. */
const MAX_RETRIED = 200;
const RETRIED = 50;

const bulkRetry = z.strictObject({
  filter: z
    .strictObject({
      operation: optionalParam(z.string().max(100)).describe('Only those of this operation'),
      errorCode: optionalParam(z.string().max(64)).describe('Only those that failed with this error'),
      ...originFields,
    })
    .describe('Which of the tasks that failed; `{}` for all'),
  dryRun: z.boolean().default(false).describe('Says what would be done, and does nothing'),
  limit: z.int().min(1).max(MAX_RETRIED).default(RETRIED).describe('How many tasks at most'),
  cursor: cursorParamSchema,
});

const retriedPageSchema = bulkRetriedSchema.extend({ nextCursor: nextCursorSchema });

/** What is no matter of the task: the call ends there, and goes on when it has passed. */
function stopsAll({ code, row }: BatonError): boolean {
  return code.startsWith('limit_') || (row.repeat && code !== 'program_unavailable');
}

/** Has tasks of a tenant that failed go on: one's own, with `admin` all of them. */
export async function taskRetryRoutes(
  app: FastifyInstance,
  { services, routeScope }: { services: Services; routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'tasks', scopes: ['mcp', 'agent', 'admin'] });

  route('POST /tasks/:id/retry', {
    id: 'retryTask',
    summary: 'Have a task that failed or expired go on from its journal; its last request is opened anew',
    params: { id: z.string().min(1).max(100) },
    body: retry,
    problems: [404, 409, 413],
    reply: [200, 'The task as it is now', retriedTaskSchema],
    async run({ identity, params, body }, request, reply) {
      const call = restCallOf(services, request, reply);
      const { view, replayed } = await retryTask(call, identity, requireTaskId(params.id), body.waitMs);
      return { ...toTaskSummary(view), ...(replayed && { replayed }) };
    },
  });

  route('POST /tasks/retry', {
    id: 'retryTasks',
    summary: 'Have the tasks go on that failed or expired and match a filter, the newest first',
    body: bulkRetry,
    reply: [200, 'What became of each', retriedPageSchema],
    run: ({ identity, body }, request, reply) =>
      retryTasks(restCallOf(services, request, reply), identity, body),
  });
}

/** Retries the tasks on the next page of those that failed; at the first that a limit refuses it ends. */
async function retryTasks(
  call: Call,
  identity: Identity,
  { filter, dryRun, limit, cursor }: z.infer<typeof bulkRetry>,
): Promise<z.infer<typeof retriedPageSchema>> {
  const { operation, errorCode, ...given } = filter;
  const { principal, ...times } = parseOwnerAndTimes(given);
  // Without the scope admin, one's own.
  const owner = identity.scopes.has('admin') ? principal : (principal ?? identity.principal);
  const wanted = { status: 'failed', operation, errorCode, principal: owner, ...times } as const;
  const { queries, taskRetries } = call.tenant;
  const { items, nextCursor } = await queries.tasks(identity, cursor, wanted, limit);
  const tasks: z.infer<typeof retriedPageSchema>['tasks'] = [];
  for (const task of items) {
    const shown = toTaskSummary(task);
    try {
      if (dryRun) await taskRetries.check(identity, task.taskId);
      else await retryWithoutWaiting(call, identity, task.taskId);
      const now = dryRun ? {} : { status: 'working' as const };
      tasks.push({ ...shown, ...now, result: dryRun ? 'would_be_retried' : 'retried' });
    } catch (thrown) {
      if (!(thrown instanceof BatonError)) throw thrown;
      const error = thrown.toWire();
      // What was retried does not match any more, so the same page has what is left of it.
      if (stopsAll(thrown)) return { dryRun, tasks, stopped: error, ...(cursor && { nextCursor: cursor }) };
      tasks.push({ ...shown, result: 'refused', error });
    }
  }
  return { dryRun, tasks, ...(nextCursor !== undefined && { nextCursor }) };
}
