import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NameReply, NameServer } from '../harness/name-server.ts';
import { nameServerModule } from '../harness/use-name-server.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** Endpoints whose host is a name, with name servers that answer this or that. */
let fixture: ProviderFixture;
let names: NameServer;
let reply: (name: string, time: number) => NameReply = () => 'no such name';

beforeAll(async () => {
  names = await NameServer.start((name) => reply(name, countAsked(name)));
  await import(/* @vite-ignore */ nameServerModule(names.address));
  fixture = await ProviderFixture.start({ workers: 1 });
});
afterAll(async () => {
  names?.stop();
  await fixture?.stop();
});

const countAsked = (name: string) => names.asked.filter((one) => one === name).length;
const routeTo = (host: string) =>
  fixture.route({ baseUrl: fixture.llm.url.replace('127.0.0.1', host), timeoutMs: 5_000 });

test('a name that no name server knows is looked up once, and the next route is asked', async () => {
  reply = () => 'no such name';
  await fixture.putRole('main', { routes: [routeTo('nowhere.test')] });
  const failed = await fixture.call('bench_echo', { text: 'nowhere' });
  expect(failed.error).toMatchObject({
    code: 'agent_error',
    errorDetails: { type: 'host_not_found', message: expect.stringContaining('nowhere.test') },
  });
  expect(countAsked('nowhere.test')).toBe(1);
  await fixture.putRole('main', { routes: [routeTo('nowhere.test'), fixture.route()] });
  expect(await fixture.call('bench_echo', { text: 'second route' })).toMatchObject({ status: 'completed' });
});

test('name servers that give no answer are a failure that may pass: the call is made again', async () => {
  reply = (name, time) => (time <= 2 ? 'server failure' : ['127.0.0.1']);
  await fixture.putRole('main', { routes: [routeTo('flaky.test')] });
  expect(await fixture.call('bench_echo', { text: 'flaky' })).toMatchObject({ status: 'completed' });
  expect(fixture.llm.countCalls('flaky')).toBe(1);
});

test('a name is looked up once for a call, and what was checked is what is dialled', async () => {
  reply = () => ['127.0.0.1'];
  await fixture.putRole('main', { routes: [routeTo('steady.test')] });
  expect(await fixture.call('bench_echo', { text: 'steady' })).toMatchObject({ status: 'completed' });
  expect(countAsked('steady.test')).toBe(1);
});
