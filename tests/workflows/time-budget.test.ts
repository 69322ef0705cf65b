import { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Docs: a step that has not begun 20 s after the run did is handed off. Time passes by the processes' own clock. */
test.each<[claim: string, ms: number, resources: string[], begins: boolean]>([
  ['begins 19 s after the run did is called', 19_000, ['baton://projects'], true],
  ['has not begun 20 s after the run did is handed off, and so is all behind it', 20_001, [], false],
  ['has not begun 20 s after the run did reads no resource', 20_001, ['baton://projects'], false],
])('a step that %s', async (_claim, ms, resources, begins) => {
  const fixture = await WorkflowFixture.start();
  const redis = new Redis(fixture.baton.redisUrl);
  const { keys } = fixture.baton.store.tenant('acme');
  await callTool(fixture.clients[0], 'add_task', { title: 'Dig', description: 'Dig.' });
  await fixture.put('slow', [
    { name: 'wait', tool: 'pending_interactions', arguments: { waitMs: 25_000 } },
    { name: 'tags', tool: 'add_tag', arguments: { name: 'late' }, resources },
    { name: 'tell', tool: 'list_tags', guidance: 'Tell the tags.' },
  ]);
  // The clock stands still, so that a slow machine changes nothing.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const running = fixture.run('slow');
  await vi.waitFor(async () => expect(await redis.hget(keys.tenant, 'watch')).toBeTruthy(), {
    timeout: 10_000,
    interval: 5,
  });
  now += ms;
  // What the first step waits for.
  await callTool(fixture.clients[1], 'bench_echo', { text: 'x' });
  const { status, texts, last } = await running;
  expect(texts.slice(2, 4).map((text) => text.split('\n')[0])).toEqual([
    "assistant: Calling tool 'pending_interactions' with parameters:",
    'user: Result:',
  ]);
  expect(status).toBe(begins ? 'completed' : 'working');
  if (resources.length > 0 && !begins)
    expect(last).toContain(
      "Step 2 ('tags') was not begun, since the resource baton://projects cannot be read: The time of this prompt was used up.",
    );
  else if (!begins)
    expect(last).toMatchInlineSnapshot(`
    "assistant: The time of this prompt was used up before step 2 ('tags'), of which nothing has run.

    To continue the workflow, make these tool calls:
    1. Call add_tag with {"name":"late"}
    2. Call list_tags with {}
       Note: Tell the tags."
  `);
  vi.restoreAllMocks();
  const { tags } = await callTool(fixture.clients[1], 'list_tags', {});
  expect(tags.some(({ name }: { name: string }) => name === 'late')).toBe(begins);
  redis.disconnect();
  await fixture.stop();
});
