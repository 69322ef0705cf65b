import { connect } from 'node:net';
import type { Attack } from '../../target/attack.ts';
import type { AttackedDeployment } from '../../target/attacked-deployment.ts';

/** A key that the rate refuses sends body after body: what is read of them costs others, and should cost the key. */
export const rateLimitedBodies: Attack = {
  name: 'bodies of refused calls',
  environment: { BATON_REFUSED_BYTES_PER_SECOND: '65536' },
  withoutGuard: [
    {
      file: 'program',
      from: 'await request.server.refusalCosts.charge(request, reply, error);\n  const { http, rpc }',
      to: 'const { http, rpc }',
    },
    {
      file: 'program',
      from: 'await request.server.refusalCosts.charge(request, reply, error);\n  return',
      to: 'return',
    },
  ],
  async run(target) {
    const { key } = await target.createKey(await target.createTenant({ requestsPerSecond: 1, burst: 1 }));
    let sent = 0;
    for (let n = 0; n < CALLS; n++) sent += (await sendBody(target, key)) ? BODY.length : 0;
    return sent > ALLOWED ? [`${sent} bytes of refused calls were read`] : [];
  },
};

const CALLS = 12;
const BODY = Buffer.from(
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_tasks","arguments":{"projectRoot":"${'x'.repeat(800_000)}"}}}`,
);
/** 32 s at the rate above, a call that was admitted, and what comes back meanwhile. */
const ALLOWED = 32 * 65_536 + 3 * BODY.length;

/** True when the body was read to its end before it was refused: the connection goes on. */
async function sendBody(target: AttackedDeployment, key: string): Promise<boolean> {
  const socket = connect({ port: Number(new URL(target.url()).port), host: '127.0.0.1' });
  const said: Buffer[] = [];
  const head = `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
  return new Promise((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve(false));
    socket.on('data', (chunk) => {
      said.push(chunk);
      const text = Buffer.concat(said).toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      resolve(!/^connection: close/im.test(text));
      socket.destroy();
    });
    socket.write(`${head}content-length: ${BODY.length}\r\n\r\n`);
    socket.write(BODY);
  });
}
