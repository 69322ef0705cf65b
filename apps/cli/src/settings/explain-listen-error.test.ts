import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { type ConfigurationError, readSettings } from './environment.ts';
import { explainListenError } from './explain-listen-error.ts';

/** The system's own error of a port or an address that cannot be had. */
async function listenError(port: number, host: string): Promise<unknown> {
  const [error] = await once(createServer().listen(port, host), 'error');
  return error;
}

test('a port that is taken is told by its setting, which ends with 78', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const error = await listenError(port, '127.0.0.1');
  for (const name of ['PORT', 'BATON_HEALTH_PORT']) {
    const told = explainListenError(error, readSettings({ [name]: String(port) })) as ConfigurationError;
    expect(told.message).toBe(`${name} is ${port}, and another process listens at it. Set another port.`);
    expect(told.exitCode).toBe(78);
  }
  holder.close();
});

test('an address that is none of this machine, or none at all, is told as HOST', async () => {
  const settings = readSettings({ HOST: '192.0.2.1' });
  const away = explainListenError(await listenError(0, '192.0.2.1'), settings) as Error;
  expect(away.message).toBe("HOST is '192.0.2.1', which is no address of this machine.");
  const unknown = { syscall: 'getaddrinfo', code: 'ENOTFOUND', hostname: '999.1.1.1' };
  const none = explainListenError(unknown, readSettings({ HOST: '999.1.1.1' })) as Error;
  expect(none.message).toContain("HOST is '999.1.1.1', which no name server knows");
  expect(explainListenError(unknown, readSettings({}))).toBe(unknown);
});
