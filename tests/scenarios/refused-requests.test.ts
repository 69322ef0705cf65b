import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { createLogger } from '@baton/gateway';
import { parseApiKey } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';

/** Whoever is refused pays for it: by bytes, by address and by key. Each test has an address of its own. */
const PER_SECOND = 131_072;
const ALLOWANCE = 32 * PER_SECOND;
const LARGE = 1_000_000;
const SLOW = { requestsPerSecond: 0.001, burst: 1 };

const lines = new PassThrough();
let logged = '';
lines.on('data', (chunk) => (logged += String(chunk)));

let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 1,
    gateway: { trustProxy: true },
    edgeLimits: { refusedBytesPerSecond: PER_SECOND, wrongCredentialsPerSecond: 1 },
    log: createLogger('warn', {}, lines),
  });
});
afterAll(() => baton.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });
const tool = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const padded = (body: object, bytes = LARGE) => JSON.stringify(body).padEnd(bytes);

async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const shown = await (await fetch(`${baton.url()}/metrics`, { headers })).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(shown)?.[1] ?? Number.NaN);
}

/** Writes a request over a connection of its own, as fast as it is read; returns how much was, and what was said. */
async function push(
  head: Record<string, string>,
  body: Buffer,
  path = '/mcp',
): Promise<{ sent: number; said: string }> {
  const socket = connect({ port: Number(new URL(baton.url()).port), host: '127.0.0.1' });
  const said: Buffer[] = [];
  socket.on('data', (chunk) => said.push(chunk)).on('error', () => {});
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: baton\r\ncontent-type: application/json\r\n${lines.join('')}\r\n`,
  );
  // Piece by piece as the system takes them: what waits here was not sent.
  Readable.from(piecesOf(body)).pipe(socket, { end: false });
  await new Promise((resolve) => socket.once('close', resolve));
  return { sent: socket.bytesWritten, said: Buffer.concat(said).toString() };
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += 65_536) yield body.subarray(from, from + 65_536);
}

test('large calls that the rate refuses are read within an allowance, then refused unread and closed; answers of others are taken', async () => {
  const refused = await baton.addTenant('refused', SLOW);
  const other = await baton.addTenant('other', { requestsPerSecond: 0.001, burst: 2 });
  const address = from('192.0.2.1');
  const pending = await postJsonRpc(baton.url(), other, tool('bench_echo', { text: 'x' }), address);
  expect((await postJsonRpc(baton.url(), refused, tool('get_tasks'), address)).status).toBe(200);

  for (let n = 0; n < Math.floor(ALLOWANCE / LARGE); n++) {
    const { status, headers } = await postJsonRpc(baton.url(), refused, padded(tool('get_tasks')), address);
    expect([status, headers.get('connection')]).toEqual([429, 'keep-alive']);
  }

  // Spent: not a byte of a call is needed for its refusal, where one within the allowance might have been an answer.
  const head = { authorization: `Bearer ${refused}`, ...address, 'content-length': String(LARGE) };
  for (let n = 0; n < 2; n++) {
    const { said } = await push(head, Buffer.from('{'));
    expect(said).toMatch(/^HTTP\/1.1 429 [^]*connection: close[^]*limit_rate/i);
  }

  // The same address, another key: its large answer is taken as ever.
  const { interactionId } = pending.body.result.structuredContent;
  const answer = tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'y' }) });
  const { status, headers, body } = await postJsonRpc(baton.url(), other, padded(answer), address);
  expect([status, headers.get('connection')]).toEqual([200, 'keep-alive']);
  expect(body.result.structuredContent.outcome.status).toBe('completed');
});

test('refused requests never spend the allowance of the key that they name', async () => {
  const victim = await baton.addTenant('named', SLOW);
  const { tenant, id } = parseApiKey(victim)!;
  const forged = forge(`bt_${tenant}_${id}_${'x'.repeat(32)}`);
  const body = Buffer.alloc(LARGE);
  for (let n = 0; n < 5; n++) {
    const head = { authorization: `Bearer ${forged}`, ...from('192.0.2.2'), 'content-length': String(LARGE) };
    expect((await push({ ...head, connection: 'close' }, body)).said).toMatch(/^(HTTP\/1.1 401|$)/);
  }
  const address = from('192.0.2.3');
  const asked = await postJsonRpc(baton.url(), victim, tool('bench_echo', { text: 'x' }), address);
  const { interactionId } = asked.body.result.structuredContent;
  const answer = tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'y' }) });
  expect((await postJsonRpc(baton.url(), victim, padded(answer), address)).status).toBe(200);
});

test.each(['/mcp', '/v1/tools/get_tasks'])(
  "a chunked body is cut off at its tenant's requestBytes: %s",
  async (path) => {
    const key = await baton.addTenant(`chunked${path.length}`, { requestBytes: 100_000 });
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`);
    const body = Buffer.concat(Array.from({ length: 60 }, () => chunk));
    const head = { authorization: `Bearer ${key}`, ...from('192.0.2.4') };
    const reply = await fetch(`${baton.url()}${path}`, {
      method: 'POST',
      headers: { ...head, 'content-type': 'application/json' },
      body: new Blob([Buffer.alloc(200_000, ' ')]).stream(),
      duplex: 'half',
    } as RequestInit);
    const problem = (await reply.json()) as { error?: { data: object } };
    expect([reply.status, problem.error?.data ?? problem]).toMatchObject([
      413,
      { code: 'limit_size', limit: 'requestBytes', most: 100_000 },
    ]);
    // Its bytes are not kept: the refusal says how many had come when it was cut off.
    const chunked = { ...head, ...from('192.0.2.5'), 'transfer-encoding': 'chunked' };
    const { said } = await push(chunked, body, '/mcp');
    const [, bytes] = /"bytes":(\d+)/.exec(said) ?? [];
    expect(Number(bytes)).toBeLessThanOrEqual(100_000 + 65_536);
  },
);

