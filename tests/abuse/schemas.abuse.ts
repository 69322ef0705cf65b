import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../harness/client.ts';
import { junk } from './from-schema.ts';
import { hostileSchemas } from './hostile-schema.ts';
import { endOf, McpJudge } from './judge.ts';
import { hold } from './runs.ts';
import { Stage, type Way } from './stage.ts';
import { callTool, listTools } from './tools.ts';
import { messagesOf } from './wire.ts';

let stage: Stage;
let judge: McpJudge;
let tool: Loose;

beforeAll(async () => {
  stage = await Stage.start();
  const tools = await listTools(stage.ways[0]);
  judge = new McpJudge(tools);
  tool = tools.find(({ name }) => name === 'agent_llm');
});
afterAll(() => stage?.stop());

/** How long a caller's schema may be checked before it is given up: by design, and in a thread of its own. */
const CHECK_MS = 1_000;

async function call(way: Way, args: object) {
  const { reply, faults } = await callTool(stage, judge, way, tool, args);
  const structured = (messagesOf(reply) ?? []).at(-1)?.result?.structuredContent;
  return { faults, end: endOf(reply), structured };
}

/** Opens an interaction with a schema, and answers it once with each of the answers. */
async function run(way: Way, schema: unknown, answers: readonly unknown[]) {
  const messages = [{ role: 'user', content: 'x' }];
  const requestParameters = { messages, schema };
  const opened = await call(way, {
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
    const answered = await call(way, { interactionId, agentLLMResponse, waitMs: 3 * CHECK_MS });
    found.push(...answered.faults);
    ends.push(`${answered.end} ${answered.structured?.outcome?.status}`);
    interactionId = answered.structured?.outcome?.pending?.interactionId;
  }
  return { found, ends: ends.join(', ') };
}

test.each(hostileSchemas)(
  'a schema with $name is refused or holds, and so do answers to it',
  async ({ schema, answers }) => {
    const ends: string[] = [];
    const found: string[] = [];
    const begun = performance.now();
    for (const way of stage.ways) {
      const ran = await run(way, schema, answers);
      found.push(...ran.found);
      ends.push(ran.ends);
    }
    // A check is given up by the clock: where it takes long, what comes of it is the machine's matter.
    const isClear = performance.now() - begun < CHECK_MS / 2;
    if (isClear && ends[0] !== ends[1]) found.push(`the ways differ: ${ends.join(' / ')}`);
    expect(found).toEqual([]);
  },
);

test('any schema that is generated is refused or holds', async () => {
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('object'), tie('list'), tie('either'), junk),
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
  const [way] = stage.ways;
  const inputs = fc.tuple(schema, fc.array(fc.jsonValue(), { maxLength: 2 }));
  await hold('schemas', inputs, async ([generated, answers]) => (await run(way, generated, answers)).found);
  await stage.canary();
});

test('a normal delegation works after all of them', async () => {
  await stage.canary();
});
