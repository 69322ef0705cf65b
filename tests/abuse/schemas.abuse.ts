import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { unusualValues } from './inputs/schema-arbitraries.ts';
import { hostileSchemas } from './inputs/hostile-schemas.ts';
import { comparableOutcome, McpReplyChecker } from './reply-checker.ts';
import { checkProperty } from './inputs/property-check.ts';
import { AbuseEnvironment, type TransportUnderTest } from './environment/abuse-environment.ts';
import { callToolAndCheck, listTools } from './tool-calls.ts';
import { parseJsonRpcMessages } from './environment/raw-http.ts';

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;
let tool: AnyJson;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  const tools = await listTools(environment.transports[0]);
  assertions = new McpReplyChecker(tools);
  tool = tools.find(({ name }) => name === 'agent_llm');
});
afterAll(() => environment?.stop());

/** How long a caller's schema may be checked before it is given up: by design, and in a thread of its own. */
const CHECK_MS = 1_000;

async function call(transport: TransportUnderTest, args: object) {
  const { reply, faults } = await callToolAndCheck(environment, assertions, transport, tool, args);
  const structured = (parseJsonRpcMessages(reply) ?? []).at(-1)?.result?.structuredContent;
  return { faults, end: comparableOutcome(reply), structured };
}

/** Opens an interaction with a schema, and answers it once with each of the answers. */
async function run(transport: TransportUnderTest, schema: unknown, answers: readonly unknown[]) {
  const messages = [{ role: 'user', content: 'x' }];
  const requestParameters = { messages, schema };
  const opened = await call(transport, {
    delegatedCallDetails: { originalCommand: 'x', serviceType: 'generateObject', requestParameters },
    waitMs: CHECK_MS,
  });
  const found = [...opened.faults];
  const ends = [opened.end];
  let { interactionId } = opened.structured ?? {};
  for (const answer of answers) {
    if (interactionId === undefined) break;
    const data = { object: answer };
    const agentLLMResponse = { status: 'success', data };
    const answered = await call(transport, { interactionId, agentLLMResponse, waitMs: 3 * CHECK_MS });
    found.push(...answered.faults);
    ends.push(`${answered.end} ${answered.structured?.outcome?.status}`);
    interactionId = answered.structured?.outcome?.pending?.interactionId;
  }
  return { found, ends: ends.join(', ') };
}

test.each(hostileSchemas)(
  'a schema with $name, and answers to it, never block or break a process',
  async ({ schema, answers }) => {
    const ends: string[] = [];
    const found: string[] = [];
    const begun = performance.now();
    for (const transport of environment.transports) {
      const ran = await run(transport, schema, answers);
      found.push(...ran.found);
      ends.push(ran.ends);
    }
    // A check is given up by the clock: where it takes long, what comes of it is the machine's matter.
    const isClear = performance.now() - begun < CHECK_MS / 2;
    if (isClear && ends[0] !== ends[1]) found.push(`the transports differ: ${ends.join(' / ')}`);
    expect(found).toEqual([]);
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
  const [transport] = environment.transports;
  const inputs = fc.tuple(schema, fc.array(fc.jsonValue(), { maxLength: 2 }));
  await checkProperty(
    'schemas',
    inputs,
    async ([generated, answers]) => (await run(transport, generated, answers)).found,
  );
  await environment.runCanary();
});

test('a normal delegation works after all hostile schemas', async () => {
  await environment.runCanary();
});
