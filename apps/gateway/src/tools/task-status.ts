import { integerOrDigits } from '@baton/operations';
import { MAX_WAIT_MS, taskStatusSchema as statuses, usageSumsSchema } from '@baton/protocol';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { contentBlocksOf } from '../delegation/content-blocks.ts';
import { readTaskStatusReply } from '../delegation/read-task-status-reply.ts';
import { streamingSchema } from '../streaming/streamed-texts.ts';
import { waitUntilTaskEndsOrParks } from '../delegation/wait-until-task-ends-or-parks.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

const input = z.strictObject({
  taskId: z.string().min(1).max(100).describe('The task'),
  waitMs: integerOrDigits(z.int().min(0).max(MAX_WAIT_MS))
    .default(0)
    .describe(
      'How long to wait while it works, and with a progressToken while an answer is streamed, in milliseconds',
    ),
});

/** A task as `task_status` shows it. */
export const taskStatusOutput = z.looseObject({
  taskId: z.string(),
  status: statuses,
  operation: z.string(),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  expiresAt: z.string(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  waitsForRoom: z
    .looseObject({ limit: z.string(), message: z.string() })
    .optional()
    .describe('Of a task that works: the limit within which its change of a project has no room'),
  pausedUntil: z
    .string()
    .optional()
    .describe('Of a task that pauses, mostly since an LLM endpoint is busy: when it tries again'),
  usage: usageSumsSchema.optional().describe('What its answered LLM requests have used'),
  streaming: streamingSchema.optional(),
  workflow: z.string().optional().describe('Of the task of a workflow: its name'),
  variables: z
    .looseObject({})
    .optional()
    .describe('How the workflow stands: _workflow.progress, _workflow.result.<step>, _workflow.extra.<tool>'),
  remaining: z
    .array(z.looseObject({ name: z.string() }))
    .optional()
    .describe('The calls that are left, with the arguments that are known'),
});

/** A task's status, for clients that lost their context. */
export const taskStatusTool = defineEdgeAdmittedTool({
  name: 'task_status',
  title: 'See how a task stands',
  category: 'delegation',
  description:
    'Tells how a task stands: its result when it is done, the request that it waits for when it waits.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  isLong: true,
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input,
  output: [taskStatusOutput],
  run: async ({ taskId, waitMs }, call) => {
    const { identity, tenant } = call;
    const { tasks } = tenant;
    let view = await tasks.read(identity, taskId);
    // Whoever asked for progress hears of a streamed answer until it was consumed.
    const follows =
      call.reportProgress !== undefined && view.status === 'input_required' && view.streams.length > 0;
    if (waitMs > 0 && (view.status === 'working' || follows)) {
      const subscription = call.services.store.inbox.subscribe(tasks.topic(taskId), identity.admittedBy);
      try {
        await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, {
          event: follows ? view.seen + 1 : 0,
          waitMs,
          registered: false,
        });
        view = await tasks.read(identity, taskId);
      } finally {
        subscription.close();
      }
    }
    const structured = await readTaskStatusReply(call, view);
    const blocks = contentBlocksOf(structured.result);
    const asks = 'pending' in structured;
    return { text: `Task ${taskId} is ${view.status}.`, structured, taskId, asks, blocks };
  },
});
