import { Redis } from 'ioredis';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../harness/in-process-deployment.ts';
import { ConsoleFixture } from './console-fixture.ts';

/** What is seen first: by whoever has a key, and by the operator. */
let fixture: ConsoleFixture;
let page: Page;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  await fixture.call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
  page = await fixture.open(await fixture.baton.createKey({ scopes: ['agent'] }));
});
afterAll(() => fixture?.stop());

const addTask = (prompt: string) => fixture.call('add_task', { prompt, projectRoot: 'shop' });

test('the first page has what waits by age and what failed, and follows both', async () => {
  await page.getByText('Nothing waits.').waitFor();
  const { interactionId } = await addTask('Fit a lock');
  await page.getByRole('link', { name: /Fit a lock/ }).waitFor();
  const [youngest] = await page
    .getByRole('list', { name: 'Waiting by age' })
    .getByRole('listitem')
    .allInnerTexts();
  expect(youngest?.split('\n').filter(Boolean)).toEqual(['under a minute', '1']);
  await page.getByText('Nothing has failed.').waitFor();
  await fixture.call('agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'error', errorDetails: { message: 'no model' } },
  });
  await page.getByText('Nothing waits.').waitFor();
  await page.getByRole('link', { name: 'add_task' }).waitFor();
  const chart = page.getByRole('figure');
  await chart.filter({ hasText: /1 answered,\s+0 expired,\s+1 failed/ }).waitFor();
  await chart.locator('canvas').waitFor();
  const isDrawn = await page.evaluate(`(() => {
    const canvas = document.querySelector('figure canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value !== 0);
  })()`);
  expect(isDrawn).toBe(true);
});

test('the operator sees which processes live, what the queues hold and what is wrong with Redis', async () => {
  const operators = await fixture.open(OPERATOR_TOKEN);
  await operators.getByText('worker-0').waitFor();
  expect(await operators.getByText(/gateway-0, gateway-1/).count()).toBe(1);
  await operators.getByText('Queue resume').waitFor();
  await operators.getByText('No job has failed for good.').waitFor();
  const redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
  await redis.config('SET', 'appendonly', 'no');
  await operators.getByText(/Redis keeps no append-only file/).waitFor();
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', Math.round(used / 0.91));
  await operators.getByText(/^Redis refuses new calls .*reserve of memory is left/).waitFor();
  await redis.config('SET', 'maxmemory', 0);
  redis.disconnect();
  expect(await fixture.findVisibleFaults(operators, 'system')).toEqual([]);
  await operators.close();
});

test('axe finds nothing serious on the overview', async () => {
  await addTask('Fit a window');
  await page.getByRole('link', { name: /Fit a window/ }).waitFor();
  expect(await fixture.findVisibleFaults(page, 'overview')).toEqual([]);
});
