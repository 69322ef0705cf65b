import { expect, test } from 'vitest';
import {
  ACCEPT_ANSWER,
  COMMIT,
  HOLD_FOR_PROGRAM,
  BEGIN_SEGMENTS,
  PARK,
  RELEASE_TASK,
  SETTLE,
} from '../scripts/registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { llmWait, errorCode } from '../testing/test-tenant.ts';
import type { AnyScript } from '../testing/all-scripts.ts';
import type { Mutation } from '../testing/script-mutation.ts';
import type { FencedSegment } from './fenced-segment.ts';

/**
 * The guarantees that the scripts' fences give. Each is a scenario that says whether the guarantee held; it holds,
 * and with the fence cut out of a copy of the script it does not, so the scenario can tell.
 */
const fixture = await openFixture();
const { recorder, redis } = fixture;

const nothing = { journal: [], drops: [], waits: [] };
const outcome = (path: string) => ({ path, entry: 'commit+1', journal: [] });
const change = { set: [['t', '1'] as const], delete: [] };

/** A segment whose task another holder has taken up tries to write. */
function staleWritesNothing(write: (segment: FencedSegment) => Promise<unknown>) {
  return async (): Promise<boolean> => {
    const testTenant = await fixture.createTenant();
    await testTenant.openTask({ ready: true });
    const stale = await fixture.loadSegment();
    await fixture.loseJobs(testTenant);
    await fixture.loadSegment();
    const before = JSON.stringify(await fixture.contents());
    await write(stale);
    return JSON.stringify(await fixture.contents()) === before;
  };
}

async function anAnswerIsAcceptedOnce(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const texts = ['"a"', '"a"', '"b"', '"c"'];
  const replies = await Promise.all(
    texts.map((text) =>
      testTenant.answer(taskId, 1, { text }).then(
        (reply) => reply.replayed,
        () => true,
      ),
    ),
  );
  return (
    replies.filter((replayed) => !replayed).length === 1 &&
    (await testTenant.readRecord(taskId))['ev'] === '1'
  );
}

async function anAnswerDuringASegmentIsNotSwallowed(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  await testTenant.answer(taskId, 1);
  const segment = await fixture.loadSegment();
  await testTenant.answer(taskId, 2);
  const end = await segment.park(nothing);
  return end === 'again' || (await testTenant.queueState(taskId)) !== undefined;
}

/** A connection that breaks before the reply has come has its command sent again. */
async function aParkThatIsSentTwiceOpensOnce(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  await testTenant.openTask({ waits: [], ready: true });
  const segment = await fixture.loadSegment();
  await segment.park({ ...nothing, waits: [llmWait('5')] });
  await segment.park({ ...nothing, waits: [llmWait('5')] });
  return (await redis.zcard(testTenant.keys.pending)) === 1;
}

async function commitsNeverShareAVersion(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const at = await projects.open('p');
  const landed = await Promise.all(
    [1, 2, 3, 4].map((n) => projects.commit('p', at, { set: [['t', `${n}`]], delete: [] })),
  );
  return (
    landed.filter((reply) => reply === 'committed').length === 1 &&
    (await projects.open('p'))?.version === '1'
  );
}

async function aCommandLandsOnce(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  await testTenant.openTask({ ready: true });
  const segment = await fixture.loadSegment();
  await segment.commit('p', undefined, change, outcome('3'));
  const again = await fixture.shard.reload(segment);
  await again!.commit('p', await testTenant.store.projects.open('p'), change, outcome('3'));
  return (await testTenant.store.projects.open('p'))?.version === '1';
}

async function noAnswerComesAfterTheDeadline(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.withLifetimes({ interaction: 0 }).openTask();
  return (await errorCode(testTenant.answer(taskId))) === 'interaction_expired';
}

async function aStrangerAnswersNothing(): Promise<boolean> {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  return (
    (await errorCode(testTenant.answer(taskId, 1, { as: await testTenant.caller('bob') }))) ===
    'interaction_not_found'
  );
}

const FENCE: Mutation = ["if redis.call('HGET', K_task, F_fence) ~= A_fence then return {'stale'} end", ''];
const SHORT_FENCE: Mutation = ["if fence ~= A_fence then return {'stale'} end", ''];
const ASK = 'local owner = visible_owner(principal, scopes)';

const GUARANTEES: [claim: string, held: () => Promise<boolean>, script: AnyScript, cuts: Mutation[]][] = [
  [
    'a stale segment parks nothing',
    staleWritesNothing((segment) => segment.park({ ...nothing, waits: [llmWait('5')] })),
    PARK,
    [SHORT_FENCE],
  ],
  [
    'a stale segment settles nothing',
    staleWritesNothing((segment) => segment.settle({ status: 'completed', result: {} })),
    SETTLE,
    [["if task.fence ~= A_fence then return {'stale'} end", '']],
  ],
  [
    'a stale segment commits nothing',
    staleWritesNothing((segment) => segment.commit('p', undefined, change, outcome('3'))),
    COMMIT,
    [SHORT_FENCE],
  ],
  [
    'a stale segment releases nothing',
    staleWritesNothing((segment) => segment.release()),
    RELEASE_TASK,
    [FENCE],
  ],
  [
    'a stale segment holds nothing',
    staleWritesNothing((segment) => segment.holdForProgram()),
    HOLD_FOR_PROGRAM,
    [SHORT_FENCE],
  ],
  [
    'who takes a task makes its last holder stale',
    staleWritesNothing((segment) => segment.settle({ status: 'completed', result: {} })),
    BEGIN_SEGMENTS,
    [['(record[F_fence] or 0) + 1', 'tonumber(record[F_fence] or 0)']],
  ],
  [
    'an answer is accepted once',
    anAnswerIsAcceptedOnce,
    ACCEPT_ANSWER,
    [
      ['local closed = refusal_of_closed(answered, ended)', 'local closed'],
      ['table.remove(waits, place)', ''],
    ],
  ],
  [
    'an answer during a running segment is not swallowed',
    anAnswerDuringASegmentIsNotSwallowed,
    PARK,
    [['local again = event ~= A_seen', 'local again = false']],
  ],
  [
    'a park that is sent twice opens what it awaits once',
    aParkThatIsSentTwiceOpensOnce,
    PARK,
    [['F_fence, A_fence + 1, F_updated_at', 'F_updated_at']],
  ],
  [
    'two commits never both land on one version',
    commitsNeverShareAVersion,
    COMMIT,
    [['if version ~= A_version then', 'if false then']],
  ],
  [
    'a command that is run again lands once',
    aCommandLandsOnce,
    COMMIT,
    [["if journaled then return {'journaled', journaled} end", '']],
  ],
  [
    'no answer is accepted after its deadline',
    noAnswerComesAfterTheDeadline,
    ACCEPT_ANSWER,
    [["if wait.due <= now then return {'interaction_expired'} end", '']],
  ],
  [
    'a stranger answers nothing',
    aStrangerAnswersNothing,
    ACCEPT_ANSWER,
    [[ASK, "local owner = redis.call('HGET', K_task, F_principal)"]],
  ],
];

test.each(GUARANTEES)('%s, and the test would notice', async (_claim, held, script, cuts) => {
  expect(await held()).toBe(true);
  await redis.flushall();
  expect(await recorder.withMutant(script, cuts, held), `without ${script.name}'s fence`).toBe(false);
});
