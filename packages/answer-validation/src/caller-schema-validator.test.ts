import { readdirSync, readFileSync } from 'node:fs';
import type { BatonError, Json, JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CallerSchemaValidator } from './caller-schema-validator.ts';
import { MAX_RUNNING } from './check-turns.ts';

/** The threads that have not ended. */
const threads = new Set<object>();
process.on('worker', (thread) => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
});
const check = new CallerSchemaValidator();
afterAll(() => check.close());

const city: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string', pattern: '^[A-Z]' }, code: { type: 'string', pattern: '^\\d+$' } },
  required: ['city'],
};

describe("an answer to a caller's schema", () => {
  test.each([
    ['object', { object: { city: 'Oslo' } }],
    ['bare', { city: 'Oslo' }],
    ['text', { text: '```json\n{"city":"Oslo"}\n```' }],
  ])('is read as %s', async (_form, data) => {
    expect(await check.validateAnswer('acme', city, data)).toEqual({ ok: true, value: { city: 'Oslo' } });
  });

  test('is read in its words where the schema is open, and never as the envelope of them', async () => {
    const open: JsonObject = { type: 'object', properties: { city: { type: 'string' } } };
    const text = '{"city":"Bern"}';
    for (const data of [
      { text },
      { text, usage: { inputTokens: 1 }, model: 'm' },
      { content: [{ type: 'text', text }] },
    ])
      expect(await check.validateAnswer('acme', open, data)).toEqual({ ok: true, value: { city: 'Bern' } });
    for (const data of [{ text: 'Sorry, I cannot.' }, { toolCalls: [{ name: 'f', arguments: {} }] }])
      expect((await check.validateAnswer('acme', open, data)).ok).toBe(false);
  });

  test('that does not fit is told all that is wrong with it; a long one, the first of that', async () => {
    const people: JsonObject = {
      type: 'object',
      properties: {
        people: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
            required: ['name', 'age'],
          },
        },
      },
    };
    const problemWith = async (value: Json) => {
      const result = await check.validateAnswer('acme', people, value);
      return result.ok ? 'fits' : result.problem;
    };
    const problem = await problemWith({ people: [{ name: 1, age: 'x' }, { name: 2 }] });
    for (const path of ['people.0.name', 'people.0.age', 'people.1.name', 'people.1.age: is required'])
      expect(problem).toContain(path);
    const long = Array.from({ length: 10_000 }, () => ({ name: 1 }));
    expect((await problemWith({ people: long })).match(/people\./g)).toHaveLength(1);
  });

  test('is told the values that a field may have, within a length', async () => {
    const schema = (values: Json[]): JsonObject => ({
      type: 'object',
      properties: { level: { enum: values }, kind: { const: 'task' } },
    });
    const problemOf = async (values: Json[], value: Json) => {
      const result = await check.validateAnswer('acme', schema(values), value);
      return result.ok ? 'fits' : result.problem;
    };
    expect(await problemOf(['low', 2, null], { level: 'x', kind: 'y' })).toBe(
      'level: must be one of "low"|2|null; kind: must be "task"',
    );
    const many = Array.from({ length: 1_000 }, (_, at) => `😀${at}`);
    const problem = await problemOf(many, { level: 'x' });
    expect(problem.length).toBeLessThan(400);
    expect(problem.isWellFormed()).toBe(true);
  });

  test('is held against each pattern of the schema, never against the first one only', async () => {
    expect(await check.validateAnswer('acme', city, { city: 'oslo' })).toEqual({
      ok: false,
      problem: 'city: must match pattern "^[A-Z]"',
    });
    expect(await check.validateAnswer('acme', city, { city: 'Oslo', code: 'x' })).toEqual({
      ok: false,
      problem: 'code: must match pattern "^\\d+$"',
    });
  });

  test("is the whole when the schema itself has a field named 'object'", async () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { object: { type: 'object' } },
      required: ['object'],
    };
    expect(await check.validateAnswer('acme', schema, { object: { a: 1 } })).toEqual({
      ok: true,
      value: { object: { a: 1 } },
    });
  });

  test('may be recursive, asynchronous in name, or about fields that every object inherits', async () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { next: { $ref: '#' }, n: { type: 'integer' } },
      required: ['n'],
    };
    expect((await check.validateAnswer('acme', tree, { n: 1, next: { n: 2 } })).ok).toBe(true);
    expect((await check.validateAnswer('acme', tree, { n: 1, next: {} })).ok).toBe(false);
    expect(
      (await check.validateAnswer('acme', { $async: true, type: 'object', required: ['z'] }, { a: 1 })).ok,
    ).toBe(false);
    expect(
      (await check.validateAnswer('acme', { properties: { constructor: { type: 'string' } } }, {})).ok,
    ).toBe(true);
    expect((await check.validateAnswer('acme', { type: 'object', required: ['toString'] }, {})).ok).toBe(
      false,
    );
  });

  test('is bare data, with what stands beside it about the call, and a bare string', async () => {
    const strict: JsonObject = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      additionalProperties: false,
    };
    expect(
      await check.validateAnswer('acme', strict, { a: 1, usage: { inputTokens: 1 }, model: 'm' }),
    ).toEqual({
      ok: true,
      value: { a: 1 },
    });
    expect(await check.validateAnswer('acme', { type: 'string' }, 's')).toEqual({ ok: true, value: 's' });
  });

  test('is checked in linear time where the pattern is made to be slow', async () => {
    const slow: JsonObject = { type: 'string', pattern: '^(a+)+$' };
    expect(
      (await check.validateAnswer('acme', slow, { text: JSON.stringify(`${'a'.repeat(50_000)}b`) })).ok,
    ).toBe(false);
  });
});

