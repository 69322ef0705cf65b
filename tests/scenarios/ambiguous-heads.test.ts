import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

const consoleFolder = mkdtempSync(join(tmpdir(), 'baton-console-'));
writeFileSync(join(consoleFolder, 'index.html'), '');

let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0, gateway: { consoleFolder } });
});
afterAll(async () => {
  await baton.stop();
  rmSync(consoleFolder, { recursive: true });
});

async function reply(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(baton.url()).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk))).on('error', () => {});
  socket.write(
    ['POST /v1/tools/get_tasks HTTP/1.1', ...lines, 'connection: close', '', '2\r\n{}\r\n0\r\n\r\n'].join(
      '\r\n',
    ),
  );
  await once(socket, 'close');
  return received;
}

const CHUNKED = 'transfer-encoding: chunked';
const JSON_BODY = 'content-type: application/json';

test('a request whose head can be read in two ways is refused with 400, and one that cannot is not', async () => {
  const key = `authorization: Bearer ${baton.apiKey}`;
  expect(await reply('host: a', JSON_BODY, key, CHUNKED)).toContain('"code":"project_not_found"');
  for (const [field, lines] of [
    ['Host', ['host: a', 'Host: b', key, CHUNKED]],
    ['Authorization', ['host: a', key, 'Authorization: Bearer other', CHUNKED]],
    ['Transfer-Encoding', ['host: a', key, 'transfer-encoding: gzip, chunked']],
    ['Transfer-Encoding', ['host: a', key, 'transfer-encoding: gzip', CHUNKED]],
  ] as const) {
    const said = await reply(JSON_BODY, ...lines);
    expect(said).toMatch(/^HTTP\/1\.1 400/);
    expect(said).toContain(`"field":"${field}"`);
  }
});

test('a file of the console that is not there is 404, and another method than its files take is 405', async () => {
  for (const [method, status] of [
    ['GET', 404],
    ['POST', 405],
  ] as const) {
    const response = await fetch(`${baton.url()}/console/foo.map`, { method });
    expect([method, response.status]).toEqual([method, status]);
  }
});
