import { formatInteractionId, WORKFLOW_OPERATION } from '@baton/protocol';
import { parseIndexMember, taskRef } from '../records/keys.ts';
import { runConversation } from './conversation-steps.ts';
import type { StoreFixture } from './store-fixture.ts';
import {
  AGENT,
  ANN,
  llmWait,
  BOB,
  type TestTenant,
  newTask,
  providerWait,
  sleepWait,
} from './test-tenant.ts';

/** A tenant's day, in which every script runs on its every way. */
export async function runEveryScript(fixture: StoreFixture, testTenant: TestTenant): Promise<void> {
  const shard = fixture.shards[fixture.keyspace.shardIndex(testTenant.store.id)]!;
  const { tasks, interactions, queries, claims, projects, sessionSubscriptions, sessions, changes } =
    testTenant.store;
  const { channel } = fixture.store.inbox;
  const pending = () =>
    fixture.connection.command((client) => client.zrange(testTenant.keys.pending, '0', '-1'));
  const before = await pending();
  await fixture.operators.update(testTenant.store.id, { name: 'Acme & Söhne' });
  await (await testTenant.caller()).dryRunAdmission();
  await (await testTenant.caller()).admit(['mcp']);

  const { apiKeys } = testTenant.store;
  const { id } = await apiKeys.create({ name: 'short', scopes: ['mcp'] });
  await apiKeys.update(id, { name: 'renamed', tools: 'core' });
  await apiKeys.revoke((await apiKeys.rotate(id, 0)).id);

  // Someone listens, so that every script also tells of what it changes.
  const leave = await changes.subscribe({ onChange: () => {}, onReconnect: () => {} });
  await sessionSubscriptions.subscribe(ANN, 'session-1', 'baton://projects');
  await sessionSubscriptions.refresh('session-1');

  await shard.workers.heartbeat('worker-1', ['echo 1']);
  const journal = [['9', 'read+1']] as const;
  const waits = [llmWait('0'), llmWait('1'), llmWait('2'), sleepWait('3', 0)];
  const traced = await testTenant.caller();
  traced.traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  traced.client = 'a client';
  const once = { key: 'once', arguments: 'a' };
  const taskId = await testTenant.openTask({ waits, journal, idempotency: once }, traced);
  await testTenant.openTask({ idempotency: once });
  const first = formatInteractionId(taskId, 1);
  const third = formatInteractionId(taskId, 3);
  await (await testTenant.caller()).admit(['mcp'], first);
  await interactions.appendChunk(await testTenant.caller(), {
    interactionId: first,
    sequence: 0,
    delta: 'ye',
  });
  await interactions.joinChunks(first);
  await interactions.readStream(ANN, first);
  await tasks.read(ANN, taskId, channel);
  await queries.inspect(ANN, taskId);
  await queries.interaction(ANN, first);
  await queries.pending.records(AGENT, { claim: { max: 2, leaseMs: 60_000 } });
  await claims.claim(AGENT, first, { leaseMs: 60_000 });
  await queries.pending.records(BOB, { channel });
  await claims.claim(AGENT, first, { leaseMs: 0 });
  await claims.claim(AGENT, first, { leaseMs: 60_000 });
  await claims.releaseHolder(AGENT, 'gone');
  await queries.pending.records(BOB, { channel });
  await testTenant.answer(taskId, 1, { channel: `${channel}-2` });
  await testTenant.answer(taskId, 1, { channel });

  const segment = await fixture.loadSegment(shard);
  await segment.commit(
    'a project',
    undefined,
    { set: [['t:1', '{}']], delete: ['t:2'] },
    { path: '4', entry: 'commit+1', journal: [['5', 'read+2']] },
  );
  await testTenant.answer(taskId, 2, { as: await testTenant.caller('agent-7', ['agent']) });
  await segment.park({ journal: [['6', 'check+1']], drops: ['9'], waits: [llmWait('7'), sleepWait('8', 0)] });
  const again = await shard.reload(segment);
  await again?.release();
  const held = again && (await shard.reload(again));
  await held?.holdForProgram();
  const job = { tenant: testTenant.store.id, list: 'held' as const, number: 77, tasks: [taskId] };
  await shard.dequeue(job, ['echo 2']);
  const found = await shard.dequeue(job, ['echo 1']);
  await shard.dequeue(job, ['echo 1']);
  if (found.kind === 'taken') {
    const { segments } = await shard.load(testTenant.store.id, job.number, found.notLoaded);
    for (const each of [...found.segments, ...segments])
      await each.park({ journal: [], drops: [], waits: [] });
  }
  await interactions.extend(ANN, third, 60_000);
  await fixture.sweep(shard);
  const resumed = await fixture.loadSegment(shard);
  await resumed.park({ journal: [], drops: [], waits: [] });
  await interactions.cancel(ANN, third);
  await tasks.read(ANN, taskId, channel);
  await (await fixture.loadSegment(shard)).settle({ status: 'completed', result: { text: 'yes' } });

  const manyWaits = Array.from({ length: 80 }, (_, at) => llmWait(`${at}`));
  const many = await testTenant.openTask({ waits: manyWaits, ready: true });
  await (await fixture.loadSegment(shard)).park({ journal: [], drops: [], waits: [] });
  await tasks.cancel(ANN, many);

  const kept = { key: 'once', arguments: 'a', outcome: '{}' };
  const change = { set: [['t:1', '{}']] as const, delete: [] };
  await projects.commit('another / {project}', undefined, change, kept);
  await projects.commit('another / {project}', undefined, change, kept);
  await projects.open('another / {project}');
  await projects.read('another / {project}', ['t:1']);
  await projects.commit('another / {project}', { version: '1' }, change);
  await projects.read('another / {project}', ['t:1'], '1');
  await fixture.connection.command((client) =>
    client.hset(testTenant.keys.projectUse, 'another / {project}', '1 1'),
  );
  await projects.open('another / {project}');
  await projects.delete('another / {project}');
  await projects.commit('another / {project}', undefined, change);
  await projects.delete('another / {project}', { key: 'gone', arguments: 'a' });
  await tasks.cancel(ANN, await testTenant.openTask({ waits: [llmWait('0'), sleepWait('1', 60_000)] }));
  const brief = testTenant.withLifetimes({ interaction: 0 });
  await brief.openTask();
  await fixture.sweep(shard);
  await (await fixture.loadSegment(shard)).settle({
    status: 'failed',
    error: { code: 'interaction_expired', message: 'late' },
  });
  const failed = await testTenant
    .withLifetimes({ task: 0 })
    .openTask({ journal, idempotency: { key: 'late', arguments: 'a' } });
  await fixture.sweep(shard);
  await testTenant.store.taskRetries.retry(ANN, failed, channel);
  await testTenant.store.taskRetries.retry(ANN, failed);
  await (await fixture.loadSegment(shard)).rewind(['9'], [['8', 'retry+null']]);
  await tasks.cancel(ANN, failed);
  await testTenant.withLifetimes({ task: 0 }).openTask();
  await testTenant.openTask(newTask({ waits: [], ready: true }));
  await fixture.sweep(shard);
  await fixture.loadSegment(shard);
  await fixture.loseJobs(testTenant);
  await (await fixture.loadSegment(shard)).settle({ status: 'completed', result: {} });

  await projects.commit('a third', undefined, { set: [['t:1', '{}']], delete: [] });
  const large = Array.from({ length: 201 }, (_, at) => [`t:${at}`, '{}'] as const);
  const copy = [['t:1', 'c:1']] as const;
  await projects.commit('a third', await projects.open('a third'), { set: large, copy, delete: ['t:1'] });
  const last = testTenant.withLifetimes({ retention: 60_000 });
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 1_000_000 } });
  const ended = await testTenant.openTask({ idempotency: { key: 'twice', arguments: 'a' } });
  await last.tasks.cancel(ANN, ended);
  const forgotten = await testTenant.openTask({ idempotency: { key: 'thrice', arguments: 'a' } });
  await testTenant.withLifetimes({ retention: 0 }).tasks.cancel(ANN, forgotten);
  await fixture.sweep(shard);
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 4 } });
  await fixture.connection.command((client) =>
    client.zadd(fixture.keyspace.shard(shard.index).due, 1, testTenant.store.id),
  );
  await fixture.sweep(shard);
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 1_000_000 } });
  await runConversation(fixture, testTenant, shard);
  const { agents, prompts, workflows, workflowTasks } = testTenant.store;
  for (let version = 1; version <= 6; version++)
    await workflows.put(ANN, 'plan', { definition: { version } });
  await testTenant.store.prices.put(ANN, { currency: 'EUR', models: { any: { input: 1, output: 2 } } });
  await workflows.delete(ANN, 'plan');
  for (const id of ['first', 'second'])
    await agents.put(ANN, id, { definition: { id }, summary: { name: id } });
  const { revision } = await agents.entries();
  await agents.put(ANN, 'second', { definition: { id: 'second' }, summary: {}, revision });
  await agents.read('second');
  await agents.changeAgent(ANN, 'second', { primary: true });
  await agents.changeAgent(ANN, 'first', { enabled: false });
  await agents.delete(ANN, 'first');
  await prompts.put(ANN, 'ask', { definition: { text: 'Why?' }, public: true });
  await prompts.delete(ANN, 'ask');
  // Opened past the tenant's own way: the task of a workflow has no interactions.
  const opened = await tasks.open(
    await testTenant.caller(),
    newTask({ operation: WORKFLOW_OPERATION, waits: [] }),
  );
  const { taskId: workflowTask } = opened;
  // Each way in which a task that a step of it has started may end.
  const settled = await testTenant.openTask({ waits: [], ready: true });
  const cancelled = await testTenant.openTask();
  const expired = await testTenant.withLifetimes({ task: 0 }).openTask();
  const record = async (revision: number, link: string) => {
    const sets = [
      ['s0', '{}'],
      [`c.${link}`, '{}'],
    ] as const;
    const next = { caller: await testTenant.caller(), need: ['mcp'] as const };
    await workflowTasks.update(ANN, workflowTask, { revision, sets, drops: ['s1'], link }, next);
  };
  for (const [revision, link] of [settled, cancelled, expired].entries()) await record(revision, link);
  await record(0, settled);
  await tasks.cancel(ANN, cancelled);
  await (await fixture.loadSegment(shard)).settle({ status: 'completed', result: {} });
  await fixture.sweep(shard);
  await record((await workflowTasks.read(ANN, workflowTask)).revision, cancelled);
  await workflowTasks.complete(ANN, workflowTask, { completed: true });
  // Ended tasks take more than their share: they lose what is large.
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 4 } });
  await fixture.connection.command((client) =>
    client.zadd(fixture.keyspace.shard(shard.index).due, 1, testTenant.store.id),
  );
  await fixture.sweep(shard);
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 1_000_000 } });

  await callProviders(fixture, testTenant);

  await shard.workers.deregister('worker-1', ['echo 1']);
  await sessionSubscriptions.unsubscribe('session-1', 'baton://projects');
  await testTenant.store.sessions.setLogLevel('session-1', 1);
  await sessions.end('session-1');
  leave();

  const left = (await pending()).filter((member) => !before.includes(member));
  if (left.length > 0)
    throw new Error(`left open: ${left.map((member) => parseIndexMember(member).taskId).join(' ')}`);
}

