import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { text } from 'node:stream/consumers';

/** A span as OTLP's JSON has it, with its attributes as an object and who sent it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly service: string;
  readonly instance: string;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

/** Takes traces as a collector does: OTLP over HTTP, in JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly url: string;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const body = JSON.parse(await text(request));
      if (request.url === '/v1/traces') this.take(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OtlpReceiver(server);
  }

  /** The spans about a task, once there are so many of them. */
  async spansOf(taskId: string, count: number): Promise<ReceivedSpan[]> {
    const found = () => this.spans.filter(({ attributes }) => attributes['baton.task.id'] === taskId);
    await waitUntilOrThrow(`${count} spans of ${taskId} have come`, 20_000, async () =>
      Promise.resolve(found().length >= count),
    );
    return found();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take({ resourceSpans }: { resourceSpans: readonly ResourceSpans[] }): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const { 'service.name': service, 'service.instance.id': instance } = objectOf(resource.attributes);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const attributes = objectOf(span.attributes);
        this.spans.push({ ...span, attributes, service: String(service), instance: String(instance) });
      }
    }
  }
}

interface ResourceSpans {
  readonly resource: { readonly attributes: Attributes };
  readonly scopeSpans: readonly {
    readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & { readonly attributes: Attributes })[];
  }[];
}

function objectOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
