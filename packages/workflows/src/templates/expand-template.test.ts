import type { Json, JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandArguments, expandGuidance, expandUri, type TemplateContext } from './expand-template.ts';
import { parseTemplate, TemplateError } from './parse-template.ts';
import { ValueBudget } from './value-budget.ts';

const output = { id: 7, tags: ['a', 'b'], inner: { done: true, none: null }, 'with-dash': 'd' };
const scope: TemplateContext = {
  args: { region: 'us-east-1' },
  outputs: new Map<string, { step: string; output: Json | undefined }>([
    ['found', { step: 'find', output }],
    ['later', { step: 'wait', output: undefined }],
  ]),
  variables: () => ({ '_workflow.result.find': output, '_workflow.extra.next_task': { task: { id: 9 } } }),
};
const variables = (): JsonObject => ({});

function expand(template: Json) {
  return expandArguments({ it: template }, scope, new ValueBudget(1_000));
}

describe('a template', () => {
  test.each<[string, Json, Json]>([
    ['of one reference keeps a number', '{{steps.found.id}}', 7],
    [
      "of a result among the task's variables keeps a list",
      '{{task._workflow.result.find.tags}}',
      ['a', 'b'],
    ],
    ['of a call beside the steps keeps a number', '{{task._workflow.extra.next_task.task.id}}', 9],
    ['of one reference keeps a list', '{{ steps.found.tags }}', ['a', 'b']],
    ['of one reference keeps null', '{{steps.found.inner.none}}', null],
    ['takes an element of a list', '{{steps.found.tags.1}}', 'b'],
    ['takes the whole output', '{{steps.found}}', output],
    [
      'within a longer text stands as text',
      'n {{steps.found.id}}, {{steps.found.inner}}',
      'n 7, {"done":true,"none":null}',
    ],
    [
      'is filled in within objects and lists',
      { a: ['{{args.region}}', 1], b: true },
      { a: ['us-east-1', 1], b: true },
    ],
    ['may hold braces as text', "{{'{{'}}args.region}}", '{{args.region}}'],
    ['without references stays what it is', 'a } b { c', 'a } b { c'],
    [
      'leaves out what was not given, in a longer text as nothing',
      ['x{{args.note}}', '{{args.note}}'],
      ['x'],
    ],
  ])('%s', (_claim, template, value) => {
    expect(expand(template)).toEqual({ args: { it: value }, missing: [] });
  });

  test('of one reference to an optional argument leaves its field out', () => {
    expect(expand('{{args.note}}')).toEqual({ args: {}, missing: [] });
  });

  test.each<[string, string, string, 'output' | 'field']>([
    ['a step without output', '{{steps.later}}', '<output from wait>', 'output'],
    ['a field of a step without output', '{{steps.later.a.b}}', "<field 'a.b' from wait>", 'output'],
    ['a field that the output lacks', 'v{{steps.found.version}}', "v<field 'version' from find>", 'field'],
    ['a field that objects inherit', '{{steps.found.toString}}', "<field 'toString' from find>", 'field'],
    ['the length of a list', '{{steps.found.tags.length}}', "<field 'tags.length' from find>", 'field'],
    ['an element behind the last', '{{steps.found.tags.2}}', "<field 'tags.2' from find>", 'field'],
    ['a letter of a text', '{{steps.found.tags.0.0}}', "<field 'tags.0.0' from find>", 'field'],
  ])('that names %s has a placeholder there', (_claim, template, placeholder, kind) => {
    expect(expand(template)).toMatchObject({
      args: { it: placeholder },
      missing: [{ kind, argument: 'it' }],
    });
  });
});

describe('values that have no room', () => {
  const args = { wide: 'x'.repeat(10), narrow: 'y' };
  const of = { args, outputs: new Map(), variables };

  test('are named, and so are all behind them', () => {
    const budget = new ValueBudget(30);
    expect(expandArguments({ a: ['{{args.wide}}', '{{args.wide}}'] }, of, budget).args).toEqual({
      a: [args.wide, args.wide],
    });
    expect(budget.isExceeded).toBe(false);
    expect(expandUri('x:{{args.wide}}', of, budget).uri).toBe("x:%3Cargument%20'wide'%3E");
    expect(budget.isExceeded).toBe(true);
    expect(expandArguments({ a: 'for {{args.narrow}}' }, of, budget).args).toEqual({
      a: "for <argument 'narrow'>",
    });
  });

  test('are counted as they are shown: percent-encoded in a URI, escaped in JSON', () => {
    const shown = { args: { wide: '中\u0000'.repeat(2) }, outputs: new Map(), variables };
    const takes = (most: number, fill: (budget: ValueBudget) => unknown) => {
      const budget = new ValueBudget(most);
      fill(budget);
      return !budget.isExceeded;
    };
    const inUri = (budget: ValueBudget) => expandUri('x:{{args.wide}}', shown, budget);
    expect([takes(25, inUri), takes(26, inUri)]).toEqual([false, true]);
    const inText = (budget: ValueBudget) => expandArguments({ a: '{{args.wide}}' }, shown, budget);
    expect([takes(15, inText), takes(16, inText)]).toEqual([false, true]);
  });

  test('of guidance take no room from others when guidance alone is too long', () => {
    const long = { args: { wide: 'x'.repeat(9_000), narrow: 'y' }, outputs: new Map(), variables };
    const budget = new ValueBudget(20_000);
    expect(expandGuidance('{{args.wide}} {{args.narrow}}', long, budget)).toBe(
      "<argument 'wide'> <argument 'narrow'>",
    );
    expect(expandGuidance('{{args.narrow}}', long, budget)).toBe('y');
  });

  test('are not written out to measure them', () => {
    const written: string[] = [];
    const show = (value: Json) => {
      written.push(value as string);
      return value;
    };
    const budget = new ValueBudget(5);
    expect(['a', 'a'.repeat(6), 'a'].map((value) => budget.take(value, show))).toEqual([
      'a',
      undefined,
      undefined,
    ]);
    expect(written).toEqual(['a']);
  });
});

test('a value in a URI never becomes more than one segment of it', () => {
  const args = { project: '/srv/a b?tag=x#/../y', uri: 'baton://projects' };
  const of = (template: string) =>
    expandUri(template, { args, outputs: new Map(), variables }, new ValueBudget(1_000));
  expect(of('baton://projects/{{args.project}}/tasks')).toMatchObject({
    uri: 'baton://projects/%2Fsrv%2Fa%20b%3Ftag%3Dx%23%2F..%2Fy/tasks',
  });
  expect(of('{{args.uri}}')).toMatchObject({ uri: 'baton://projects' });
});

const pieces = fc.constantFrom(
  '{{',
  '}}',
  '{',
  '}',
  "'",
  '.',
  'args',
  'steps',
  '__proto__',
  'constructor',
  'a',
  ' ',
  '\n',
  '😀',
);

test('a text parses or is refused by a TemplateError, and no reference names what objects inherit', () => {
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
      (text) => {
        try {
          for (const part of parseTemplate(text)) {
            if (typeof part === 'string') continue;
            const names =
              part.from === 'args'
                ? [part.name]
                : [part.from === 'steps' ? part.binding : part.variable, ...part.path];
            expect(names).not.toContain('__proto__');
            expect(names).not.toContain('constructor');
          }
        } catch (thrown) {
          if (!(thrown instanceof TemplateError)) throw thrown;
        }
      },
    ),
    { numRuns: 5_000, verbose: 1 },
  );
});
