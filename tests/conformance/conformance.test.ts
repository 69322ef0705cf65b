import { afterAll, beforeAll, expect, test } from 'vitest';
import { BatonProcess, GATEWAY_READY_LINE } from '../processes/baton-process.ts';
import { ConformanceDeployment } from './conformance-deployment.ts';
import { RUNS, runSuite } from './conformance-suite.ts';

/** The official conformance suite, all that it requires, against two replicas without affinity. */
let deployment: ConformanceDeployment;
beforeAll(async () => {
  deployment = await ConformanceDeployment.start();
}, 60_000);
afterAll(async () => deployment?.stop());

// Some checks of the suite give a reply half a second, which a busy machine may take: each run has a second try.
test.each(RUNS.map((run) => [run.join(' '), run] as const))(
  '%s',
  { timeout: 300_000, retry: 1 },
  async (_, run) => {
    const { holds, output } = await runSuite(deployment.url, run);
    expect(holds, output).toBe(true);
  },
);

test.each(['evil.example.com', '127.0.0.1.evil.example.com'])(
  'its port refuses the host "%s"',
  async (host) => {
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const sent = request(deployment.url, { method: 'POST', headers: { host } }, (reply) => {
        resolve(reply.statusCode);
        reply.resume();
      });
      sent.on('error', reject).end('{}');
    });
    expect(status).toBe(403);
  },
);

test('it is refused in production', async () => {
  const environment = {
    NODE_ENV: 'production',
    REDIS_URL: 'redis://127.0.0.1:1',
    BATON_SECRET: 'conformance-secret-of-32-characters',
    BATON_CONFORMANCE_PORT: '8099',
  };
  await expect(BatonProcess.start('gateway', environment, GATEWAY_READY_LINE)).rejects.toThrow(
    /BATON_CONFORMANCE_PORT=8099: lets everyone in without a key/,
  );
});