describe('a schema that cannot be used', () => {
  test.each([
    ['an unknown type', { type: 'nonsense' }, 'type must be'],
    ['a broken pattern', { type: 'string', pattern: '(' }, 'missing closing )'],
    ['a reference to nowhere', { $ref: '#/definitions/none' }, "can't resolve reference"],
  ])('is refused by name: %s', async (_what, schema, problem) => {
    await expect(check.requireUsableSchema('acme', schema as JsonObject, 'schema')).rejects.toThrow(problem);
    await expect(check.requireUsableSchema('acme', schema as JsonObject, 'schema')).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });

  test('is named as such when an answer comes, never blamed on the answer', async () => {
    const endless: JsonObject = { $defs: { n: { allOf: [{ $ref: '#/$defs/n' }] } }, $ref: '#/$defs/n' };
    await expect(check.validateAnswer('acme', endless, { a: 1 })).rejects.toMatchObject({
      code: 'schema_unusable',
      message: expect.stringContaining('a $ref of it leads back to itself'),
    });
  });

  test('never takes a check of another tenant with it', async () => {
    const endless = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, n) => [
        `p${n}`,
        { type: 'object', properties: { [`q${n}`]: { type: 'string' } } },
      ]),
    );
    const hostile = check
      .requireUsableSchema('mallory', { type: 'object', properties: endless }, 'schema')
      .catch(() => {});
    expect((await check.validateAnswer('acme', city, { city: 'Oslo' })).ok).toBe(true);
    await hostile;
    expect((await check.validateAnswer('acme', city, { city: 'Oslo' })).ok).toBe(true);
  });
});

describe('checks that take longer than they may', () => {
  /** Each of these takes some ten seconds. */
  const schema: JsonObject = { type: 'array', uniqueItems: true };
  const bomb: Json = Array.from({ length: 60_000 }, (_, n) => [n]);

  test('end with their thread, at the cost of their tenant, and nobody else waits for them', async () => {
    const hostile = ['m1', 'm2', 'm3', 'm4'].map((tenant) =>
      check.validateAnswer(tenant, schema, bomb).catch((error: BatonError) => error),
    );
    for (let n = 0; n < 20; n++)
      expect((await check.validateAnswer(`quiet${n}`, city, { city: 'Oslo' })).ok).toBe(true);
    const errors = (await Promise.all(hostile)) as BatonError[];
    const killed = errors.filter(({ code }) => code === 'schema_unusable');
    expect(killed.length).toBeGreaterThan(0);
    for (const { message } of killed) expect(message).toContain('longer than 1000 ms');
    // What lost its thread and finds two that wait for the one of long checks is refused.
    expect(errors.filter(({ code }) => code === 'limit_checks').length).toBe(4 - killed.length);
    // Each that was ended has gone, and another has taken its place.
    await vi.waitFor(() => expect(threads.size).toBe(MAX_RUNNING), 20_000);
    const ends = await Promise.all(
      ['m1', 'm2', 'm3', 'm4'].map((tenant) =>
        check.validateAnswer(tenant, city, { city: 'Oslo' }).then(
          () => 'checked',
          (error: BatonError) => error.code,
        ),
      ),
    );
    expect(ends).toContain('limit_checks');
  });
});

