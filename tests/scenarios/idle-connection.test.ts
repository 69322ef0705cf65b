import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

test('an idle connection never delays the drain of a gateway', async () => {
  const baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    // Whoever waited for it would wait longer than the test lasts.
    gateway: { drainMs: 600_000 },
  });
  const silent = connect(Number(new URL(baton.url()).port), '127.0.0.1');
  silent.on('error', () => {});
  await once(silent, 'connect');
  const closed = once(silent, 'close');
  await baton.stop();
  await closed;
});
