import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { unusualValues } from './inputs/schema-arbitraries.ts';
import { hostileSchemas } from './inputs/hostile-schemas.ts';
import { McpReplyChecker } from './reply-checker.ts';
import { checkProperty } from './inputs/property-check.ts';
import { AbuseEnvironment, type GatewayUnderTest } from './environment/abuse-environment.ts';
import { callToolAndCheck, listTools } from './tool-calls.ts';
import { parseJsonRpcMessages } from './environment/raw-http.ts';

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;
let tool: AnyJson;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  const tools = await listTools(environment.gateway);
  assertions = new McpReplyChecker(tools);
  tool = tools.find(({ name }) => name === 'agent_llm');
});
afterAll(() => environment?.stop());

/** How long a caller's schema may be checked before it is given up: by design, and in a thread of its own. */
const CHECK_MS = 1_000;

async function call(gateway: GatewayUnderTest, args: object) {
  const { reply, faults } = await callToolAndCheck(environment, assertions, gateway, tool, args);
  const structured = (parseJsonRpcMessages(reply) ?? []).at(-1)?.result?.structuredContent;
  return { faults, structured };
}

/** Opens an interaction with a schema, and answers it once with each of the answers. */
async function run(gateway: GatewayUnderTest, schema: unknown, answers: readonly unknown[]) {
  const messages = [{ role: 'user', content: 'x' }];
  const requestParameters = { messages, schema };
  const opened = await call(gateway, {
    delegatedCallDetails: { originalCommand: 'x', serviceType: 'generateObject', requestParameters },
    waitMs: CHECK_MS,
  });
  const found = [...opened.faults];
  let { interactionId } = opened.structured ?? {};
  for (const answer of answers) {
    if (interactionId === undefined) break;
    const data = { object: answer };
    const agentLLMResponse = { status: 'success', data };
    const answered = await call(gateway, { interactionId, agentLLMResponse, waitMs: 3 * CHECK_MS });
    found.push(...answered.faults);
    interactionId = answered.structured?.outcome?.pending?.interactionId;
  }
  return found;
}

test.each(hostileSchemas)(
  'a schema with $name, and answers to it, never block or break a process',
  async ({ schema, answers }) => {
    expect(await run(environment.gateway, schema, answers)).toEqual([]);
  },
);

test('a generated schema never blocks or breaks a process', async () => {
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      tie('object'),
      tie('list'),
      tie('either'),
      unusualValues,
    ),
    leaf: fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', ['string', 'null'], 'x', 7),
        pattern: fc.oneof(fc.constantFrom('^(a+)+$', '\\d+'), fc.string({ maxLength: 12 })),
        enum: fc.array(fc.jsonValue(), { maxLength: 3 }),
        minLength: fc.integer({ min: -1, max: 5 }),
        $ref: fc.constantFrom('#', '#/properties/a', '#/nothing', 'other', 'http://127.0.0.1:1/'),
      },
      { requiredKeys: [] },
    ),
    object: fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'object', 'text', 'constructor'), tie('schema'), {
          maxKeys: 3,
        }),
        required: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      },
      { requiredKeys: ['type'] },
    ),
    list: fc.record({ type: fc.constant('array'), items: tie('schema'), uniqueItems: fc.boolean() }),
    either: fc.record(
      { anyOf: fc.array(tie('schema'), { maxLength: 3 }), not: tie('schema') },
      { requiredKeys: ['anyOf'] },
    ),
  }));
  const { gateway } = environment;
  const inputs = fc.tuple(schema, fc.array(fc.jsonValue(), { maxLength: 2 }));
  await checkProperty('schemas', inputs, async ([generated, answers]) => run(gateway, generated, answers));
  await environment.runCanary();
});

test('a normal delegation works after all hostile schemas', async () => {
  await environment.runCanary();
});
