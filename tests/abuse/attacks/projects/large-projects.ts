import { Redis } from 'ioredis';
import type { Attack } from '../../target/attack.ts';

const READERS = 4;
const CALLS = 5;
/** Of one call, beside what its own task holds. */
const MOST_BYTES = 131_072;

/** Calls for one task of a large project make Redis and a gateway move and parse all of it, beside everyone else's calls. */
export const largeProjects: Attack = {
  name: 'large projects',
  withoutGuard: [
    {
      file: 'lua/project/read_project.lua',
      from:
        "if A_whole ~= '0' and redis.call('HLEN', K_project) <= MOST_FIELDS then\n" +
        "  local bytes = bytes_within(math.min(tonumber(A_whole), cache.bytes_left), redis.call('HKEYS', K_project))",
      to: 'if true then\n  local bytes = 0',
    },
    // Beside it, what a process keeps of what it has read.
    { file: 'program', from: 'if (state !== void 0) this.kept.set(key, state);', to: '' },
  ],
  async run(target) {
    const gains: string[] = [];
    const { key } = await target.createKey(
      await target.createTenant({ requestBytes: 4_194_304, requestsPerSecond: 100_000, burst: 100_000 }),
    );
    const quiet = await target.createKey(await target.createTenant());
    const tasks = Array.from({ length: 400 }, (_, n) => ({
      id: n + 1,
      title: 't',
      description: 'x'.repeat(9_000),
    }));
    const put = await target.send('PUT', '/v1/projects/big', { key, body: { master: { tasks } } });
    if (put.status !== 200) throw new Error(put.text);
    await target.callTool(key, 'copy_tag', { projectRoot: 'big', sourceName: 'master', targetName: 'copy' });

    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const moved = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const before = await moved();
    let answered = 0;
    const reader = async () => {
      for (let n = 0; n < CALLS; n++) {
        const get = await target.callTool(key, 'get_task', { projectRoot: 'big', id: '200' });
        if (get.content?.task?.id === 200) answered++;
        const set = { projectRoot: 'big', id: '200', status: n % 2 === 0 ? 'review' : 'pending' };
        if ((await target.callTool(key, 'set_task_status', set)).content?.error === undefined) answered++;
      }
    };
    const beside = target.callTool(quiet.key, 'initialize_project', { projectRoot: 'own' });
    await Promise.all([...Array.from({ length: READERS }, reader), beside]);
    const bytes = ((await moved()) - before) / (READERS * CALLS * 2);
    if (answered !== READERS * CALLS * 2) gains.push(`only ${answered} calls were answered`);
    if (bytes > MOST_BYTES) gains.push(`a call for one task moves ${Math.round(bytes)} bytes`);
    redis.disconnect();
    return gains;
  },
};
