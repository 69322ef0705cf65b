import { startPrivateRedis } from '@baton/local-redis';
import { expect, test } from 'vitest';
import { ALL_SCRIPTS } from '../testing/all-scripts.ts';
import { crowdTenant } from '../testing/crowded-tenant.ts';
import { runEveryScript } from '../testing/every-script.ts';
import { ScriptWork } from '../testing/script-work.ts';
import { closeFixture, connectFixture } from '../testing/store-fixture.ts';

/**
 * What a run of each script may do in `runEveryScript`, however much its tenant has: commands, arguments, elements of replies,
 * removed members, and kilobytes. What is above 200 is an allowance: a trim removes up to 200 members, a page of a record passes
 * 600 fields, a list looks at 1,000 members, a release ends 200 claims, an opening of 80 interactions
 * is given them.
 */
const MOST_WORK: Readonly<Record<string, number>> = {
  'claim/claim': 300,
  'claim/release_holder': 1_100,
  'conversation/begin_turn': 40,
  'conversation/delete_conversation': 80,
  'conversation/end_turn': 220,
  'deadline/expire': 130,
  'deadline/list_due_tasks': 80,
  'deadline/list_due_tenants': 30,
  'definition/change_agent': 60,
  'definition/delete_definition': 80,
  'definition/put_definition': 80,
  'definition/read_definition': 40,
  'definition/read_definitions': 60,
  // 155 for its longest answer, and 211 where it trims the shares of the rate.
  'interaction/accept_answer': 370,
  'interaction/append_chunk': 350,
  'interaction/extend_interaction': 50,
  'interaction/fetch_or_claim_interactions': 350,
  'interaction/list_pending_or_register_waiter': 4_400,
  'interaction/read_chunk_state': 10,
  'interaction/read_interaction': 30,
  'interaction/read_stream': 40,
  'interaction/start_answer_time': 60,
  'project/commit': 600,
  'project/delete_project': 380,
  'project/note_project_use': 60,
  'project/read_project': 70,
  'project/stage_change': 1_300,
  'provider/answer_call': 90,
  'provider/append_call_chunk': 90,
  'provider/begin_call': 60,
  'provider/renew_call': 30,
  'queue/begin_segments': 300,
  'queue/dequeue': 230,
  'queue/requeue_lost_jobs': 140,
  'queue/worker_heartbeat': 25,
  'retention/forget_tasks': 200,
  'retention/strip_tasks': 4_000,
  'role/put_role': 40,
  'session/end_session': 300,
  'session/refresh_subscriptions': 30,
  'session/set_log_level': 20,
  'session/subscribe': 60,
  'session/unsubscribe': 20,
  'task/cancel': 480,
  'task/end_sleep': 120,
  'task/hold_for_program': 60,
  'task/open': 1_050,
  'task/park': 120,
  'task/read_task_and_register_waiter': 60,
  'task/scan_task_fields': 1_800,
  'task/release_task': 20,
  'task/retry': 140,
  'task/rewind': 40,
  'task/settle': 140,
  'tenant/admission_dry_run': 60,
  'tenant/admit': 320,
  'tenant/admit_answer': 320,
  'tenant/create_key': 900,
  'tenant/revoke_key': 30,
  'tenant/update_key': 30,
  'tenant/upsert_tenant': 30,
  'usage/put_prices': 30,
  'workflow/complete_workflow': 120,
  'workflow/read_progress': 60,
  'workflow/record_progress': 350,
};

const patient = { timeout: 120_000 };
const UNLIMITED = {
  apiKeys: 10_000,
  openTasks: 1_000_000,
  pendingInteractions: 1_000_000,
  projects: 1_000_000,
  retainedTasks: 1_000_000,
};

/** Shares of the rate are trimmed in one of 64 milliseconds: here in every run, so that the most work does not depend on the clock. */
const trimAlways = (source: string) => source.replaceAll('== 0 and now % 64 > 0', '== 0 and false');

/** The most work of a run of each script, in a tenant with so many of everything. `change` makes mutants of the scripts. */
async function workOfScripts(size: number, change = (source: string) => source) {
  const server = await startPrivateRedis({ args: ['--appendonly', 'no'] });
  const fixture = await connectFixture(server.url);
  const testTenant = await fixture.createTenant(UNLIMITED);
  await crowdTenant(testTenant, fixture.redis, size);
  const work = new ScriptWork(fixture.connection, fixture.redis, (source) => trimAlways(change(source)));
  await runEveryScript(fixture, testTenant);
  const most = await work.most();
  await closeFixture(fixture);
  await server.stop();
  return most;
}

const excess = (work: ReadonlyMap<string, number>) =>
  [...work].filter(([name, most]) => most > (MOST_WORK[name] ?? 0)).map(([name, most]) => `${name}: ${most}`);

test('every script says how much it does', () => {
  expect(Object.keys(MOST_WORK).toSorted()).toEqual(
    [...ALL_SCRIPTS.values()].map(({ name }) => name).toSorted(),
  );
});

test.each([5, 5_000, 12_000])(
  'no script does more beside %i entries of its tenant, and in a task of as many interactions, than it says',
  patient,
  async (size) => {
    const work = await workOfScripts(size);
    expect([...work.keys()].toSorted()).toEqual(Object.keys(MOST_WORK).toSorted());
    expect(excess(work)).toEqual([]);
  },
);

test.each<[string, string, string, string]>([
  ['trims at once', 'task/open', 'math.min(over, MOST_TRIMMED)', 'over'],
  [
    'reads a large record at once',
    'queue/begin_segments',
    'SMALL_FIELDS, SMALL_BYTES = 300',
    'SMALL_FIELDS, SMALL_BYTES = 3e6',
  ],
  [
    'has no pages',
    'task/scan_task_fields',
    'PAGE_FIELDS, PAGE_BYTES = 600, 262144',
    'PAGE_FIELDS, PAGE_BYTES = 1e9, 1e9',
  ],
  [
    'ends all claims at once',
    'claim/release_holder',
    "'ZPOPMAX', KEYS[3], limit)",
    "'ZPOPMAX', KEYS[3], 1000000)",
  ],
  [
    'looks at all that is pending',
    'interaction/list_pending_or_register_waiter',
    'scanned < scan_limit and',
    '',
  ],
])('a mutant that %s is seen', patient, async (_name, script, from, to) => {
  let changed = 0;
  const work = await workOfScripts(5_000, (source) => {
    if (source.includes(from)) changed++;
    return source.replaceAll(from, to);
  });
  expect(changed).toBeGreaterThan(0);
  expect(excess(work).map((line) => line.split(':')[0])).toContain(script);
});