test('a refused body is drained within the allowance of its address, and not beyond it', async () => {
  const drained = 2_000_000;
  const whole = { ...from('192.0.2.6'), 'content-length': String(drained) };
  const { said } = await push({ ...whole, connection: 'close' }, Buffer.alloc(drained));
  expect(said).toMatch(/^HTTP\/1.1 401[^]*unauthenticated/);
  const before = await metric('baton_slowed_refusals_total');
  const endless = { ...from('192.0.2.6'), 'content-length': String(1_000_000_000) };
  const bytes = 64 * 1_048_576;
  // What it has drained is charged: the allowance comes back by 128 KiB a second, and a body that takes more is the first that is held back.
  const isHeldBack = async () => {
    expect((await push(endless, Buffer.alloc(bytes))).sent).toBeLessThan(bytes);
    return (await metric('baton_slowed_refusals_total')) > before;
  };
  await expect.poll(isHeldBack, { timeout: 60_000 }).toBe(true);
}, 90_000);

test('wrong credentials are counted, logged once without their secret, slowed and closed, and never slow a good one', async () => {
  const address = '2001:db8:7:7::1';
  const { tenant, id } = parseApiKey(baton.apiKey)!;
  const guess = forge(`bt_${tenant}_${id}_${'g'.repeat(32)}`);
  const before = {
    wrong: await metric('baton_wrong_credentials_total'),
    slowed: await metric('baton_slowed_refusals_total'),
  };
  // Half of them are of the operator's kind; all addresses of the /64 are one.
  const tries = Array.from({ length: 24 }, (_, n) => ({
    token: n % 2 === 0 ? guess : `guessed-operator-token-${n}`,
    headers: from(`2001:db8:7:7::${n.toString(16)}`),
  }));
  const replies = await Promise.all(
    tries.map(({ token, headers }) => postJsonRpc(baton.url(), token, tool('get_tasks'), headers)),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  const closed = replies.filter(({ headers }) => headers.get('connection') === 'close').length;
  expect(closed, '20 of them are free').toBe(4);
  expect(await metric('baton_wrong_credentials_total')).toBe(before.wrong + 24);
  expect(await metric('baton_slowed_refusals_total')).toBe(before.slowed + 4);

  const good = [baton.apiKey, OPERATOR_TOKEN].map(async (key) => {
    const headers = { authorization: `Bearer ${key}`, ...from(address) };
    const path = key === OPERATOR_TOKEN ? '/v1/tenants' : '/v1/tasks';
    const { status, headers: said } = await fetch(`${baton.url()}${path}`, { headers });
    return [status, said.get('connection')];
  });
  expect(await Promise.all(good)).toEqual([
    [200, 'keep-alive'],
    [200, 'keep-alive'],
  ]);
  expect(await metric('baton_slowed_refusals_total'), 'nothing good was slowed').toBe(before.slowed + 4);

  const about = logged.split('\n').filter((line) => line.includes('2001:db8:7:7::/64'));
  expect(about).toHaveLength(1);
  expect(about[0]).toContain('"msg":"wrong credentials"');
  expect(logged).not.toContain('gggggggg');
  expect(logged).not.toContain('guessed-operator-token');
});

test('a missing credential is no guess', async () => {
  const wrong = await metric('baton_wrong_credentials_total');
  expect((await fetch(`${baton.url()}/v1/tasks`, { headers: from('192.0.2.9') })).status).toBe(401);
  expect(await metric('baton_wrong_credentials_total')).toBe(wrong);
});

test('a path that cannot be decoded and one that does not exist are refused like any other', async () => {
  for (const path of ['/%zz', '/nothing']) {
    const reply = await fetch(`${baton.url()}${path}`, { headers: from('192.0.2.10') });
    expect([path, reply.status < 500 && reply.status >= 400]).toEqual([path, true]);
  }
});

test('what refusals cost is no call to Redis', async () => {
  const monitor = await RedisMonitor.open(baton.redisUrl);
  for (let n = 0; n < 5; n++)
    await postJsonRpc(baton.url(), 'nonsense', tool('get_tasks'), from('192.0.2.11'));
  const commands = (await monitor.commands()).filter((command) => command.includes(':key:'));
  monitor.close();
  expect(commands).toEqual([]);
});

/** A key with a right checksum. */
function forge(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return text + ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
