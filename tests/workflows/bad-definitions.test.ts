import { afterAll, beforeAll, expect, test } from 'vitest';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
});
afterAll(() => fixture?.stop());

const see = { name: 'see', tool: 'next_task' };
const definition = (more: object = {}) => ({ name: 'bad', description: 'd', steps: [see], ...more });
const step = (more: object) => definition({ steps: [{ ...see, ...more }] });
const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);

/** Names that are none, whatever they are names of. */
const ODD_NAMES = [
  '',
  ' ',
  'a b',
  'ü',
  'a/b',
  '../x',
  'a.b',
  '1st',
  'a\u0000',
  '😀',
  '\ud800',
  'a\n',
  '{{a}}',
  '__proto__',
  'constructor',
  'prototype',
  'a'.repeat(65),
];

const BAD: [claim: string, sent: unknown, field: string, problem: RegExp][] = [
  [
    '1,000 steps',
    definition({ steps: Array.from({ length: 1_000 }, (_, n) => ({ ...see, name: `s${n}` })) }),
    'steps',
    /<=100/,
  ],
  ['no steps', definition({ steps: [] }), 'steps', /./],
  [
    '51 arguments',
    definition({ arguments: Array.from({ length: 51 }, (_, n) => ({ name: `a${n}` })) }),
    'arguments',
    /<=50/,
  ],
  [
    'a template that is not closed',
    step({ arguments: { tag: 'x {{args.a' } }),
    'steps.0.arguments.tag',
    /'\{\{' at character 3 is not closed/,
  ],
  [
    'a template of nothing',
    step({ arguments: { tag: '{{}}' } }),
    'steps.0.arguments.tag',
    /is n(either|one of)/,
  ],
  [
    'a template within a template',
    step({ arguments: { tag: '{{args.{{args.a}}}}' } }),
    'steps.0.arguments.tag',
    /readable name/,
  ],
  [
    'a template that names __proto__',
    step({ arguments: { tag: '{{steps.see.__proto__}}' } }),
    'steps.0.arguments.tag',
    /reserved/,
  ],
  [
    'a template that names a constructor',
    step({ arguments: { tag: '{{args.constructor}}' } }),
    'steps.0.arguments.tag',
    /reserved/,
  ],
  [
    'an unknown argument',
    step({ arguments: { tag: '{{args.zone}}' } }),
    'steps.0.arguments.tag',
    /no argument 'zone'/,
  ],
  [
    'an unknown step',
    step({ arguments: { tag: '{{steps.other.tag}}' } }),
    'steps.0.arguments.tag',
    /no step makes 'other'/,
  ],
  [
    'its own output',
    step({ arguments: { tag: '{{steps.see.tag}}' } }),
    'steps.0.arguments.tag',
    /a cycle: 'see' needs 'see'/,
  ],
  [
    'a template in a resource',
    step({ resources: ['baton://projects/{{args.p}}/status'] }),
    'steps.0.resources.0',
    /no argument 'p'/,
  ],
  [
    'a resource that Baton has not',
    step({ resources: ['baton://nothing/x'] }),
    'steps.0.resources.0',
    /no resource has the URI 'baton:\/\/nothing\/x'; resources\/templates\/list/,
  ],
  [
    'a resource that is not there whatever the argument is',
    definition({
      arguments: [{ name: 'p' }],
      steps: [{ ...see, resources: ['baton://usage/{{args.p}}'] }],
    }),
    'steps.0.resources.0',
    /'baton:\/\/usage\/\{\{\.\.\.\}\}'; there are baton:\/\/usage$/,
  ],
  [
    'a resource with single braces',
    step({ resources: ['baton://projects/{p}/status'] }),
    'steps.0.resources.0',
    /'baton:\/\/projects\/\{p\}\/status' has single braces, which no URI has; write \{\{args/,
  ],
  ['17 levels', step({ arguments: { tag: nested(17) } }), 'steps.0.arguments.tag', /at most 16 levels/],
  [
    '1,001 values',
    step({ arguments: { tag: Array.from({ length: 1_001 }, () => 1) } }),
    'steps.0.arguments.tag',
    /at most 1000 values/,
  ],
  ['an unknown tool', step({ tool: 'no_tool' }), 'steps.0.tool', /no tool 'no_tool'/],
  [
    'a constant of the wrong type',
    step({ tool: 'add_task', arguments: { title: 7 } }),
    'steps.0.arguments.title',
    /string/,
  ],
  ['two steps of a name', definition({ steps: [see, see] }), 'steps.1.name', /two steps 'see'/],
  ['a field that no step has', step({ retries: 3 }), 'steps.0.retries', /retries/],
  ['steps that are an object', definition({ steps: { 0: see } }), 'steps', /array/],
  ['steps that are null', definition({ steps: null }), 'steps', /array/],
  ['a step that is a text', definition({ steps: ['see'] }), 'steps.0', /object/],
  ['arguments that are a list', step({ arguments: ['x'] }), 'steps.0.arguments', /record/],
  ['a list for a definition', [see], 'body', /object|record/],
];

test.each(BAD)(
  'a definition with %s is refused in its place, and stores nothing',
  async (_claim, sent, field, problem) => {
    const { status, body } = await fixture.rest('PUT', '/workflows/bad', sent);
    expect({ status, code: body.code, problem: body.issues?.[0]?.problem ?? body.detail }).toEqual({
      status: 400,
      code: 'invalid_arguments',
      problem: expect.stringMatching(problem),
    });
    expect(body.field ?? '').toBe(field);
    expect((await fixture.rest('GET', '/workflows/bad')).status).toBe(404);
  },
);

test('__proto__ in a body is refused where it stands', async () => {
  for (const text of [
    '{"name":"bad","description":"d","steps":[{"name":"see","tool":"next_task","arguments":{"__proto__":{"tag":"x"}}}]}',
    '{"__proto__":{"name":"bad"},"description":"d","steps":[]}',
  ]) {
    const { status, body } = await fixture.rest('PUT', '/workflows/bad', text);
    expect([status, body.code]).toEqual([400, 'invalid_arguments']);
    expect(body.detail).toMatch(/not JSON that Baton takes/);
  }
});

test.each(ODD_NAMES)('the name %j is refused wherever a name stands, and found nowhere', async (name) => {
  const places: [string, object][] = [
    ['name', definition({ name })],
    ['steps.0.name', step({ name })],
    ['steps.0.bind', step({ bind: name })],
    ['arguments.0.name', definition({ arguments: [{ name }] })],
  ];
  for (const [field, sent] of places) {
    const { status, body } = await fixture.rest('PUT', '/workflows/bad', sent);
    // Half a character is no JSON that Baton reads.
    expect([status, body.code]).toEqual([400, 'invalid_arguments']);
    if (name.isWellFormed()) expect(body.field).toBe(field);
  }
  const path = encodeURIComponent(name.toWellFormed());
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status } = await fixture.rest(
      method,
      `/workflows/${path}`,
      method === 'PUT' ? definition() : undefined,
    );
    expect([400, 404, 405]).toContain(status);
  }
  await expect(fixture.run(name.toWellFormed())).rejects.toMatchObject({ code: -32602 });
});
