import type { Operation } from '@baton/operations';
import { BatonError, DEFAULT_WAIT_MS, directiveSchema, type JsonObject } from '@baton/protocol';
import { openReadyTask, runFirstSegment, type StartResult } from '@baton/runner';
import { z } from 'zod';
import type { Call, UnadmittedCall } from '../call/call.ts';
import { contentBlocksOf } from '../delegation/content-blocks.ts';
import { waitUntilTaskEndsOrParks } from '../delegation/wait-until-task-ends-or-parks.ts';
import { outcomeOf } from '../delegation/task-outcome.ts';
import { directiveForPendingInteractions } from '../delegation/directive-for-pending-interactions.ts';
import type { ToolReply } from '../delegation/tool-reply.ts';
import { idempotencyOf } from './idempotency.ts';
import type { RequestMeta, StartedTask } from './tool.ts';

/** A reply to an operation that has ended; its own fields are beside these. */
const completedReplySchema = z.looseObject({ status: z.literal('completed'), operation: z.string() });

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

/** Starts an operation for a tool's call, and replies with the directive, or with the result if it is there. */
export async function startOperationForTool(
  operation: Operation,
  input: JsonObject,
  call: UnadmittedCall,
  meta: RequestMeta,
): Promise<ToolReply> {
  const idempotency = await idempotencyOf(
    operation.name,
    input,
    meta,
    async () => (await call.admit()).principal,
  );
  const started = await runFirstSegment(
    call.services.programs,
    call.tenant,
    call.caller,
    operation,
    input,
    idempotency,
  );
  return replyFor(operation, started, call);
}

/** Starts an operation as a task that a worker runs from its first segment on. */
export async function startOperationAsTask(
  operation: Operation,
  input: JsonObject,
  call: UnadmittedCall,
  meta: RequestMeta,
): Promise<StartedTask> {
  const idempotency = await idempotencyOf(
    operation.name,
    input,
    meta,
    async () => (await call.admit()).principal,
  );
  return openReadyTask(call.services.programs, call.tenant, call.caller, operation, input, idempotency);
}

async function replyFor(operation: Operation, started: StartResult, call: Call): Promise<ToolReply> {
  const { name } = operation;
  switch (started.kind) {
    case 'completed':
      return completedReply(operation, {
        status: 'completed',
        operation: name,
        ...started.result,
        ...(started.replayed ? { replayed: true } : {}),
      });
    case 'parked': {
      const asked = directiveForPendingInteractions(started.taskId, name, started.pending);
      if (asked === undefined) return workingReply(name, started.taskId);
      return { text: asked.message, structured: asked, taskId: started.taskId, textIncludesJson: true };
    }
    case 'running': {
      const { taskId } = started;
      const identity = call.caller.heldIdentity();
      const { inbox } = call.services.store;
      const subscription = inbox.subscribe(call.tenant.tasks.topic(taskId), identity.admittedBy);
      try {
        const wait = { event: 0, waitMs: DEFAULT_WAIT_MS, registered: false };
        const outcome = outcomeOf(await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait));
        if (outcome.result) return completedReply(operation, outcome.result, taskId);
        if (outcome.error) throw BatonError.fromWire({ ...outcome.error, taskId });
        if (!outcome.pending) return workingReply(name, taskId);
        // As the first reply to this call: the request is its caller's own.
        const { origin: _, ...asked } = outcome.pending;
        return { text: asked.message, structured: asked, taskId, textIncludesJson: true };
      } finally {
        subscription.close();
      }
    }
  }
}

/** A call's reply when its operation has ended; `taskId` where it was a task. */
export function completedReply(operation: Operation, result: JsonObject, taskId?: string): ToolReply {
  return { text: operation.summarize(result), structured: result, taskId, blocks: contentBlocksOf(result) };
}

function workingReply(operation: string, taskId: string): ToolReply {
  return {
    text: `${operation} goes on as task ${taskId}.`,
    structured: { status: 'working', operation, taskId },
    taskId,
  };
}
