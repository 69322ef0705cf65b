import { ignoredField, type Operation } from '@baton/operations';
import {
  BatonError,
  DEFAULT_WAIT_MS,
  DIRECTIVE_SENTENCE,
  directiveSchema,
  type JsonObject,
} from '@baton/protocol';
import type { Idempotency } from '@baton/store';
import { openReadyTask, runFirstSegment, type StartResult } from '@baton/runner';
import { z } from 'zod';
import type { Call, RequestMeta, StartedTask, UnadmittedCall } from '../call/call.ts';
import { contentBlocksOf } from '../delegation/content-blocks.ts';
import { waitUntilTaskEndsOrParks } from '../delegation/wait-until-task-ends-or-parks.ts';
import { directiveForPendingInteractions } from '../delegation/directive-for-pending-interactions.ts';
import type { ToolReply, UnfinishedTask } from '../call/tool-reply.ts';
import { omitEchoedText } from '../delegation/omit-echoed-text.ts';
import { idempotencyOf } from './idempotency.ts';

/** How long every call waits for work that waits for nothing but a worker. */
const READY_WAIT_MS = 2_000;

/** A reply to an operation that has ended; its own fields are beside these. */
const completedReplySchema = z.looseObject({
  status: z.literal('completed'),
  operation: z.string(),
  taskId: z.string(),
});

const workingReplySchema = z
  .looseObject({ status: z.literal('working'), operation: z.string(), taskId: z.string() })
  .describe('The work goes on; ask task_status how it stands');

/** What a call that starts an operation may reply with, besides an error. */
export function operationReplySchemas(operation: Operation): z.ZodType[] {
  return [
    directiveSchema,
    completedReplySchema.and(operation.result as z.ZodType<object>),
    workingReplySchema,
  ];
}

/**
 * Starts an operation for a tool's call, and replies with the directive, or with the result if it is there. `tool` is the tool's name,
 * which the call's idempotency key belongs to.
 */
export async function startOperationForTool(
  operation: Operation,
  input: JsonObject,
  call: UnadmittedCall,
  meta: RequestMeta,
  tool: string = operation.name,
): Promise<ToolReply> {
  const idempotency = await idempotencyOf(tool, input, meta, async () => (await call.admit()).principal);
  return startOperation(operation, input, call, idempotency);
}

/** The same under an idempotency key that is known, or without one. */
export async function startOperation(
  operation: Operation,
  input: JsonObject,
  call: UnadmittedCall,
  idempotency: Idempotency | undefined,
): Promise<ToolReply> {
  const started = await runFirstSegment(
    call.services.programs,
    call.tenant,
    call.caller,
    operation,
    input,
    idempotency,
  );
  const reply = omitEchoedText(
    await replyFor(operation, started, call, idempotency === undefined),
    operation.unechoed?.(input),
  );
  // What ends carries it in its result already.
  const ignored = operation.ignored?.(input) ?? [];
  return { ...reply, structured: { ...reply.structured, ...ignoredField(ignored) } };
}

/** Starts an operation as a task that a worker runs from its first segment on; `tool` as above. */
export async function startOperationAsTask(
  operation: Operation,
  input: JsonObject,
  call: UnadmittedCall,
  meta: RequestMeta,
  tool: string = operation.name,
): Promise<StartedTask> {
  const idempotency = await idempotencyOf(tool, input, meta, async () => (await call.admit()).principal);
  return openReadyTask(call.services.programs, call.tenant, call.caller, operation, input, idempotency);
}

async function replyFor(
  operation: Operation,
  started: StartResult,
  call: Call,
  isOfThisCall: boolean,
): Promise<ToolReply> {
  const { name } = operation;
  switch (started.kind) {
    case 'parked': {
      const { taskId, pending, createdAt } = started;
      const reply = unfinishedReply({ taskId, operation: name, pending, createdAt, isOfThisCall });
      return reply.asks === true ? { ...reply, hasParked: true } : reply;
    }
    case 'running': {
      const { taskId, isReady } = started;
      const identity = call.caller.heldIdentity();
      const { inbox } = call.services.store;
      const subscription = inbox.subscribe(call.tenant.tasks.topic(taskId), identity.admittedBy);
      try {
        // What ends soon is no task to poll, in any dialect.
        const waitMs = Math.max(isReady === true ? READY_WAIT_MS : 0, call.waitMs ?? DEFAULT_WAIT_MS);
        const wait = { event: 0, waitMs, registered: false };
        const view = await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
        if (view.status === 'completed') return completedReply(operation, view.result, taskId);
        if ('error' in view) throw BatonError.fromWire({ ...view.error, taskId });
        return unfinishedReply({ taskId, operation: name, pending: view.pending, isOfThisCall });
      } finally {
        subscription.close();
      }
    }
  }
}

/** A call's reply while its operation goes on: the request that it waits for, which is its caller's own, or that it works. */
export function unfinishedReply(unfinished: UnfinishedTask): ToolReply {
  const { taskId, operation, pending } = unfinished;
  const asked = directiveForPendingInteractions(taskId, operation, pending);
  if (asked !== undefined)
    return { text: DIRECTIVE_SENTENCE, structured: asked, taskId, asks: true, unfinished };
  const text = `${operation} goes on as task ${taskId}.`;
  return { text, structured: { status: 'working', operation, taskId }, taskId, unfinished };
}

/** A call's reply when its operation has ended; `taskId` where it was a task. */
export function completedReply(operation: Operation, result: JsonObject, taskId?: string): ToolReply {
  return { text: operation.summarize(result), structured: result, taskId, blocks: contentBlocksOf(result) };
}
