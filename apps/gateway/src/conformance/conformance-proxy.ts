import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Store } from '@baton/store';
import { prepareConformanceTenant } from './conformance-tenant.ts';

export interface ConformanceProxy {
  readonly url: string;
  close(): void;
}

/**
 * Listens on 127.0.0.1 for the official conformance suite, which has no credentials: each request goes on to the gateway at `gatewayUrl` with a
 * key of a tenant that is there for it, and meets what any client's does. `port`: 0 takes a free one.
 * Errors: those of the tenant, and of the port.
 */
export async function startConformanceProxy(
  gatewayUrl: string,
  store: Store,
  port: number,
): Promise<ConformanceProxy> {
  const key = await prepareConformanceTenant(gatewayUrl, store);
  const server = createServer((request, response) => {
    // Without credentials, only the name keeps pages of other sites out (DNS rebinding).
    if (isLocal(request.headers.host)) forward(request, response, gatewayUrl, key);
    else response.writeHead(403).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isLocal(host = ''): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
}

function forward(request: IncomingMessage, response: ServerResponse, gatewayUrl: string, key: string): void {
  const { method, url, headers } = request;
  const forwarded = { ...headers, authorization: `Bearer ${key}` };
  const upstream = httpRequest(`${gatewayUrl}${url}`, { method, headers: forwarded }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
    reply.on('error', () => response.destroy());
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}
