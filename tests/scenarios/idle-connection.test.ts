import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

test('an idle connection never delays the drain of a gateway', async () => {
  const baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
  const silent = connect(Number(new URL(baton.url()).port), '127.0.0.1');
  silent.on('error', () => {});
  await once(silent, 'connect');
  const closed = once(silent, 'close');
  const begun = performance.now();
  await baton.stop();
  await closed;
  // Its limit is 9 s here.
  expect(performance.now() - begun).toBeLessThan(5_000);
});