/** Roles, and calls to LLM endpoints: answered, refused for their size, cancelled, expired, of a task that has ended. */
async function callProviders(fixture: StoreFixture, testTenant: TestTenant): Promise<void> {
  const { id: tenant, roles, interactions, tasks } = testTenant.store;
  const shard = fixture.shards[fixture.keyspace.shardIndex(tenant)]!;
  const route = { kind: 'openai', baseUrl: 'https://llm.example/v1', modelId: 'm', apiKey: 'k' } as const;
  await Promise.all(['a', 'b'].map((modelId) => roles.put(ANN, 'main', { routes: [{ ...route, modelId }] })));
  await roles.delete(ANN, 'main');

  await fixture.operators.update(tenant, { limits: { providerCalls: 1 } });
  const waits = ['0', '1', '2', '3'].map((path) => providerWait(path));
  const taskId = await testTenant.openTask({ waits });
  const job = (number: number) => ({ tenant, call: `${taskRef(taskId)}.${number}` });
  const begun = await shard.beginCall(job(1));
  await shard.beginCall(job(1));
  if (begun.kind === 'begun') {
    await begun.call.renew();
    for (const delta of ['Once', 'Once', 'upon']) await begun.call.appendChunk(0, delta);
    await begun.call.appendChunk(1, 'x'.repeat(600_000));
    await begun.call.answer('x'.repeat(600_000));
    await begun.call.answer('{"status":"success","data":"yes"}');
    await begun.call.renew();
    await begun.call.answer('{"status":"success","data":"late"}');
  }
  await (await fixture.loadSegment(shard)).park({ journal: [], drops: [], waits: [providerWait('4')] });
  await interactions.cancel(ANN, formatInteractionId(taskId, 2));
  await shard.beginCall(job(2));
  await tasks.cancel(ANN, taskId);
  // A worker whose lease has ended.
  const streamed = await testTenant.openTask({ waits: [providerWait('0')] });
  const call = `${taskRef(streamed)}.1`;
  const slow = await shard.beginCall({ tenant, call });
  if (slow.kind === 'begun') await slow.call.appendChunk(0, 'Once');
  await fixture.connection.command((client) => client.zadd(testTenant.keys.calls, 1, call));
  await shard.beginCall({ tenant, call });
  if (slow.kind === 'begun') {
    await slow.call.appendChunk(1, ' upon');
    await slow.call.answer('{"status":"success","data":"Once upon"}');
  }
  await tasks.cancel(ANN, streamed);
  const brief = testTenant.withLifetimes({ interaction: 0 });
  await brief.openTask({ waits: [providerWait('0')] });
  await fixture.sweep(shard);
  await (await fixture.loadSegment(shard)).settle({ status: 'completed', result: {} });
  await fixture.operators.update(tenant, { limits: { providerCalls: 16 } });
}
