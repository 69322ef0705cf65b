import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import { createWorkerShards } from '@baton/store/shards';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';

/**
 * Records of earlier layouts, one file each in tests/fixtures/old-records: a release that changes what it stores adds the records
 * of the one before. Each must open: its task ends, its projects are read and changed, and its limits are there.
 */
const FOLDER = new URL('../fixtures/old-records/', import.meta.url);

type Stored = { readonly hash: Record<string, string> } | { readonly zset: Record<string, string> };

let baton: InProcessDeployment;
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ writesKeys: true });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

async function load(file: string, ref: string): Promise<void> {
  const now = Date.now();
  const text = readFileSync(new URL(file, FOLDER), 'utf8')
    .replaceAll('<t>', 'baton:{s0}:t:old')
    .replaceAll('<ref>', ref)
    .replaceAll('<now>', String(now))
    .replaceAll('<later>', String(now + 3_600_000));
  const { records } = JSON.parse(text) as { records: Record<string, Stored> };
  for (const [key, stored] of Object.entries(records)) {
    if ('hash' in stored) await redis.hset(key, stored.hash);
    else for (const [member, score] of Object.entries(stored.zset)) await redis.zadd(key, score, member);
  }
  await redis.zadd('baton:{ops}:tenants', 0, 'old');
}

test.each(readdirSync(FOLDER))(
  'records of %s open: limits have their defaults, and counts begin',
  async (file) => {
    const taskId = taskIdFromUuid(randomUUID());
    await load(file, baton.store.tenant('old').keys.taskNames(taskId).ref);
    const client = await connectMcpClient(baton.url(), await baton.createKey({ principal: 'ann' }, 'old'));
    const call = (name: string, args: object) => callTool(client, name, args);

    const shown = await fetch(`${baton.url()}/v1/tenants/old`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    expect((await shown.json()) as object).toMatchObject({
      limits: { delegatedRequestBytes: 262_144, storedBytes: 268_435_456, projects: 100 },
    });
    const interactionId = formatInteractionId(taskId, 1);
    const answered = await call('agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ value: 'yes' }),
      waitMs: 10_000,
    });
    expect(answered.outcome).toMatchObject({ status: 'completed' });
    expect((await call('add_tag', { projectRoot: 'shop', name: 'later' })).error).toBeUndefined();
    expect((await call('bench_echo', { text: 'new' })).status).toBe('pending_agent_llm_action');

    // The next round of the recount counts what nothing has counted.
    await redis.del('baton:{s0}:recount');
    const [shard] = createWorkerShards(baton.store);
    while (await shard?.recountStored());
    const { keys } = baton.store.tenant('old');
    expect(Number(await redis.hget(keys.task(taskId), 'by'))).not.toBe(0);
    expect(await redis.zcard(keys.retained)).toBe(1);
    expect(Number(await redis.hget(keys.record, 'stored'))).toBeGreaterThan(1_000);
    expect((await call('delete_project', { projectRoot: 'shop' })).deleted).toBe(true);
  },
);
