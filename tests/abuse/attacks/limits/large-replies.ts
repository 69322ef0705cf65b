import type { Attack } from '../../target/attack.ts';

/** The largest replies that a tenant may ask for, as often as its rate takes: making each holds up everyone of the gateway. */
export const largeReplies: Attack = {
  name: 'large replies within the rate',
  withoutGuard: [{ file: 'program', from: 'request.server.countReply(request, bytes);', to: '' }],
  async run(target) {
    const gains: string[] = [];
    const { key } = await target.createKey(await target.createTenant(RATE));
    const tasks = Array.from({ length: 7 }, (_, n) => ({
      id: n + 1,
      title: 't',
      description: 'x',
      details: 'd'.repeat(90_000),
    }));
    const put = await target.send('PUT', '/v1/projects/big', { key, body: { master: { tasks } } });
    if (put.status !== 200) throw new Error(put.text);
    let read = 0;
    while (read < RATE.burst) {
      const { status } = await target.send('GET', '/v1/projects/big', { key });
      if (status === 429) break;
      read++;
    }
    // The project takes some 10 of the burst, and each reply too.
    if (read > 7) gains.push(`${read} replies of 630 KB were made with a burst of ${RATE.burst}`);
    if (read === 0) gains.push('no reply was made');
    return gains;
  },
};

const RATE = { requestsPerSecond: 1, burst: 60 };
