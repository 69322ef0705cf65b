import { BatonError, type ErrorCode } from '@baton/protocol';
import { parseClaimField } from './claim-field.ts';

/**
 * The one translator from what a script refuses with to the error that the caller sees. `subject` names what the
 * call was about, by its wire id or its name.
 */
export function refusalError(
  reply: readonly unknown[],
  subject: {
    interactionId?: string;
    taskId?: string;
    name?: string;
    version?: number;
    conversationId?: string;
    tenantId?: string;
  } = {},
): BatonError {
  const [code, ...facts] = reply.map(String);
  const about = { ...subject };
  const interaction = `Interaction '${subject.interactionId}'`;
  switch (
    code as
      | ErrorCode
      | 'failure'
      | 'chunk_conflict'
      | 'stream_replaced'
      | 'not_streamed'
      | 'streamed'
      | 'prompt_name_taken'
  ) {
    case 'unauthenticated':
      return new BatonError(
        'unauthenticated',
        'The API key is unknown, revoked or expired. Ask your operator for another.',
      );
    case 'insufficient_scope':
      return new BatonError(
        'insufficient_scope',
        `The API key lacks the scope ${facts[0]?.split(' ').join(' or ')}. Use a key that has it.`,
        { scope: facts[0]?.split(' ')[0] },
      );
    case 'tenant_suspended':
      return new BatonError('tenant_suspended', 'The tenant is suspended. Ask your operator.');
    case 'limit_rate':
      return rateRefusal(facts.map(Number));
    case 'limit_pending':
      return new BatonError(
        'limit_pending',
        `The tenant's limit '${facts[0]}' of ${facts[1]} is reached. Answer or cancel what is open, then repeat.`,
        { limit: facts[0], most: Number(facts[1]), retryAfterMs: 1_000 },
      );
    case 'limit_size':
      return new BatonError('limit_size', sizeRefusal(facts), {
        ...about,
        limit: facts[0],
        bytes: Number(facts[1]),
        most: Number(facts[2]),
      });
    case 'limit_storage':
      return storageRefusal(facts);
    case 'idempotency_conflict':
      if (facts[0] === 'landed')
        return new BatonError(
          'idempotency_conflict',
          'A call with this idempotency key has landed, and its result has made room for those of later calls, so nothing was done now. Read the project to see what it did, and use a new key for a new call.',
          { ...about, landed: true },
        );
      return new BatonError(
        'idempotency_conflict',
        `This idempotency key was used with other arguments${subject.taskId === undefined ? '' : `, by task '${subject.taskId}'`}. Use a new key for a new call.`,
        about,
      );
    case 'chunk_conflict':
      return new BatonError(
        'invalid_arguments',
        `agentLLMResponse.sequence: chunk ${facts[0]} was posted before with another text; the first one counts. To begin anew, post from sequence 0 with stream ${Number(facts[1] ?? 0) + 1}`,
        { ...about, field: 'agentLLMResponse.sequence', stream: Number(facts[1] ?? 0) },
      );
    case 'stream_replaced':
      return new BatonError(
        'invalid_arguments',
        `agentLLMResponse.stream: stream ${facts[0]} has taken the place of this one; its chunks count`,
        { ...about, field: 'agentLLMResponse.stream', stream: Number(facts[0]) },
      );
    case 'not_streamed':
      return new BatonError(
        'invalid_arguments',
        `agentLLMResponse.status: chunks are for streamText requests; ${interaction.replace('I', 'i')} is none, answer it at once`,
        { ...about, field: 'agentLLMResponse.status' },
      );
    case 'streamed':
      return new BatonError(
        'invalid_arguments',
        'agentLLMResponse: chunks came while the final success was posted; post it again once the stream has ended',
        { ...about, field: 'agentLLMResponse' },
      );
    case 'interaction_not_found':
      return new BatonError(
        'interaction_not_found',
        `${interaction} does not exist, or is not yours. List what waits with pending_interactions.`,
        about,
      );
    case 'interaction_already_answered':
      return new BatonError(
        'interaction_already_answered',
        `${interaction} was answered before${facts[0] === 'another' ? ' by another' : ''}; the first answer counts. See its task with task_status.`,
        { ...about, ...(facts[0] === 'another' && { byAnother: true }) },
      );
    case 'interaction_claimed': {
      const claimedBy = facts[1] && parseClaimField(facts[1]).by;
      return new BatonError(
        'interaction_claimed',
        `${interaction} is claimed by another for ${facts[0]} ms more. It may still be answered; claim another, or this one later.`,
        { ...about, retryAfterMs: Number(facts[0]), ...(claimedBy && { claimedBy }) },
      );
    }
    case 'interaction_expired':
      return new BatonError(
        'interaction_expired',
        `${interaction} was not answered by its deadline. task_status tells how its task went on: where it failed for that, retry_task asks again.`,
        about,
      );
    case 'interaction_cancelled':
      return new BatonError(
        'interaction_cancelled',
        `${interaction} was cancelled. Start the call again.`,
        about,
      );
    case 'task_not_found':
      return new BatonError(
        'task_not_found',
        `Task '${subject.taskId}' does not exist, or is not yours.`,
        about,
      );
    case 'task_ended':
      return new BatonError('task_ended', `Task '${subject.taskId}' has ended already: it is ${facts[0]}.`, {
        ...about,
        status: facts[0],
        taskStatus: facts[0],
      });
    case 'task_not_failed':
      return notFailedRefusal(subject.taskId, facts);
    case 'task_not_retryable':
      return notRetryableRefusal(subject.taskId, facts);
    case 'failure':
      return new BatonError(
        'unavailable',
        `Task '${subject.taskId}' failed again and again while it was retried. Repeat the call.`,
        { ...about, retryAfterMs: 1_000 },
      );
    case 'program_unavailable':
      return new BatonError(
        'program_unavailable',
        `No worker that runs now has the program '${facts[0]}' that task '${subject.taskId}' was started with. ` +
          'Retry it once one has, or start the call again.',
        { ...about, program: facts[0], retryAfterMs: 5_000 },
      );
    case 'task_not_workflow':
      return new BatonError(
        'task_not_workflow',
        `Task '${subject.taskId}' is of '${facts[0]}' and not of a workflow: it goes on and ends by itself. ` +
          'Answer what it waits for with agent_llm, or cancel it without a result.',
        { ...about, operation: facts[0] },
      );
    case 'workflow_not_found':
      return new BatonError(
        'workflow_not_found',
        `There is no workflow '${subject.name?.slice(0, 100)}'. List them with prompts/list or GET /v1/workflows.`,
      );
    case 'agent_not_found':
      return new BatonError(
        'agent_not_found',
        `There is no agent '${subject.name?.slice(0, 100)}'. List them with GET /v1/agents.`,
      );
    case 'agent_is_primary':
      return new BatonError(
        'agent_is_primary',
        facts[0] === 'promoted'
          ? `Agent '${subject.name?.slice(0, 100)}' is disabled, and so it cannot be the primary. Enable it first.`
          : `Agent '${subject.name?.slice(0, 100)}' is the primary, and so it cannot be ${facts[0]}. Make another agent the primary first.`,
        { agent: subject.name },
      );
    case 'definition_conflict':
      return new BatonError(
        'definition_conflict',
        facts[0] === ''
          ? `There is no '${subject.name?.slice(0, 100)}' any more. Nothing was changed.`
          : `'${subject.name?.slice(0, 100)}' is there with the entity tag "${facts[0]}", which is not what If-Match or If-None-Match asks for. Nothing was changed: read it again.`,
        { name: subject.name, ...(facts[0] !== '' && { etag: facts[0] }) },
      );
    case 'prompt_name_taken':
      return new BatonError(
        'invalid_arguments',
        `name: '${subject.name}' is a ${facts[0]} already, and each is a prompt of its name in prompts/list. Take another name, delete the ${facts[0]}, or store the prompt with public: false.`,
        { field: 'name' },
      );
    case 'agents_conflict':
      return new BatonError(
        'agents_conflict',
        'Other agents were changed at the same time, again and again. Nothing was stored; repeat the call.',
        { retryAfterMs: 100 },
      );
    case 'prompt_not_found':
      return new BatonError(
        'prompt_not_found',
        subject.version === undefined
          ? `There is no prompt '${subject.name?.slice(0, 100)}'. List them with GET /v1/prompts.`
          : `There is no version ${subject.version} of a prompt '${subject.name?.slice(0, 100)}'; only the last versions are kept. List them with GET /v1/prompts/${subject.name?.slice(0, 100)}/history.`,
      );
    case 'conversation_not_found':
      return new BatonError(
        'conversation_not_found',
        `There is no conversation '${subject.conversationId?.slice(0, 100)}' of yours. List them with list_conversations; ask_assistant without a conversationId begins one.`,
        about,
      );
    case 'session_not_found':
      return sessionNotFoundError();
    case 'limit_subscriptions':
      return new BatonError(
        'limit_subscriptions',
        `The limit '${facts[0]}' of ${facts[1]} is reached. Unsubscribe from what is no longer needed, then repeat.`,
        { limit: facts[0], most: Number(facts[1]) },
      );
    case 'tenant_exists':
      return new BatonError(
        'tenant_exists',
        {
          begun: `Tenant '${subject.tenantId}' is being deleted, and its id is not given again. Choose another id.`,
          done: `Tenant '${subject.tenantId}' was deleted, and its id is not given again. Choose another id.`,
        }[facts[0] ?? ''] ??
          `Tenant '${subject.tenantId}' exists already. Choose another id, or change that one.`,
        about,
      );
    case 'tenant_active':
      return new BatonError(
        'tenant_active',
        `Tenant '${subject.tenantId}' is not suspended, and what is deleted cannot be restored. Suspend it first, with PATCH /v1/tenants/${subject.tenantId} or baton tenants suspend ${subject.tenantId}.`,
        about,
      );
    case 'tenant_not_found':
      return new BatonError(
        'tenant_not_found',
        {
          begun: `Tenant '${subject.tenantId}' is being deleted. If that was cut off, a worker goes on with it after a minute; or repeat DELETE /v1/tenants/${subject.tenantId}, or baton tenants delete ${subject.tenantId}.`,
          done: `Tenant '${subject.tenantId}' was deleted. Create one of another id: this one is not given again.`,
        }[facts[0] ?? ''] ??
          `There is no tenant '${subject.tenantId?.slice(0, 100)}'. Create it with POST /v1/tenants, or baton tenants create.`,
      );
    default:
      throw new Error(`a script answered ${JSON.stringify(reply)}`);
  }
}

