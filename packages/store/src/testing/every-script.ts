import { interactionId } from '@baton/protocol';
import { parseReference } from '../records/keys.ts';
import type { Fixture } from './fixture.ts';
import { AGENT, ANN, asks, BOB, type Guest, newTask, sleeps } from './guest.ts';

/** A tenant's day, in which every script runs on its every way. */
export async function runEveryScript(fixture: Fixture, guest: Guest): Promise<void> {
  const shard = fixture.shards[fixture.keyspace.shardIndex(guest.tenant.id)]!;
  const { tasks, interactions, queries, claims, projectsResource, sessions, changes } = guest.tenant;
  const { channel } = fixture.store.inbox;
  await fixture.operators.change(guest.tenant.id, { name: 'Acme & Söhne' });
  await (await guest.caller()).dryRunAdmission();
  await (await guest.caller()).admit(['mcp']);

  // Someone listens, so that every script also tells of what it changes.
  const leave = await changes.subscribe({ onChange: () => {}, onReconnect: () => {} });
  await sessions.subscribe('session-1', 'baton://projects');
  await sessions.refreshSubscriptions('session-1');

  await shard.workers.heartbeat('worker-1', ['echo 1']);
  const journal = [['9', 'read+1']] as const;
  const waits = [asks('0'), asks('1'), asks('2'), sleeps('3', 0)];
  const taskId = await guest.open({ waits, journal, idempotency: { key: 'once', arguments: 'a' } });
  await guest.open({ idempotency: { key: 'once', arguments: 'a' } });
  const first = interactionId(taskId, 1);
  const third = interactionId(taskId, 3);
  await interactions.chunk(await guest.caller(), { interactionId: first, sequence: 0, delta: 'ye' });
  await tasks.read(ANN, taskId, channel);
  await queries.pending(AGENT, { claim: { max: 2, leaseMs: 60_000 } });
  await claims.claim(AGENT, first, { leaseMs: 60_000 });
  await queries.pending(BOB, { channel });
  await claims.claim(AGENT, first, { leaseMs: 0 });
  await claims.releaseHolder(AGENT, 'gone');
  await queries.pending(BOB, { channel });
  await guest.answer(taskId, 1, { channel });
  await guest.answer(taskId, 1, { channel });

  const segment = await fixture.take(shard);
  await segment.commit(
    'a project',
    undefined,
    { set: [['t:1', '{}']], delete: ['t:2'] },
    { path: '4', entry: 'commit+1', journal: [['5', 'read+2']] },
  );
  await guest.answer(taskId, 2, { as: await guest.caller('agent-7', ['agent']) });
  await segment.park({ journal: [['6', 'check+1']], drops: ['9'], waits: [asks('7'), sleeps('8', 0)] });
  const again = await shard.reload(segment);
  await again?.release();
  const held = again && (await shard.reload(again));
  await held?.hold();
  const job = { tenant: guest.tenant.id, list: 'held' as const, number: 77, tasks: [taskId] };
  await shard.dequeue(job, ['echo 2']);
  const found = await shard.dequeue(job, ['echo 1']);
  await shard.dequeue(job, ['echo 1']);
  if (found.kind === 'taken') await found.segments[0]?.park({ journal: [], drops: [], waits: [] });
  await interactions.extend(ANN, third, 60_000);
  await fixture.sweep(shard);
  const resumed = await fixture.take(shard);
  await resumed.park({ journal: [], drops: [], waits: [] });
  await interactions.cancel(ANN, third);
  await tasks.read(ANN, taskId, channel);
  await (await fixture.take(shard)).settle({ status: 'completed', result: { text: 'yes' } });

  await projectsResource.commit('another / {project}', undefined, { set: [['t:1', '{}']], delete: [] });
  await tasks.cancel(ANN, await guest.open({ waits: [asks('0'), sleeps('1', 60_000)] }));
  const brief = guest.with({ interaction: 0 });
  await brief.open();
  await fixture.sweep(shard);
  await (await fixture.take(shard)).settle({
    status: 'failed',
    error: { code: 'interaction_expired', message: 'late' },
  });
  await guest.with({ task: 0 }).open();
  await guest.open(newTask({ waits: [], ready: true }));
  await fixture.sweep(shard);
  await fixture.take(shard);
  await fixture.loseJobs(guest);
  await (await fixture.take(shard)).settle({ status: 'completed', result: {} });

  await shard.workers.deregister('worker-1', ['echo 1']);
  await sessions.unsubscribe('session-1', 'baton://projects');
  await sessions.end('session-1');
  leave();

  const left = await fixture.connection.command((client) => client.zrange(guest.keys.pending, '0', '-1'));
  if (left.length > 0)
    throw new Error(`left open: ${left.map((member) => parseReference(member).taskId).join(' ')}`);
}
