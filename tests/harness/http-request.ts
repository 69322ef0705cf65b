import { Agent, request } from 'node:http';

/** `none`: there was no reply, so the request may have been carried out, or may yet be. */
export type HttpOutcome =
  | {
      readonly kind: 'reply';
      readonly status: number;
      /** The header `x-baton-replica`. */
      readonly replica: string | undefined;
      readonly body: unknown;
    }
  | { readonly kind: 'none'; readonly why: string };

const agent = new Agent({ keepAlive: true, maxSockets: 500 });

/** Sends one JSON request over a kept-alive connection; never throws, and gives up after `limitMs`. */
export function tryRequestJson(
  url: string,
  options: { method: string; token: string; body?: unknown; limitMs: number },
): Promise<HttpOutcome> {
  const text = options.body === undefined ? '' : JSON.stringify(options.body);
  const headers = {
    authorization: `Bearer ${options.token}`,
    ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve) => {
    const none = (why: string) => resolve({ kind: 'none', why });
    try {
      const sent = request(url, { method: options.method, agent, headers }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (part: string) => (received += part));
        response.on('error', (error) => none(error.message));
        response.on('end', () => {
          clearTimeout(timer);
          try {
            resolve({
              kind: 'reply',
              status: response.statusCode ?? 0,
              replica: response.headers['x-baton-replica']?.toString(),
              body: received === '' ? null : JSON.parse(received),
            });
          } catch {
            none(`a reply that is not JSON: ${received.slice(0, 100)}`);
          }
        });
      });
      const timer = setTimeout(() => sent.destroy(new Error('no reply in time')), options.limitMs);
      sent.on('error', (error) => {
        clearTimeout(timer);
        none(error.message || error.name);
      });
      sent.end(text);
    } catch (error) {
      none(String(error)); // an empty URL: the gateway is down
    }
  });
}
