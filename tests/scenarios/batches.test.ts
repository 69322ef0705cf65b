import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';

/** Batches of revision 2025-03-26: several requests in one body share one response of HTTP. */
const MCP = { accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const tool = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args });

describe('batches', () => {
  let baton: InProcessDeployment;
  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
  });
  afterAll(() => baton?.stop());
  const send = (body: unknown, headers: Record<string, string>, key: string) =>
    postJsonRpc(baton.url(), key, body, headers);

  test('counts every message of a batch against the rate limit', async () => {
    const few = await baton.addTenant('batch', { requestsPerSecond: 1, burst: 3 });
    expect(
      (
        await send(
          [1, 2].map((id) => rpc('ping', {}, id)),
          MCP,
          few,
        )
      ).status,
    ).toBe(200);
    expect(
      (
        await send(
          [1, 2, 3].map((id) => rpc('ping', {}, id)),
          MCP,
          few,
        )
      ).status,
    ).toBe(429);
  });

  test('a batch whose calls are all refused alike has their status, challenge and Retry-After; another has 200, and the codes in each error', async () => {
    const echo = (id: number) => ({ ...tool('bench_echo', { text: 'x' }), id });
    const agent = await baton.createKey({ scopes: ['agent'] });
    const challenged = await send([echo(1), echo(2)], MCP, agent);
    expect(challenged.status).toBe(403);
    expect(challenged.headers.get('www-authenticate')).toContain('scope="mcp"');
    const errors = JSON.parse(challenged.text) as AnyJson[];
    expect(new Set(errors.map(({ id, error }) => `${id} ${error.data.code}`))).toEqual(
      new Set(['1 insufficient_scope', '2 insufficient_scope']),
    );

    const full = await baton.addTenant('full', { pendingInteractions: 1 });
    const codesOf = (text: string) =>
      (JSON.parse(text) as AnyJson[]).map((message) => message.error?.data?.code);
    const halfRefused = await send([echo(1), echo(2)], MCP, full);
    expect([halfRefused.status, new Set(codesOf(halfRefused.text))]).toEqual([
      200,
      new Set(['limit_pending', undefined]),
    ]);
    const notified = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const refused = await send([echo(1), notified, echo(2)], MCP, full);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 1]);
    const beside = await send([echo(1), { ...tool('no_such_tool'), id: 2 }], MCP, full);
    expect([beside.status, codesOf(beside.text)]).toEqual([200, expect.arrayContaining(['limit_pending'])]);
  });

  test('what is no message in a batch is refused by itself, and the others are answered', async () => {
    const key = await baton.addTenant('mixed');
    const invalid = [7, { jsonrpc: '2.0', id: 'x', method: 'ping', params: 'none' }, [rpc('ping')]];
    const mixed = await send([rpc('ping', {}, 1), ...invalid, rpc('ping', {}, 2)], MCP, key);
    expect(mixed.status).toBe(200);
    const said = (JSON.parse(mixed.text) as AnyJson[]).map(({ id, result, error }) => [
      id,
      result ?? error.code,
    ]);
    expect(said).toHaveLength(5);
    const wanted = [
      [null, -32600],
      ['x', -32602],
      [null, -32600],
      [1, {}],
      [2, {}],
    ];
    expect(said).toEqual(expect.arrayContaining(wanted));

    const notified = { jsonrpc: '2.0', method: 'notifications/initialized' };
    for (const batch of [invalid, [notified, ...invalid]]) {
      const refused = await send(batch, MCP, key);
      expect(refused.status).toBe(400);
      expect(JSON.parse(refused.text)).toHaveLength(3);
    }
    const begun = await send([rpc('initialize'), rpc('ping', {}, 2)], MCP, key);
    expect([begun.status, JSON.parse(begun.text).error.code]).toEqual([400, -32600]);
  });

  test('once the replies of a batch hold 4 MiB, the requests behind them are refused and never run', async () => {
    const key = await baton.addTenant('large');
    const lists = Array.from({ length: 90 }, (_, id) => rpc('tools/list', {}, id));
    const last = { ...tool('add_tag', { projectRoot: 'p', name: 'never' }), id: 'last' };
    const { status, text } = await send([...lists, last], { ...MCP, 'baton-tools': 'all' }, key);
    expect(status).toBe(200);
    const replies = JSON.parse(text) as AnyJson[];
    expect(replies.map(({ id }) => id)).toEqual([...lists.map(({ id }) => id), 'last']);
    const answered = replies.findIndex(({ error }) => error !== undefined);
    expect(text.length).toBeLessThan(5.5 * 2 ** 20);
    expect(JSON.stringify(replies.slice(0, answered)).length).toBeGreaterThan(4 * 2 ** 20);
    for (const { error } of replies.slice(answered))
      expect(error.data).toMatchObject({ code: 'limit_size', limit: 'batchReply', most: 4 * 2 ** 20 });
    const tags = await send(tool('list_tags', { projectRoot: 'p' }), MCP, key);
    expect(tags.text).not.toContain('never');
  });
});
