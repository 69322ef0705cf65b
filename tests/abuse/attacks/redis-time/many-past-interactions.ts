import { Redis } from 'ioredis';
import type { AttackedDeployment } from '../../target/attacked-deployment.ts';
import type { Attack } from '../../target/attack.ts';

const TASKS = 160;
const AT_ONCE = 32;
/** Requests that a task's record may hold: the open ones, the 64 latest, and up to 16 that are due to leave. */
const MOST_REQUESTS = AT_ONCE + 64 + 16;

/** A task asks without end, and every answer reads past all that was asked before. */
export const manyPastInteractions: Attack = {
  name: 'a task with many past interactions',
  withoutGuard: [
    {
      file: 'lua/include/past_requests.lua',
      from: 'if opened - from < KEPT + MOVED then return end',
      to: 'do return end',
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const tenant = await target.createTenant({ requestsPerSecond: 1_000_000, burst: 1_000_000 });
    const { key } = await target.createKey(tenant, { scopes: ['mcp', 'agent', 'admin'] });
    const tasks = Array.from({ length: TASKS }, (_, at) => ({ id: at + 1, title: 'T', description: 'd' }));
    const put = await target.send('PUT', `/v1/tenants/${tenant}/projects/p`, {
      key,
      body: { master: { tasks } },
    });
    if (put.status >= 300) throw new Error(put.text);
    const started = await target.callTool(key, 'expand_all', { projectRoot: 'p', num: 1, atOnce: AT_ONCE });
    const taskId = started.content?.taskId;
    for (let answered = 0; answered < TASKS; ) {
      const listed = await target.callTool(key, 'pending_interactions', { waitMs: 5_000 });
      const ids =
        listed.content?.interactions?.map((one: { interactionId: string }) => one.interactionId) ?? [];
      if (ids.length === 0)
        throw new Error(`${answered} of ${TASKS} were asked: ${listed.text.slice(0, 300)}`);
      for (const interactionId of ids)
        if (answered < TASKS - 1) answered += await answer(target, key, interactionId);
      if (answered === TASKS - 1) break;
    }
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const [record = ''] = await redis.keys(`baton:{s0}:t:${tenant}:task:*`);
    const requests = (await redis.hkeys(record)).filter((field) => /^i\d+$/.test(field)).length;
    redis.disconnect();
    if (requests > MOST_REQUESTS) gains.push(`a record holds ${requests} requests`);
    const { content } = await target.callTool(key, 'task_status', { taskId });
    if (content?.status !== 'input_required') gains.push(`the task is ${content?.status}`);
    return gains;
  },
};

/** 1 where the answer was taken. */
async function answer(target: AttackedDeployment, key: string, interactionId: string): Promise<number> {
  const subtasks = [
    { id: 1, title: 'S', description: 'd', details: 'x', status: 'pending', dependencies: [] },
  ];
  const agentLLMResponse = { status: 'success', data: { object: { subtasks } } };
  const { json } = await target.callTool(key, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
  return json?.result?.isError === true ? 0 : 1;
}
