import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { FIELD } from '../records/task-record.ts';
import {
  ACCEPT_ANSWER,
  ANSWER_CALL,
  APPEND_CALL_CHUNK,
  BEGIN_CALL,
  CANCEL,
  EXPIRE,
  OPEN,
  RENEW_CALL,
} from '../scripts/registry.ts';
import type { AnyScript } from '../testing/all-scripts.ts';
import type { Mutation } from '../testing/script-mutation.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, errorCode, providerWait, type TestTenant } from '../testing/test-tenant.ts';
import type { BegunCall } from './provider-calls.ts';

/**
 * Guarantees of calls to LLM endpoints. Each is a scenario that says whether the guarantee held; it holds, and with a piece cut out
 * of a copy of a script it does not, so the scenario can tell.
 */
const fixture = await openFixture();
const { recorder, redis, shard } = fixture;

const YES = '{"status":"success","data":"yes"}';
const waits = (count: number) => Array.from({ length: count }, (_, at) => providerWait(`${at}`));
const jobOf = (tenant: TestTenant, taskId: string, number = 1) => ({
  tenant: tenant.store.id,
  call: `${taskRef(taskId)}.${number}`,
});

async function begin(tenant: TestTenant, taskId: string, number = 1): Promise<BegunCall> {
  const start = await shard.beginCall(jobOf(tenant, taskId, number));
  if (start.kind !== 'begun') throw new Error(`the call is ${start.kind}`);
  return start.call;
}

/** How many calls have their turn, and how many wait for it. */
async function turnsOf({ keys }: TestTenant): Promise<[having: number, waiting: number]> {
  return [await redis.zcount(keys.calls, '-inf', '(1e14'), await redis.zcount(keys.calls, '1e14', '+inf')];
}

async function oneWorkerAtATime(): Promise<boolean> {
  const tenant = await fixture.createTenant();
  const taskId = await tenant.openTask({ waits: waits(1) });
  await begin(tenant, taskId);
  return (await shard.beginCall(jobOf(tenant, taskId))).kind === 'leased';
}

async function aLeaseThatWasTakenOverIsLost(): Promise<boolean> {
  const tenant = await fixture.createTenant();
  const taskId = await tenant.openTask({ waits: waits(1) });
  const slow = await begin(tenant, taskId);
  // As another worker has it, which began when this one's lease had ended.
  await redis.zadd(tenant.keys.calls, Number(slow['held']) + 1_000, `${taskRef(taskId)}.1`);
  return (await slow.renew()) === 'lost';
}

async function aCancelledCallIsLost(): Promise<boolean> {
  const tenant = await fixture.createTenant();
  const taskId = await tenant.openTask({ waits: waits(2) });
  const call = await begin(tenant, taskId);
  await tenant.interactions.cancel(ANN, formatInteractionId(taskId, 1));
  // As a worker that has not heard of it would have it.
  await redis.zadd(tenant.keys.calls, call['held'], `${taskRef(taskId)}.1`);
  return (await call.renew()) === 'lost';
}

async function theFirstAnswerCounts(): Promise<boolean> {
  const tenant = await fixture.createTenant();
  const taskId = await tenant.openTask({ waits: waits(1) });
  const call = await begin(tenant, taskId);
  await call.answer(YES);
  const again = await call.answer('{"status":"success","data":"no"}').catch(() => 'error');
  const record = await tenant.readRecord(taskId);
  return again === 'closed' && record[`${FIELD.journal}0`] === `llm+${YES}`;
}

async function noAgentAnswersIt(): Promise<boolean> {
  const tenant = await fixture.createTenant();
  const taskId = await tenant.openTask({ waits: waits(1) });
  return (await errorCode(tenant.answer(taskId))) === 'interaction_not_found';
}

async function turnsAreBounded(): Promise<boolean> {
  const tenant = await fixture.createTenant({ providerCalls: 2 });
  const taskId = await tenant.openTask({ waits: waits(1) });
  for (let n = 1; n < 5; n++) await tenant.openTask({ waits: waits(1) });
  const first = await turnsOf(tenant);
  await (await begin(tenant, taskId)).answer(YES);
  return String([first, await turnsOf(tenant)]) === '2,3,2,2';
}

async function anEndGivesTheTurnOn(end: (tenant: TestTenant, taskId: string) => Promise<unknown>) {
  const tenant = await fixture.createTenant({ providerCalls: 1 });
  const first = await tenant.openTask({ waits: waits(1) });
  await tenant.openTask({ waits: waits(1) });
  await end(tenant, first);
  return String(await turnsOf(tenant)) === '1,0';
}

const cancelled = () => anEndGivesTheTurnOn((tenant, taskId) => tenant.tasks.cancel(ANN, taskId));

