import { interactionId } from '@baton/protocol';
import { parseReference } from '../keys.ts';
import type { Segment } from '../segment.ts';
import type { Fixture } from './fixture.ts';
import { AGENT, ANN, asks, BOB, type Guest, newTask, sleeps } from './guest.ts';

/** A tenant's day, in which every script runs on its every way. */
export async function runEveryScript(fixture: Fixture, guest: Guest): Promise<void> {
  const shard = fixture.shards[fixture.keyspace.shardIndex(guest.tenant.id)]!;
  const { tasks, interactions, listing, claims, projects, sessions, changes } = guest.tenant;
  const { channel } = fixture.store.inbox;
  await fixture.operators.change(guest.tenant.id, { name: 'Acme & Söhne' });
  await (await guest.caller()).foresee();
  await (await guest.caller()).admit(['mcp']);

  // Someone listens, so that every script also tells of what it changes.
  const leave = await changes.listen({ hear: () => {}, back: () => {} });
  await sessions.subscribe('session-1', 'baton://projects');
  await sessions.subscriptions('session-1');

  // A cluster's other node does not know that anyone listens here: there it rings.
  const called = new Promise<Segment | undefined>((resolve, reject) => {
    shard.attend(() => resolve(undefined), resolve).catch(reject);
  });
  const journal = [['9', 'read+1']] as const;
  const waits = [asks('0'), asks('1'), asks('2'), sleeps('3', 0)];
  const taskId = await guest.open({ waits, journal, idempotency: { key: 'once', arguments: 'a' } });
  await guest.open({ idempotency: { key: 'once', arguments: 'a' } });
  const first = interactionId(taskId, 1);
  const third = interactionId(taskId, 3);
  await interactions.chunk(await guest.caller(), { interactionId: first, sequence: 0, delta: 'ye' });
  await tasks.read(ANN, taskId, channel);
  await listing.pending(AGENT, { claim: { max: 2, leaseMs: 60_000 } });
  await claims.claim(AGENT, first, { leaseMs: 60_000 });
  await listing.pending(BOB, { channel });
  await claims.claim(AGENT, first, { leaseMs: 0 });
  await claims.resign(AGENT, 'gone');
  await listing.pending(BOB, { channel });
  await guest.answer(taskId, 1, { channel });
  await guest.answer(taskId, 1, { channel });

  const segment = (await called) ?? (await fixture.take(shard));
  await shard.hold(segment);
  await segment.commit(
    'a project',
    undefined,
    { set: [['t:1', '{}']], delete: ['t:2'] },
    { path: '4', entry: 'commit+1', journal: [['5', 'read+2']] },
  );
  await guest.answer(taskId, 2, { as: await guest.caller('agent-7', ['agent']) });
  await segment.park({ journal: [['6', 'check+1']], drops: ['9'], waits: [asks('7'), sleeps('8', 0)] });
  const again = await shard.reload(segment);
  await again?.release(0);
  await interactions.extend(ANN, third, 60_000);
  await fixture.sweep(shard);
  const resumed = await fixture.take(shard);
  await resumed.park({ journal: [], drops: [], waits: [] });
  await interactions.cancel(ANN, third);
  await tasks.read(ANN, taskId, channel);
  await (await fixture.take(shard)).settle({ status: 'completed', result: { text: 'yes' } });

  await projects.commit('another / {project}', undefined, { set: [['t:1', '{}']], delete: [] });
  await tasks.cancel(ANN, await guest.open({ waits: [asks('0'), sleeps('1', 60_000)] }));
  const brief = guest.with({ interaction: 0 });
  await brief.open();
  await fixture.sweep(shard);
  await (await fixture.take(shard)).settle({
    status: 'failed',
    error: { code: 'interaction_expired', message: 'late' },
  });
  await guest.with({ task: 0 }).open();
  await shard.leave();
  const abandoned = await guest.open(newTask({ waits: [], ready: true }));
  await fixture.take(shard);
  const { leased } = fixture.keyspace.shard(shard.index);
  await fixture.connection.command((client) => client.zadd(leased, 'XX', 0, guest.member(abandoned)));
  await fixture.sweep(shard);
  await (await fixture.take(shard)).settle({ status: 'completed', result: {} });

  await sessions.unsubscribe('session-1', 'baton://projects');
  await sessions.end('session-1');
  leave();

  const left = await fixture.connection.command((client) => client.zrange(guest.keys.pending, '0', '-1'));
  if (left.length > 0)
    throw new Error(`left open: ${left.map((member) => parseReference(member).taskId).join(' ')}`);
}
