import { setImmediate as nextIteration } from 'node:timers/promises';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Call, Services, Tool } from '../../call/call.ts';
import { MCP_OR_AGENT_SCOPE } from '../../call/access.ts';
import { LARGE_REPLY_BYTES } from '../../edge/limits/large-reply-stream.ts';
import { publicUrl } from '../../edge/public-url.ts';
import { enforceBatchAndFieldLimits } from '../../mcp/batch-and-field-limits.ts';
import { createTask } from '../../tasks/create-task.ts';
import { findTool, unknownToolHint, runToolCall } from '../../tool-calls/run-tool-call.ts';
import { requestedTools, toolsQueryShape } from '../../tool-listing/requested-tools.ts';
import { outcomeOf } from '../../workflows/call-outcome.ts';
import { restCallOf } from '../admission/rest-call.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse, named } from '../openapi/shared-schemas.ts';
import { callHeadersSchema, metaOfHeaders, sendContinuation } from '../admission/call-headers.ts';

const tags = ['tools'];
const toolsQuery = z.strictObject(toolsQueryShape);

/** A tool may fail with all that its work can fail with. */
const problems = [404, 409, 410, 422, 500, 502];

const acceptedSchema = z
  .looseObject({ taskId: z.string(), status: z.string(), operation: z.string() })
  .describe(
    'A request for an LLM that waits for its answer (status pending_agent_llm_action, as the tool shows it over MCP), or a task that goes on',
  );

/** `POST /tools/{name}`: every tool of the catalogue is a route of its own, with its schemas; `{name}` are the specialists of a tenant. */
export async function toolRoutes(
  app: FastifyInstance,
  options: { routeScope: TenantRouteBase; services: Services },
): Promise<void> {
  const { routeScope, services } = options;
  const callTool = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const selections = requestedTools(request, (one) => services.tools.has(one));
    const call: Call = { ...restCallOf(services, request, reply), selections };
    const { status, body } = await callToolOverRest(name, call, request, reply);
    return reply.status(status).type('application/json; charset=utf-8').send(body);
  };

  for (const { name, access, listing, schemas } of services.tools.values()) {
    const { scopes, admittedBy } = access;
    app.post(
      `/tools/${name}`,
      {
        config: {
          access: routeScope.access(scopes, { checkedInScript: admittedBy === 'script' }),
          problems,
        },
        schema: {
          operationId: routeScope.operationId(`call_${name}`),
          tags,
          summary: listing.title,
          description: listing.description,
          params: routeScope.params({}),
          headers: callHeadersSchema,
          querystring: toolsQuery,
          body: namedAsGiven(`${name}_arguments`, schemas.input),
          response: {
            200: jsonResponse("The tool's structuredContent", namedAsGiven(`${name}_result`, schemas.output)),
            ...(mayDelegate(listing, schemas.output) && {
              202: jsonResponse('It goes on as a task, which Location names', acceptedSchema),
            }),
          },
        },
      },
      (request, reply) => callTool(name, request, reply),
    );
  }

  app.post(
    '/tools/:name',
    {
      config: { access: routeScope.access(MCP_OR_AGENT_SCOPE), problems },
      schema: {
        operationId: routeScope.operationId('callTool'),
        tags,
        summary: "Call a tool that is the tenant's own: agent_<id>",
        description: 'Its schemas are in the list of the tools. Every other tool has a path of its own here.',
        params: routeScope.params({ name: z.string().min(1).max(200) }),
        headers: callHeadersSchema,
        querystring: toolsQuery,
        body: z.looseObject({}),
        response: {
          200: jsonResponse("The tool's structuredContent", z.looseObject({})),
          202: jsonResponse('It goes on as a task, which Location names', acceptedSchema),
        },
      },
    },
    (request, reply) => callTool((request.params as { name: string }).name, request, reply),
  );
}

/**
 * A schema of a tool of the catalogue under a name, which the document has once for all routes. It describes; the tool itself reads its
 * arguments, as over MCP.
 */
function namedAsGiven(name: string, schema: object): z.ZodType {
  let described = schemasByName.get(name);
  if (described === undefined) {
    const { $schema: _, ...given } = schema as JsonObject;
    described = named(name, z.looseObject({}).meta(given));
    schemasByName.set(name, described);
  }
  return described;
}
const schemasByName = new Map<string, z.ZodType>();

/** An operation answers with a task that goes on, and so does who opens a request of its own (`agent_llm`). */
function mayDelegate({ execution }: Tool['listing'], output: object): boolean {
  return execution.taskSupport === 'optional' || JSON.stringify(output).includes('pending_agent_llm_action');
}

/** What a call has come to, its body being the JSON that leaves; headers are set on the reply. */
interface ToolResponse {
  readonly status: number;
  readonly body: string;
}

async function callToolOverRest(
  name: string,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ToolResponse> {
  const params = { name, arguments: request.body ?? {}, _meta: metaOfHeaders(request) };
  enforceBatchAndFieldLimits({ params });
  const tool = await findTool(name, call);
  if (tool === undefined) {
    const hint = unknownToolHint(name, call);
    throw new BatonError(
      'not_found',
      `There is no tool '${name.slice(0, 100)}'${hint === '' ? '.' : hint} GET /v1/tools?tools=all lists all.`,
    );
  }
  if (prefersTask(request) && tool.startTask !== undefined) {
    const { task, _meta } = await createTask(params, call);
    const { taskId } = task;
    sendContinuation(reply, _meta?.['baton/continuation'] as never);
    reply.header('preference-applied', 'respond-async');
    return accepted(request, reply, taskId, { status: 'working', operation: name, taskId });
  }
  const outcome = await runToolCall(tool, params, call);
  sendContinuation(reply, outcome.continuation);
  if (outcome.kind === 'failed') throw outcome.error;
  const { structured } = outcome.reply;
  const state = outcomeOf(structured as JsonObject, tool.startTask !== undefined);
  if (state.kind === 'delegated' || state.kind === 'working')
    return accepted(request, reply, state.taskId, structured);
  return { status: 200, body: await bodyOf(structured) };
}

/** RFC 7240, section 4.1: the call of an operation is started as a task, as one of MCP with `task`. */
function prefersTask({ headers: { prefer } }: FastifyRequest): boolean {
  return /(^|[,;]\s*)respond-async\s*($|[,;])/i.test([prefer ?? ''].flat().join());
}

async function accepted(
  request: FastifyRequest,
  reply: FastifyReply,
  taskId: string,
  structured: object,
): Promise<ToolResponse> {
  const { tenant } = request.params as { tenant?: string };
  const base = tenant === undefined ? '/v1' : `/v1/tenants/${tenant}`;
  reply.header('location', `${publicUrl(request)}${base}/tasks/${taskId}`);
  return { status: 202, body: await bodyOf(structured) };
}

/** What is large is made in an iteration of the event loop of its own. */
async function bodyOf(structured: object): Promise<string> {
  const text = JSON.stringify(structured);
  if (text.length >= LARGE_REPLY_BYTES) await nextIteration();
  return text;
}
