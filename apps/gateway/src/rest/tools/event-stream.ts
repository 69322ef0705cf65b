import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Scope } from '@baton/protocol';
import {
  admitCaller,
  edgeAdmittedAccess,
  withAdminReadScope,
  withAdminReadScopeOfKey,
} from '../../call/access.ts';
import type { Services } from '../../call/call.ts';
import { credentialOf } from '../../edge/credential.ts';
import { requireStreamAccepted } from '../../edge/streams/accept-header.ts';
import { sseEvent } from '../../edge/streams/sse.ts';
import { readResource } from '../../resources/read-resource.ts';
import type { Notification } from '../../subscriptions/notification-writer.ts';
import type { StreamRegistry } from '../../subscriptions/stream-registry.ts';
import { keyHolder, operatorHolder } from '../../subscriptions/stream-holder.ts';
import { requestSource } from '../../subscriptions/stream-source.ts';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { restCallOf } from '../admission/rest-call.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { withProblems } from './rpc-problems.ts';

const SEE: readonly Scope[] = ['mcp', 'agent', 'admin'];

/** As many as a session of MCP subscribes to. */
const MAX_RESOURCES = 100;

const uri = z.string().min(1).max(4_096);
const query = z.strictObject({
  resource: z
    .union([uri, z.array(uri).max(MAX_RESOURCES)])
    .optional()
    .describe(`URI of a resource whose changes are told; may be given ${MAX_RESOURCES} times`),
});

/**
 * `GET /events`: what the stream of an MCP session tells, for programs without one. It is subscribed to what its address names, tells
 * all of it when it opens, and so misses nothing however often it is opened again, at whichever replica.
 */
export async function eventRoutes(
  app: FastifyInstance,
  {
    services,
    streams,
    routeScope,
  }: { services: Services; streams: StreamRegistry; routeScope: TenantRouteBase },
): Promise<void> {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/events',
    {
      // A stream has no end that a HEAD could wait for.
      exposeHeadRoute: false,
      config: {
        access: routeScope.access(SEE),
        problems: [404, 406, 409, 410],
      },
      schema: {
        operationId: routeScope.operationId('streamEvents'),
        tags: ['events'],
        summary: 'A stream of changes of resources, and of the lists of resources, tools and prompts',
        params: routeScope.params({}),
        querystring: query,
        response: {
          200: {
            description:
              'Server-sent events: resources/updated with {"uri"}; resources/list_changed, tools/list_changed and prompts/list_changed with {}',
            content: { 'text/event-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      requireStreamAccepted(request);
      const call = restCallOf(services, request, reply);
      const uris = [...new Set([request.query.resource ?? []].flat())];
      const identity = await tenantRequestOf(request).admit();
      for (const [at, one] of uris.entries()) {
        // Each costs what it costs a session to subscribe to it.
        const own = at === 0 ? call : { ...call, caller: call.caller.forFurtherCall() };
        await withProblems(async () => {
          const caller = withAdminReadScope(await admitCaller(own, edgeAdmittedAccess(SEE)));
          return readResource(one, { ...own, identity: caller });
        });
      }
      const shown = credentialOf(request);
      const holder =
        shown.kind === 'operator'
          ? operatorHolder(identity)
          : keyHolder(call.tenant, shown.key, SEE, withAdminReadScopeOfKey);
      const by = { call, holder, identity };
      return streams.open(requestSource(uris), by, reply, { encode: eventOf });
    },
  );
}

function eventOf({ method, params }: Notification): string {
  return sseEvent(method.replace('notifications/', ''), JSON.stringify(params ?? {}));
}
