import { randomUUID } from 'node:crypto';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import { taskRef } from '../../../packages/store/src/records/keys.ts';
import { FIELD } from '../../../packages/store/src/records/task-record.ts';
import { RedisMonitor } from '../../harness/redis-monitor.ts';
import type { Attack } from '../target/attack.ts';
import type { AttackedDeployment, HttpReply } from '../target/attacked-deployment.ts';

/** Ids of another principal are told from ids that nobody has, by what is done for them before they are refused. */
export const foreignIdExistenceLeak: Attack = {
  name: 'ids of another principal',
  withoutGuard: [
    {
      file: 'lua/include/visibility.lua',
      from: "local owner = redis.call('HGET', K_task, F_principal)",
      to: "redis.call('HGETALL', K_task) local owner = redis.call('HGET', K_task, F_principal)",
    },
  ],
  async run(target) {
    const tenant = await target.createTenant();
    const victim = await target.createKey(tenant, { principal: 'victim' });
    const { key } = await target.createKey(tenant, { principal: 'mole' });
    const messages = [{ role: 'user', content: 'y'.repeat(100_000) }];
    const { taskId } = await target.delegate(victim.key, { messages });
    const monitor = await RedisMonitor.open(target.redisUrl, { scripts: true });
    const gains: string[] = [];
    try {
      for (const [name, send] of Object.entries(WAYS)) {
        const missing = taskIdFromUuid(randomUUID());
        const told = neutral(missing, await send(target, key, missing));
        const from = monitor.commands.length;
        if (neutral(taskId, await send(target, key, taskId)) !== told)
          gains.push(`${name} answers otherwise for an id that exists`);
        await monitor.caughtUp();
        const read = monitor.commands.slice(from).filter((command) => readsTask(command, taskId));
        if (read.length > 0) gains.push(`${name} reads of a task of another: ${read.join(', ')}`);
      }
    } finally {
      monitor.close();
    }
    return gains;
  },
};

type Way = (target: AttackedDeployment, key: string, taskId: string) => Promise<HttpReply>;
const interaction = (taskId: string) => formatInteractionId(taskId, 1);
const answered =
  (agentLLMResponse: object): Way =>
  (target, key, taskId) =>
    target.callTool(key, 'agent_llm', { interactionId: interaction(taskId), agentLLMResponse, waitMs: 0 });

const WAYS: Readonly<Record<string, Way>> = {
  task_status: (target, key, taskId) => target.callTool(key, 'task_status', { taskId }),
  cancel_task: (target, key, taskId) => target.callTool(key, 'cancel_task', { taskId }),
  complete_task: (target, key, taskId) => target.callTool(key, 'complete_task', { taskId, result: {} }),
  retry_task: (target, key, taskId) => target.callTool(key, 'retry_task', { taskId, waitMs: 0 }),
  'tasks/get': (target, key, taskId) => target.rpc(key, 'tasks/get', { taskId }),
  'tasks/result': (target, key, taskId) => target.rpc(key, 'tasks/result', { taskId }),
  'tasks/cancel': (target, key, taskId) => target.rpc(key, 'tasks/cancel', { taskId }),
  pending_interactions: (target, key, taskId) =>
    target.callTool(key, 'pending_interactions', { interactionId: interaction(taskId) }),
  'a claim': (target, key, taskId) =>
    target.callTool(key, 'pending_interactions', {
      interactionId: interaction(taskId),
      claim: { leaseMs: 60_000 },
    }),
  'an answer': answered({ status: 'success', data: { text: 'x' } }),
  'the end of a stream': answered({ status: 'success', data: {} }),
  'a chunk': answered({ status: 'streaming', sequence: 0, delta: 'x' }),
  'resources/read of a task': (target, key, taskId) =>
    target.rpc(key, 'resources/read', { uri: `baton://tasks/${taskId}` }),
  'resources/read of an interaction': (target, key, taskId) =>
    target.rpc(key, 'resources/read', { uri: `baton://interactions/${interaction(taskId)}` }),
  'GET of a task': (target, key, taskId) => target.send('GET', `/v1/tasks/${taskId}`, { key }),
  'GET of an interaction': (target, key, taskId) =>
    target.send('GET', `/v1/interactions/${interaction(taskId)}`, { key }),
  'cancelling an interaction': (target, key, taskId) =>
    target.send('POST', `/v1/interactions/${interaction(taskId)}/cancel`, { key, body: {} }),
  'extending an interaction': (target, key, taskId) =>
    target.send('POST', `/v1/interactions/${interaction(taskId)}/extend`, { key, body: { ttlMs: 60_000 } }),
};

/** A reply with the id taken out. */
function neutral(taskId: string, { status, text }: HttpReply): string {
  return `${status} ${text.replaceAll(taskId.slice(0, 32), '<task>')}`;
}

/** True for a command on the task's record that is more than the question who owns it. */
function readsTask(command: string, taskId: string): boolean {
  if (!command.includes(`:task:${taskRef(taskId)}"`) || /^"eval/i.test(command)) return false;
  return !/^lua "HGET"/i.test(command) || !command.endsWith(` "${FIELD.principal}"`);
}