function sizeRefusal([limit = '', bytes = '', most = '']: readonly string[]): string {
  if (limit !== 'delegatedRequestBytes')
    return `${bytes} bytes are more than the tenant's limit '${limit}' of ${most}. Send less, or have the limit raised.`;
  return (
    `The request for the LLM has ${bytes} bytes with its messages, its schema and the functions that it offers, more than the tenant's limit '${limit}' of ${most}. ` +
    "Send less, offer fewer functions (an agent offers the enabled specialists of its 'group', or all), or have the limit raised."
  );
}

/** Only what failed is retried: says how the task stands, and who has retried it where somebody has. */
function notFailedRefusal(taskId: string | undefined, [status = '', by, at]: readonly string[]): BatonError {
  const retry = by ? { retriedBy: by, retriedAt: new Date(Number(at)).toISOString() } : {};
  const told = by ? `, and '${by}' retried it at ${retry.retriedAt}` : '';
  const wayOut = {
    completed: 'It needs no retry: read its result with task_status.',
    cancelled: 'Who cancels a task wants no more of it: start the call again.',
    working: 'See how it goes on with task_status.',
    input_required: 'Answer what it waits for with agent_llm; task_status shows it.',
  }[status];
  return new BatonError(
    'task_not_failed',
    `Task '${taskId}' did not fail: it is ${status}${told}. ${wayOut}`,
    { taskId, taskStatus: status, ...retry },
  );
}

