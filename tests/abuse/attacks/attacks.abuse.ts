import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PatchedRelease } from '../../processes/patched-release.ts';
import { type Attack } from '../target/attack.ts';
import { AttackTarget } from '../target/attack-target.ts';
import { debtStarvation } from './debt-starvation.ts';
import { foreignIds } from './foreign-ids.ts';
import { forgedHosts } from './forged-hosts.ts';
import { guessedCredentials } from './guessed-credentials.ts';
import { heldDeadKeys } from './held-dead-keys.ts';
import { loggedArguments } from './logged-arguments.ts';
import { openedCursors } from './opened-cursors.ts';
import { poisonedRequests } from './poisoned-requests.ts';
import { quotedJson } from './quoted-json.ts';
import { refusedBodies } from './refused-bodies.ts';
import { schemaCrosstalk } from './schema-crosstalk.ts';
import { strongerKeys } from './stronger-keys.ts';
import { unboundedReads } from './unbounded-reads.ts';
import { unmatchedFilters } from './unmatched-filters.ts';
import { unreadReplies } from './unread-replies.ts';

const ATTACKS: readonly Attack[] = [
  debtStarvation,
  foreignIds,
  forgedHosts,
  guessedCredentials,
  heldDeadKeys,
  loggedArguments,
  openedCursors,
  poisonedRequests,
  quotedJson,
  refusedBodies,
  schemaCrosstalk,
  strongerKeys,
  unboundedReads,
  unmatchedFilters,
  unreadReplies,
];

const BUILT = fileURLToPath(new URL('../../../dist', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

async function gains(attack: Attack, entry: string): Promise<readonly string[]> {
  const target = await AttackTarget.start(entry, attack.environment);
  try {
    return await attack.run(target);
  } finally {
    await target.stop();
  }
}

describe.each(ATTACKS)('$name', (attack) => {
  test('gains nothing', async () => {
    expect(await gains(attack, `${BUILT}/baton.js`)).toEqual([]);
  });

  test('is seen without its guard', async () => {
    const release = await PatchedRelease.create(BUILT, NODE_MODULES, attack.withoutGuard);
    try {
      expect(await gains(attack, release.entry)).not.toEqual([]);
    } finally {
      await release.remove();
    }
  });
});
