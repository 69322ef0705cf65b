import { Redis } from 'ioredis';
import type { AnyJson } from '../../harness/mcp-client.ts';
import type { Patch } from '../../processes/patched-release.ts';
import type { Attack } from '../target/attack.ts';
import type { AttackedDeployment, ToolReply } from '../target/attacked-deployment.ts';

/** What the attacker's tenant may store, and three times as much, which the attacker sends. */
const BUDGET = 2_097_152;
const TEXT = 'x'.repeat(100_000);
const TIMES = 60;
/** How often one flood waits for ended tasks to make way, 100 ms each. */
const MOST_WAITS = 60;
/** Redis may need more than what is counted, by this much; accepted work may go above the budget by a quarter. */
const MOST = BUDGET * 1.5 * 1.25;

/** One way to fill Redis, and the guard against it. `send` is called again and again. */
function storageFlood(
  what: string,
  withoutGuard: readonly Patch[],
  send: (target: AttackedDeployment, key: string, n: number, opened: string[]) => Promise<ToolReply>,
): Attack {
  return {
    name: `one tenant fills Redis with ${what}`,
    withoutGuard,
    async run(target) {
      const limits = { storedBytes: BUDGET, requestsPerSecond: 1_000_000, burst: 1_000_000 };
      const tenant = await target.createTenant(limits);
      const { key } = await target.createKey(tenant, { scopes: ['mcp', 'admin'] });
      const refused: AnyJson[] = [];
      const opened: string[] = [];
      for (let n = 0; n < TIMES; n++) {
        const { json } = await send(target, key, n, opened);
        const { error } = json?.result?.structuredContent ?? {};
        if (error !== undefined) refused.push(error);
      }
      const redis = new Redis(target.redisUrl.replace('unix://', ''));
      const bytes = await memoryOf(redis, tenant);
      redis.disconnect();
      const gains: string[] = [];
      if (bytes > MOST) gains.push(`${bytes} bytes are kept of a tenant that may store ${BUDGET}`);
      if (refused.some(({ code, message }) => code !== 'limit_storage' || !/delete_project/.test(message)))
        gains.push(`a refusal does not say what to delete: ${JSON.stringify(refused[0])}`);
      return gains;
    },
  };
}

async function memoryOf(redis: Redis, tenant: string): Promise<number> {
  const keys = await redis.keys(`*:t:${tenant}:*`);
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

const delegate = (key: string, target: AttackedDeployment, serviceType = 'generateText') =>
  target.callTool(key, 'agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'flood',
      serviceType,
      requestParameters: { messages: [{ role: 'user', content: TEXT }] },
    },
  });

export const floodOfProjects = storageFlood(
  'projects',
  [{ file: 'lua/include/project_storage.lua', from: 'if refusal then return refusal end', to: '' }],
  async (target, key, n) => {
    const projectRoot = `p${n}`;
    const started = await target.callTool(key, 'initialize_project', { projectRoot });
    if (started.content?.error !== undefined) return started;
    return target.callTool(key, 'connect_files', { projectRoot, files: [{ name: 'a.md', text: TEXT }] });
  },
);

export const floodOfParkedTasks = storageFlood(
  'parked tasks',
  [{ file: 'lua/task/open.lua', from: 'if too_much then return too_much end', to: '' }],
  (target, key) => delegate(key, target),
);

export const floodOfChunks = storageFlood(
  'chunks',
  [{ file: 'lua/include/keep_chunk.lua', from: 'if too_much then return too_much end', to: '' }],
  async (target, key, n, opened) => {
    // So many that their answers together may be larger than the budget.
    while (opened.length < 15)
      opened.push((await target.delegate(key, {}, { serviceType: 'streamText' })).interactionId);
    const agentLLMResponse = { status: 'streaming', sequence: Math.floor(n / 15), delta: TEXT };
    return target.callTool(key, 'agent_llm', { interactionId: opened[n % 15], agentLLMResponse });
  },
);

/** A definition over REST, as a tool would reply. */
async function put(target: AttackedDeployment, key: string, path: string, body: object): Promise<ToolReply> {
  const reply = await target.send('PUT', `/v1${path}`, { key, body });
  if (reply.status < 300) return { ...reply, content: {} };
  const error = { ...reply.json, message: reply.json?.detail };
  return { ...reply, json: { result: { structuredContent: { error } } }, content: { error } };
}

export const floodOfPrompts = storageFlood(
  'prompts',
  [{ file: 'lua/definition/put_definition.lua', from: 'if refused then return refused end', to: '' }],
  (target, key, n) => {
    const [text, system] = ['x'.repeat(32_000), 'y'.repeat(32_000)];
    return put(target, key, `/prompts/p${n}`, { name: `p${n}`, text, system });
  },
);

export const floodOfConversations = storageFlood(
  'conversations',
  [{ file: 'lua/conversation/end_turn.lua', from: 'count_conversation_bytes(grown)', to: '' }],
  async (target, key, n, refusals) => {
    if (n === 0) await put(target, key, '/agents/one', { id: 'one', name: 'One', instructions: 'x' });
    let asked = await target.callTool(key, 'ask_assistant', { message: TEXT });
    // The ended turns make way for the next within a second or two, so that what stays is what their conversations take.
    while (asked.content?.error !== undefined && refusals.length < MOST_WAITS) {
      refusals.push(asked.content.error.code);
      await new Promise((resolve) => setTimeout(resolve, 100));
      asked = await target.callTool(key, 'ask_assistant', { message: TEXT });
    }
    if (asked.content?.interactionId === undefined) return asked;
    const agentLLMResponse = { status: 'success', data: { text: TEXT } };
    const { interactionId } = asked.content;
    return target.callTool(key, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
  },
);

/** Ended tasks are not refused: they make way, or nobody could call any more. */
export const floodOfEndedTasks: Attack = {
  name: 'one tenant fills Redis with ended tasks',
  withoutGuard: [
    { file: 'lua/deadline/list_due_tasks.lua', from: 'if #ended == 0 then', to: 'if false then' },
  ],
  async run(target) {
    const limits = { storedBytes: BUDGET, requestsPerSecond: 1_000_000, burst: 1_000_000 };
    const { key } = await target.createKey(await target.createTenant(limits));
    for (let n = 0; n < TIMES; n++) {
      let content: AnyJson;
      // The sweep makes room within a second or two.
      for (let wait = 0; wait < 50 && content?.taskId === undefined; wait++) {
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, 100));
        ({ content } = await delegate(key, target));
      }
      if (content?.taskId === undefined) return ['ended tasks stand in the way of new calls'];
      await target.callTool(key, 'cancel_task', { taskId: content.taskId });
    }
    return [];
  },
};