async function expired(): Promise<boolean> {
  const tenant = await fixture.createTenant({ providerCalls: 1 });
  const brief = tenant.withLifetimes({ interaction: 0 });
  const first = await brief.openTask({ waits: waits(1) });
  await tenant.openTask({ waits: waits(1) });
  await fixture.sweep();
  const record = await tenant.readRecord(first);
  const isTold = record[`${FIELD.journal}0`]?.startsWith('llm-') === true;
  return isTold && String(await turnsOf(tenant)) === '1,0';
}

/** Two workers stream one answer, the second when the lease of the first has ended. */
async function wordsNeverMix(): Promise<boolean> {
  const tenant = await fixture.createTenant();
  const stored = async () => Number(await redis.hget(tenant.keys.tenant, 'stored'));
  const taskId = await tenant.openTask({ waits: waits(1) });
  const parked = await stored();
  const interactionId = formatInteractionId(taskId, 1);
  const read = async () => (await tenant.interactions.readStream(ANN, interactionId)).text;
  const first = await begin(tenant, taskId);
  await first.appendChunk(0, 'Once ');
  await first.appendChunk(1, 'upon');
  const shown = [await read()];
  await redis.zadd(tenant.keys.calls, 1, `${taskRef(taskId)}.1`);
  const second = await begin(tenant, taskId);
  await first.appendChunk(2, ' a time');
  shown.push(await read());
  await second.appendChunk(0, 'There was');
  await first.appendChunk(1, ' and');
  shown.push(await read());
  const counted = (await stored()) - parked;
  const ends = [await first.answer(YES), await second.answer(YES)];
  const left = await redis.exists(tenant.keys.chunks(taskId, 1));
  const record = await tenant.readRecord(taskId);
  return (
    JSON.stringify([shown, ends, left, counted, record[`${FIELD.chunk_state}1`] ?? 'gone']) ===
    JSON.stringify([['Once upon', '', 'There was'], ['lost', 'accepted'], 0, 128, 'gone'])
  );
}

test.each<[string, () => Promise<boolean>, AnyScript, Mutation[]]>([
  [
    'one worker makes a call at a time',
    oneWorkerAtATime,
    BEGIN_CALL,
    [['held_until > now and', 'false and']],
  ],
  [
    'a worker whose lease was taken over is told so',
    aLeaseThatWasTakenOverIsLost,
    RENEW_CALL,
    [[' or held_until ~= tonumber(A_held)', '']],
  ],
  [
    'a worker whose call was cancelled is told so',
    aCancelledCallIsLost,
    RENEW_CALL,
    [['not wait or wait.due <= now or', '']],
  ],
  [
    'the first answer counts, and no later one',
    theFirstAnswerCounts,
    ANSWER_CALL,
    [
      [
        'if not wait or wait.kind',
        "if not wait then wait, place = {kind = 'provider', path = '0', due = now + 1}, 1 end\nif wait.kind",
      ],
    ],
  ],
  [
    'no agent answers it',
    noAgentAnswersIt,
    ACCEPT_ANSWER,
    [["if wait and wait.kind == 'provider' then wait = nil end", '']],
  ],
  [
    'words of two workers never mix: the second begins anew',
    wordsNeverMix,
    BEGIN_CALL,
    [[' and asks_stream(summary) then', ' and false then']],
  ],
  [
    'words of two workers never mix: the first adds nothing any more',
    wordsNeverMix,
    APPEND_CALL_CHUNK,
    [['if read_chunk_state(before).stream ~= tonumber(A_stream)', 'if false']],
  ],
  [
    'words of two workers never mix: the first answers nothing any more',
    wordsNeverMix,
    ANSWER_CALL,
    [['if chunks.stream ~= tonumber(A_stream)', 'if false']],
  ],
  [
    'the words of an answer leave with it, and with what they count',
    wordsNeverMix,
    ANSWER_CALL,
    [["redis.call('UNLINK', K_chunks)", '']],
  ],
  ['a tenant has so many turns, and an answer gives one on', turnsAreBounded, OPEN, [['- held\n', '\n']]],
  ['a cancelled task gives its turn on', cancelled, CANCEL, [["write_all('ZREM', K_calls, calls)", '']]],
  [
    'an expired call is told to its program, and gives its turn on',
    expired,
    EXPIRE,
    [["journal_kind(wait) .. '-'", "wait.kind .. '-'"]],
  ],
])('%s, and without its line it would not be so', async (_claim, holds, script, cuts) => {
  expect(await holds()).toBe(true);
  expect(await recorder.withMutant(script, cuts, holds)).toBe(false);
});

test('a call whose job BullMQ has lost is given another by the check of jobs', async () => {
  const tenant = await fixture.createTenant({ providerCalls: 1 });
  const taskId = await tenant.openTask({ waits: waits(1) });
  const queued = () => redis.keys(`*:bull:calls:${tenant.store.id}.*`);
  await expect.poll(queued).toHaveLength(1);
  await redis.del(...(await queued()));
  await redis.zadd(tenant.keys.shard.tenantsWithJobs, 1, tenant.store.id);
  await shard.requeueLostJobs();
  await expect.poll(queued).toHaveLength(1);
  await tenant.tasks.cancel(ANN, taskId);
});
