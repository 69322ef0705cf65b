import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NameServer } from '../../../harness/name-server.ts';
import { nameServerModule } from '../../../harness/use-name-server.ts';
import type { Attack } from '../../target/attack.ts';
import { callEndpoint } from './endpoint-role.ts';

/** Stands for the public internet, and for a network of the operator's own, which no call may reach. */
const PUBLIC = '127.0.0.7';
const INWARD = '127.0.0.8';
const DNS_PORT = 20_000 + Math.floor(Math.random() * 10_000);
const HOST = 'endpoint.test';

const environment = {
  BATON_EGRESS_ALLOW: `${PUBLIC}/32`,
  NODE_OPTIONS: `--import=${nameServerModule(`127.0.0.1:${DNS_PORT}`)}`,
};

/** A name that is public when it is checked leads inward when the call is made again (DNS rebinding). */
export const reboundNames: Attack = {
  name: 'names of endpoints that come to lead inward',
  environment,
  // A name that was checked once is not checked again.
  withoutGuard: [
    {
      file: 'program',
      from: 'if (!addresses.every(',
      to: 'const known = (this.known ??= new Set()).has(host); this.known.add(host); if (!known && !addresses.every(',
    },
  ],
  async run(target) {
    const names = await NameServer.start(() => [names.asked.length <= 1 ? PUBLIC : INWARD], DNS_PORT);
    // A connection that is kept would stay at the address that was checked.
    const servers = await Servers.start(() => ({ status: 503, headers: { connection: 'close' } }));
    try {
      const type = await callEndpoint(target, `http://${HOST}:${servers.port}/v1`);
      const gains = servers.gains();
      if (type !== 'address_refused') gains.push(`the call ended with ${type}`);
      if (servers.requests[PUBLIC] !== 1 || names.asked.length !== 2)
        gains.push(`${names.asked.length} look-ups for a call that was made twice`);
      return gains;
    } finally {
      names.stop();
      servers.stop();
    }
  },
};

/** An endpoint redirects the call, with its key, to an address of a network that calls may not reach. */
export const redirectsInward: Attack = {
  name: 'endpoints that redirect inward',
  environment,
  withoutGuard: [
    {
      file: 'program',
      from: /dispatcher: dispatcher\(\), redirect: ["']manual["']/,
      to: 'dispatcher: dispatcher(), redirect: "follow"',
    },
  ],
  async run(target) {
    const servers = await Servers.start((port) => ({
      status: 307,
      headers: { location: `http://${INWARD}:${port}/latest/meta-data` },
    }));
    try {
      await callEndpoint(target, `http://${PUBLIC}:${servers.port}/v1`);
      const gains = servers.gains();
      if (servers.requests[PUBLIC] === 0) gains.push('the endpoint was not called');
      return gains;
    } finally {
      servers.stop();
    }
  },
};

type PublicReply = (port: number) => { status: number; headers?: Record<string, string> };

/** A server at each of the two addresses, on one port. */
class Servers {
  readonly requests = { [PUBLIC]: 0, [INWARD]: 0 };
  private readonly servers: readonly Server[];
  port = 0;

  private constructor(reply: PublicReply) {
    this.servers = ([PUBLIC, INWARD] as const).map((address) =>
      createServer((_request, response) => {
        this.requests[address]++;
        const { status, headers } = address === PUBLIC ? reply(this.port) : { status: 200 };
        response.writeHead(status, headers).end('{}');
      }),
    );
  }

  static async start(reply: PublicReply): Promise<Servers> {
    const started = new Servers(reply);
    for (const [at, server] of started.servers.entries()) {
      server.listen(started.port, [PUBLIC, INWARD][at]);
      await once(server, 'listening');
      started.port = (server.address() as AddressInfo).port;
    }
    return started;
  }

  gains(): string[] {
    const inward = this.requests[INWARD];
    return inward === 0 ? [] : [`${inward} calls reached a network that is not allowed`];
  }

  stop(): void {
    for (const server of this.servers) server.close();
  }
}
