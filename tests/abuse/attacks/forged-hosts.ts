import { sendRawRequest } from '../environment/raw-http.ts';
import type { Attack } from '../target/attack.ts';

const FORGED = 'evil.example" error="none';

/** A Host, or what a proxy is said to have forwarded, ends up in the headers of replies. */
export const forgedHosts: Attack = {
  name: 'hosts that replies repeat',
  environment: { BATON_TRUST_PROXY: 'true' },
  withoutGuard: [{ file: 'program', from: 'refuseInvalidHosts(app);', to: '' }],
  async run(target) {
    const gains: string[] = [];
    for (const name of ['host', 'x-forwarded-host']) {
      const headers: [string, string][] = [
        ...(name === 'host' ? [] : [['host', 'inner'] as [string, string]]),
        [name, FORGED],
      ];
      const reply = await sendRawRequest(target.url(), { method: 'GET', path: '/v1/tasks', headers }, 5_000);
      if ([...reply.headers.values()].some((value) => value.includes(FORGED)))
        gains.push(`${name} is in a header`);
    }
    return gains;
  },
};
