import fc from 'fast-check';
import { taskIdFromUuid, tenantIdSchema } from '@baton/protocol';
import { expect, test } from 'vitest';
import {
  Keyspace,
  parseTaskTopic,
  parseIndexMember,
  taskIdFromRef,
  taskRef,
  type TenantKeys,
} from './keys.ts';
import { randomSeed } from '@baton/protocol/testing/random-seed';

const tenant = fc.stringMatching(/^[a-z0-9-]{1,63}$/);
const taskId = fc.uuid({ version: 4 }).map(taskIdFromUuid);
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '{s0}', 'a:b', '}', '%7B', 'keys'),
);
const shards = fc.integer({ min: 1, max: 64 });
const keyspaces = fc
  .record({ prefix: fc.constantFrom('baton', 'x', 'team-a'), shards })
  .map(({ prefix, shards: n }) => new Keyspace(prefix, n));

/** Every key of a tenant's own. */
function keysOf(keys: TenantKeys, id: string, text: string): string[] {
  const { tenant: record, apiKeys, apiKeyEnds, tasks, pending, claims, projects } = keys;
  const { changeChannel, activeChangeChannel, subscribers, ended, logLevels } = keys;
  return [
    record,
    apiKeys,
    apiKeyEnds,
    tasks,
    pending,
    claims,
    keys.holder('ann x'),
    keys.chunks(id, 1),
    projects,
    changeChannel,
    activeChangeChannel,
    subscribers,
    ended,
    logLevels,
    keys.session('s1'),
    keys.task(id),
    keys.past(id),
    keys.project(text),
    keys.credential('k1'),
    keys.idempotency('d1'),
  ];
}

const tagOf = (key: string) => /\{([^}]+)\}/.exec(key)?.[1];

test('no two tenants share a key, whatever their names, tasks and projects are called', () => {
  fc.assert(
    fc.property(keyspaces, tenant, tenant, taskId, name, name, (keyspace, a, b, id, mine, theirs) => {
      fc.pre(a !== b);
      const own = new Set(keysOf(keyspace.tenant(a), id, mine));
      for (const key of keysOf(keyspace.tenant(b), id, theirs)) expect(own.has(key)).toBe(false);
    }),
    { seed: randomSeed },
  );
});

test("a key begins with its tenant's own part, and stays in its shard's slot", () => {
  fc.assert(
    fc.property(keyspaces, tenant, taskId, name, (keyspace, id, task, project) => {
      expect(tenantIdSchema.safeParse(id).success).toBe(true);
      const keys = keyspace.tenant(id);
      const tag = `s${keyspace.shardIndex(id)}`;
      for (const key of keysOf(keys, task, project)) {
        expect(key === keys.tenant || key.startsWith(`${keyspace.prefix}:{${tag}}:t:${id}:`)).toBe(true);
        expect(key.indexOf('{'), 'the first braces are the hash tag').toBe(keyspace.prefix.length + 1);
        expect(tagOf(key)).toBe(tag);
      }
      const { shard } = keys;
      for (const key of [shard.due, shard.tenantsWithJobs, shard.workers, shard.swept, shard.bull])
        expect(tagOf(key)).toBe(tag);
    }),
    { seed: randomSeed },
  );
});

test("no key of a tenant is another's, nor the shard's, even where names look alike", () => {
  const keyspace = new Keyspace('baton', 1);
  const id = taskIdFromUuid('00000000-0000-4000-8000-000000000000');
  const names = ['a', 'a-t', 'task', 'key', 'keys', 'ready', 't', 's0', 'ops', 'project', 'pending'];
  const all = names.flatMap((one) => keysOf(keyspace.tenant(one), id, 'x'));
  const { base, ...others } = keyspace.shard(0);
  expect(base).toBe('baton:{s0}');
  const shared = [...all, ...Object.values(others), keyspace.topology, keyspace.tenants, keyspace.inbox('a')];
  expect(new Set(shared).size).toBe(shared.length);
});

test('different projects of a tenant have different keys, by any characters', () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      const keys = new Keyspace('baton', 1).tenant('acme');
      expect(keys.project(a) === keys.project(b)).toBe(a.toWellFormed() === b.toWellFormed());
      expect(keys.project(a)).toMatch(/^baton:\{s0\}:t:acme:project:[!-z|~]*$/);
    }),
    { seed: randomSeed },
  );
});

test('a task is found again from its place in a set', () => {
  fc.assert(
    fc.property(
      tenant,
      taskId,
      fc.integer({ min: 1, max: 65_535 }),
      fc.string(),
      (id, task, number, principal) => {
        expect(taskIdFromRef(taskRef(task))).toBe(task);
        expect(taskRef(task)).toMatch(/^[\w-]{19}$/);
        const keys = new Keyspace('baton', 4).tenant(id);
        expect(parseTaskTopic(keys.topic(task))).toEqual({ tenant: id, taskId: task });
        expect(parseIndexMember(`${taskRef(task)}.${number}|${principal}`)).toEqual({
          taskId: task,
          number,
          principal,
        });
        expect(parseIndexMember(`${taskRef(task)}|${principal}`)).toEqual({
          taskId: task,
          number: 0,
          principal,
        });
      },
    ),
    { seed: randomSeed },
  );
});

test('a tenant keeps its shard in every release, and tenants spread over all of them', () => {
  const keyspace = new Keyspace('baton', 16);
  expect(['acme', 'demo', 'a', 'tenant-1'].map((id) => keyspace.shardIndex(id))).toEqual(PINNED);
  const sizes = new Map<number, number>();
  for (let at = 0; at < 8_000; at++) {
    const shard = keyspace.shardIndex(`customer-${at}`);
    sizes.set(shard, (sizes.get(shard) ?? 0) + 1);
  }
  expect(sizes.size).toBe(16);
  for (const size of sizes.values()) expect(Math.abs(size - 500)).toBeLessThan(150);
});

/** FNV-1a of the names, modulo 16: to change one is to lose what is stored. */
const PINNED = [15, 6, 12, 11];
