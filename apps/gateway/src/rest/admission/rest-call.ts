import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call, Services } from '../../call/call.ts';
import { logEventsOf } from '../../edge/event-log.ts';
import { tenantRequestOf } from './admit-requests.ts';

/** The call of a request for what a tenant has, as MCP has one. */
export function restCallOf(services: Services, request: FastifyRequest, reply: FastifyReply): Call {
  const { tenant, caller } = tenantRequestOf(request);
  const signal = services.inflightWaits.signalFor(reply);
  const logEvent = logEventsOf(request, reply, caller);
  return { services, tenant, caller, signal, logEvent, trace: request.trace ?? undefined };
}
