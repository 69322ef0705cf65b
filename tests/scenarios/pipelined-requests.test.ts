import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
});
afterAll(() => baton.stop());

test('of 12 calls that are pipelined on one connection each that took effect is replied to, and the next is refused', async () => {
  const requests = Array.from({ length: 12 }, (_, at) => {
    const body = JSON.stringify({ projectRoot: 'piped', title: `Task ${at}`, description: 'x' });
    const head = [
      'POST /v1/tools/add_task HTTP/1.1',
      'host: baton',
      `authorization: Bearer ${baton.apiKey}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  });
  const socket = connect(Number(new URL(baton.url()).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk))).on('error', () => {});
  socket.write(requests.join(''));
  await once(socket, 'close');

  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), 429]);
  expect(received).toMatch(/"code":"limit_connections"/);
  const listed = await fetch(`${baton.url()}/v1/tools/get_tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ projectRoot: 'piped' }),
  });
  const said = JSON.stringify(await listed.json());
  const titles = Array.from({ length: 12 }, (_, at) => `Task ${at}`);
  expect(titles.filter((title) => said.includes(`"title":"${title}"`))).toEqual(titles.slice(0, 8));
});