function notRetryableRefusal(taskId: string | undefined, [reason = '']: readonly string[]): BatonError {
  const because = {
    workflow: 'is that of a workflow, which has no journal to go on from. Start the workflow again.',
    stripped: 'has lost its input and its answers, which made room for newer tasks. Start the call again.',
    old: 'was started too long ago. Start the call again.',
  }[reason];
  return new BatonError(
    'task_not_retryable',
    `Task '${taskId}' failed, and cannot be retried: it ${because}`,
    { taskId, taskStatus: 'failed', reason },
  );
}

/** Names what to delete: nothing leaves by itself but ended tasks. */
function storageRefusal([limit = '', most, used, needed]: readonly string[]): BatonError {
  const facts = {
    limit,
    most: Number(most),
    used: Number(used),
    ...(needed !== undefined && { needed: Number(needed) }),
  };
  const remedy = {
    projects: 'Delete one with delete_project or DELETE /v1/projects/{id}; baton://usage lists them.',
    workflows: 'Delete one with DELETE /v1/workflows/{name}.',
    agents: 'Delete one with DELETE /v1/agents/{id}.',
    prompts: 'Delete one with DELETE /v1/prompts/{name}.',
    projectBytes: 'Delete tasks, tags or files of the project, or divide it.',
  }[limit];
  return new BatonError(
    'limit_storage',
    `The tenant's limit '${limit}' of ${most} is reached: ${used} are used. ` +
      `${remedy ?? 'Delete projects with delete_project or DELETE /v1/projects/{id} (baton://usage lists them by size), or cancel open tasks; ended tasks leave by themselves.'} ` +
      'Or have the limit raised.',
    facts,
  );
}

/** The limit counts all keys of a tenant together, and each has a share of it (docs/clients.md). */
function rateRefusal([retryAfterMs = 0, most = 0, keys = 1]: readonly number[]): BatonError {
  const shared = keys > 1 ? `, shared by ${keys} keys that call now,` : '';
  return new BatonError(
    'limit_rate',
    `The tenant's limit 'requestsPerSecond' of ${most}${shared} is reached, in which each 16 KiB of a body count as one. Repeat in ${retryAfterMs} ms.`,
    { limit: 'requestsPerSecond', most, keys, retryAfterMs },
  );
}

/** What ended, is another's, was never sealed here: all the same to whoever shows it. */
export function sessionNotFoundError(): BatonError {
  return new BatonError(
    'session_not_found',
    'There is no such session, or not any more. Start over with initialize, without the header Mcp-Session-Id.',
  );
}
