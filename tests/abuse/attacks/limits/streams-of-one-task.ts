import { Redis } from 'ioredis';
import { metaWith, requestOf2026, TASKS } from '../../../dialects/client-of-2026.ts';
import { ListeningClient } from '../../../dialects/listening-client.ts';
import type { Attack } from '../../target/attack.ts';

const STREAMS = 60;
const REQUEST_BYTES = 240_000;
/** Reads of the task that may come before a neighbour's call is answered. */
const MOST_READS = 20;
const META = metaWith({ sampling: {}, extensions: { [TASKS]: {} } });

/** Many streams tell of one task, and each change makes each of them read and tell all of it, beside everyone else's calls. */
export const streamsOfOneTask: Attack = {
  name: 'streams of one large task',
  withoutGuard: [
    {
      file: 'program',
      from: /const written = \(this\.last\.get\(tenant\) \?\? Promise\.resolve\(\)\)\.then\(write\);/,
      to: 'const written = Promise.resolve().then(write);',
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const { key } = await target.createKey(
      await target.createTenant({ requestsPerSecond: 100_000, burst: 100_000 }),
      { scopes: ['mcp', 'agent'] },
    );
    const quiet = await target.createKey(await target.createTenant());
    const parameters = { messages: [{ role: 'user', content: 'y'.repeat(REQUEST_BYTES) }] };
    const asked = await requestOf2026(
      target.url(),
      key,
      'tools/call',
      {
        name: 'agent_llm',
        arguments: {
          delegatedCallDetails: {
            originalCommand: 'test',
            serviceType: 'generateText',
            requestParameters: parameters,
          },
        },
      },
      { meta: META },
    );
    const { taskId } = asked.body.result ?? {};
    if (taskId === undefined) throw new Error(JSON.stringify(asked.body).slice(0, 500));
    const [pending] = (await target.send('GET', '/v1/interactions?status=pending', { key })).json
      .interactions;

    const open = () => ListeningClient.open(target.url(), key, { taskIds: [taskId] }, META);
    const streams: ListeningClient[] = [];
    const told = () => streams.filter((one) => one.ofMethod('notifications/tasks').length > 0).length;
    for (let n = 0; n < STREAMS; n++) streams.push(await open());
    while (told() < STREAMS) await new Promise((resolve) => setTimeout(resolve, 50));

    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const moved = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const before = await moved();
    const extended = await target.send('POST', `/v1/interactions/${pending.interactionId}/extend`, {
      key,
      body: { ttlMs: 3_600_000 },
    });
    if (extended.status >= 300) throw new Error(extended.text);
    await target.callTool(quiet.key, 'initialize_project', { projectRoot: 'own' });
    const reads = Math.round(((await moved()) - before) / REQUEST_BYTES);
    if (reads > MOST_READS) gains.push(`the task was read ${reads} times before a neighbour's call`);
    for (const stream of streams) stream.close();
    redis.disconnect();
    return gains;
  },
};