test.runIf(process.platform === 'linux')('threads yield to the event loop of their process', async () => {
  expect((await check.validateAnswer('acme', city, { city: 'Oslo' })).ok).toBe(true);
  const niceOfThreads = readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[16]);
  });
  expect(niceOfThreads.filter((nice) => nice === 10).length).toBeGreaterThanOrEqual(1);
  expect(niceOfThreads).toContain(0);
});

test('a check that the end of its process cuts off says nothing of the schema', async () => {
  const ending = new CallerSchemaValidator();
  const bomb: Json = Array.from({ length: 60_000 }, (_, n) => [n]);
  const refusal = ending
    .validateAnswer('acme', { type: 'array', uniqueItems: true }, bomb)
    .catch((error: BatonError) => error);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await ending.close();
  expect(await refusal).toMatchObject({ code: 'unavailable', details: { taken: false } });
});

describe('schemas of different tenants, checked by the same threads', () => {
  const URI = 'https://caller.example/s';
  const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
  const names = fc.constantFrom(URI, `${URI}#`, `${URI}#/definitions/item`, `${URI}#item`, 's', '#item');
  /** A subschema that gives itself names by every keyword that does. One that is refused ends a check, so most are not. */
  const naming: fc.Arbitrary<JsonObject> = fc
    .record(
      {
        $id: names,
        $anchor: fc.constantFrom('item', 'other'),
        $dynamicAnchor: fc.constantFrom('item', 'other'),
        format: fc.constantFrom('email', 'item'),
        const: fc.constantFrom('forged', 1),
        definitions: fc.constant({ item: { $anchor: 'item', const: 'forged' } }),
        $defs: fc.constant({ item: { $id: URI, const: 'forged' } }),
      },
      { requiredKeys: [] },
    )
    .chain((schema) =>
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(schema) },
        { weight: 1, arbitrary: names.map((id) => ({ ...schema, id })) },
        { weight: 1, arbitrary: fc.constantFrom(DRAFT_7, URI).map(($schema) => ({ ...schema, $schema })) },
      ),
    );
  const victim: JsonObject = {
    $id: URI,
    type: 'object',
    required: ['item'],
    properties: { item: { $ref: '#/definitions/item' } },
    definitions: { item: { type: 'object', required: ['sku'] } },
  };
  const values: readonly Json[] = [{ item: { sku: 'a' } }, { item: 'forged' }, { item: 1 }, {}];

  const outcomes = (tenant: string, schema: JsonObject) =>
    Promise.all(
      values.map((value) =>
        check
          .validateAnswer(tenant, schema, value)
          .catch((error: Error) => ({ ok: false, problem: error.message })),
      ),
    );

  test.each([
    ['draft 2020-12', victim],
    ['draft 7', { ...victim, $schema: DRAFT_7 }],
  ])("never change each other's verdicts and texts: %s", { timeout: 60_000 }, async (_draft, schema) => {
    const alone = await outcomes('victim', schema as JsonObject);
    // As many at once as there are threads, so that they meet in each.
    const everywhere = (name: string, checked: JsonObject) =>
      Promise.all([1, 2, 3].map((n) => outcomes(`${name}-${n}`, checked)));
    let run = 0;
    expect(alone.map(({ ok }) => ok)).toEqual([true, false, false, false]);
    const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
    await fc.assert(
      fc.asyncProperty(naming, naming, fc.boolean(), async (outer, inner, old) => {
        const draft = old ? { $schema: DRAFT_7 } : {};
        const { const: _, ...named } = outer;
        const hostile = { ...named, ...draft, properties: { item: inner, 'x/y': { items: inner } } };
        await everywhere(`mallory-${++run}`, hostile);
        expect(await outcomes('victim', schema as JsonObject), 'compiled before').toEqual(alone);
        const after = await everywhere(`victim-${run}`, schema as JsonObject);
        expect(after, 'compiled after').toEqual([alone, alone, alone]);
      }),
      { seed, numRuns: 200 },
    );
  });

  test('never read each other through a reference to a name', async () => {
    const secret: JsonObject = { $id: URI, $anchor: 'probe', type: 'object', required: ['secretField'] };
    await check.validateAnswer('holder', secret, {}).catch(() => {});
    for (const $ref of [URI, `${URI}#probe`, '#probe', 's#probe'])
      await expect(
        check.validateAnswer('prober', { properties: { a: { $ref } } }, { a: {} }),
      ).rejects.toThrow("can't resolve reference");
  });
});
