import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { runBaton } from './run-baton.ts';

/** The built command at an address where something else than Baton answers, or a Baton that means ill. */
const folder = createTemporaryFolder('strange-gateways');
let answer: RequestListener;
let url = '';
const server = createServer((request, response) => answer(request, response));
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const baton = (...args: readonly string[]) =>
  runBaton(args, { cwd: folder, environment: { BATON_URL: url, BATON_API_KEY: 'k' } });
const replyJson =
  (body: unknown): RequestListener =>
  (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

test.each<[string, object, readonly string[]]>([
  ['tasks', { tasks: [], nextCursor: 'c' }, ['tasks']],
  ['workflows', { workflows: [], nextCursor: 'c' }, ['workflows', 'list']],
  ['retried tasks', { dryRun: true, tasks: [], nextCursor: 'c' }, ['retry', '--all', '--dry-run']],
])('a list of %s whose cursor comes again is never read for ever', async (_what, page, args) => {
  let asked = 0;
  answer = (request, response) => {
    asked++;
    replyJson(page)(request, response);
  };
  const { code, said, complaints } = await baton(...args);
  expect([code, said]).toEqual([69, '']);
  expect(complaints).toMatch(
    new RegExp(
      `^baton: What answers at ${url}/v1/\\S+ is no Baton: a page names a cursor that came before\\.\n$`,
    ),
  );
  expect(asked).toBe(2);
});

test.each([
  ['tasks', '134217728'],
  ['doctor', '65536'],
])('a reply without an end is never read for ever: baton %s', async (command, most) => {
  answer = (_request, response) => {
    const write = () => {
      while (response.write('['.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  };
  const { code, said, complaints } = await baton(command);
  expect(code).toBe(69);
  expect(said + complaints).toContain(`The reply is longer than ${most} bytes.`);
});

const commands = [
  ['tasks'],
  ['pending'],
  ['keys', 'list', '--tenant', 'acme'],
  ['projects', 'list'],
  ['tenants', 'list'],
  ['workflows', 'list'],
  ['agents', 'list'],
  ['agents', 'show', 'a'],
  ['usage'],
  ['prices', 'show'],
  ['answer', 'i', '{}'],
];
test.each(commands.map((args) => [args.join(' '), args] as const))(
  'a reply that is no reply of Baton is told in a line, without a stack trace: baton %s',
  async (_name, args) => {
    const items = Object.fromEntries(
      ['tasks', 'interactions', 'keys', 'projects', 'tenants', 'workflows', 'agents', 'rows'].map((name) => [
        name,
        [null],
      ]),
    );
    for (const [status, body] of [
      [200, {}],
      [200, []],
      [200, { ...items, models: { m: null }, total: null }],
      [404, { error: 'no' }],
    ] as const) {
      answer = (request, response) => {
        response.statusCode = status;
        replyJson(body)(request, response);
      };
      const { code, said, complaints } = await runBaton(args, {
        cwd: folder,
        environment: { BATON_URL: url, BATON_API_KEY: 'k', BATON_OPERATOR_TOKEN: 't' },
      });
      const what = `${status} ${JSON.stringify(body)}: ${said}${complaints}`;
      expect(complaints, what).toMatch(
        new RegExp(`^baton: What answers at ${url}/v1/\\S+ is no Baton: .*another form.*\\n$`),
      );
      expect([code, said], what).toEqual([69, '']);
    }
  },
);
