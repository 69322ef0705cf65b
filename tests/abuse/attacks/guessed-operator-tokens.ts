import type { Attack } from '../target/attack.ts';

/** Someone without a key guesses operator tokens, each over a connection that stays open. */
export const guessedOperatorTokens: Attack = {
  name: 'guessed credentials',
  withoutGuard: [
    { file: 'program', from: 'wait = Math.max(wait, this.chargeWrongCredential(request, address));', to: '' },
  ],
  async run(target) {
    const statuses = await Promise.all(
      Array.from({ length: GUESSES }, async (_, n) => {
        const { status, headers } = await target.send('GET', '/v1/tenants', {
          key: `guessed-token-${n}-of-many`,
        });
        return `${status} ${headers.get('connection')}`;
      }),
    );
    const free = statuses.filter((one) => one === '401 keep-alive').length;
    const lines = target.gateways[0]?.output.filter((line) => line.includes('wrong credentials')) ?? [];
    const gains = free > FREE ? [`${free} guesses of one address cost it nothing`] : [];
    return lines.length === 1 ? gains : [...gains, `${lines.length} lines of the log say so`];
  },
};

const GUESSES = 30;
/** At once, and those that are forgiven meanwhile. */
const FREE = 22;
