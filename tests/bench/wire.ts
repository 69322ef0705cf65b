import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** One POST (or PUT) of JSON, on connections that stay; what it was answered, which must be a 200. */
export function post(url: string, key: string, body: object, method = 'POST'): Promise<string> {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(text),
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      let said = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (said += part));
      response.on('end', () =>
        response.statusCode === 200 ? resolve(said) : reject(new Error(`${response.statusCode}: ${said}`)),
      );
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** A tool call as it stands on the wire; gives the reply's text. */
export function callTool(url: string, key: string, name: string, args: object, id = 1): Promise<string> {
  return post(`${url}/mcp`, key, {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
}

/** Lets go of the connections, so that the process can end. */
export function hangUp(): void {
  agent.destroy();
}
