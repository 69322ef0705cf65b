import { Redis } from 'ioredis';
import { FakeLlmServer, type LlmBehaviour } from '../../../fake-llm/llm-server.ts';
import { readRedisText } from '../../../harness/redis-text.ts';
import type { Attack } from '../../target/attack.ts';
import { createEndpointTenant, ENDPOINT_KEY } from './endpoint-role.ts';

const ECHOES: Readonly<Record<string, LlmBehaviour>> = {
  'a final error': { do: 'refuse', status: 401, message: `no such key: ${ENDPOINT_KEY}` },
  'an answer': { do: 'say', text: JSON.stringify({ value: `Bearer ${ENDPOINT_KEY}` }) },
  'an answer that is asked for again': { do: 'say', text: ENDPOINT_KEY },
};

const ROUTES = ['roles', 'roles/main', 'tasks', 'interactions', 'usage', 'prices', 'projects', 'agents'];

/** An endpoint says back the key that it was called with, to whoever of its tenant may see what comes of a call. */
export const echoedKeys: Attack = {
  name: 'keys of endpoints that say them back',
  environment: { BATON_EGRESS_ALLOW: '127.0.0.0/8' },
  withoutGuard: [
    { file: 'program', from: /secret !== void 0 && secret\.length >= MIN_SECRET_LENGTH\d*/, to: 'false' },
  ],
  async run(target) {
    const llm = await FakeLlmServer.start(({ topic }) => ECHOES[topic] ?? { do: 'say' });
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    try {
      const key = await createEndpointTenant(target, llm.url);
      const seen: Record<string, string> = {};
      for (const text of Object.keys(ECHOES)) {
        const reply = await target.callTool(key, 'bench_echo', { text });
        const { taskId } = reply.content.error ?? reply.content;
        seen[`the reply about ${text}`] = reply.text;
        seen[`the task about ${text}`] = (await target.callTool(key, 'task_status', { taskId })).text;
      }
      for (const route of ROUTES) seen[route] = (await target.send('GET', `/v1/${route}`, { key })).text;
      seen['Redis, with its jobs'] = await readRedisText(redis);
      seen['the log'] = [...target.gateways, target.worker].flatMap(({ output }) => output).join('\n');
      return Object.entries(seen).flatMap(([where, text]) =>
        text.includes(ENDPOINT_KEY) ? [`the key is in ${where}`] : [],
      );
    } finally {
      redis.disconnect();
      await llm.close();
    }
  },
};
