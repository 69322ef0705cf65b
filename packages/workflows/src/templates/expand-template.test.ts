import type { Json, JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  expandArguments,
  expandUri,
  MAX_CALL_ARGUMENTS_LENGTH,
  type TemplateContext,
} from './expand-template.ts';
import { parseTemplate, TemplateError } from './parse-template.ts';

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
  return expandArguments({ it: template }, scope);
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
    expect(expand(template)).toEqual({ kind: 'expanded', args: { it: value }, missing: [] });
  });

  test('of one reference to an optional argument leaves its field out', () => {
    expect(expand('{{args.note}}')).toEqual({ kind: 'expanded', args: {}, missing: [] });
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

test('what references bring in is bounded, however small the templates are', () => {
  const wide = 'x'.repeat(MAX_CALL_ARGUMENTS_LENGTH / 10);
  const large: TemplateContext = {
    args: {},
    outputs: new Map([['a', { step: 'a', output: { wide } }]]),
    variables,
  };
  expect(expandArguments({ it: '{{steps.a.wide}}'.repeat(9) }, large)).toMatchObject({ kind: 'expanded' });
  expect(expandArguments({ it: '{{steps.a.wide}}'.repeat(11) }, large)).toEqual({ kind: 'too_large' });
  expect(expandArguments({ a: '{{steps.a}}', b: Array(10).fill('{{steps.a.wide}}') }, large)).toEqual({
    kind: 'too_large',
  });
  expect(expandUri('x:{{steps.a.wide}}'.repeat(11), large)).toEqual({ kind: 'too_large' });
});

test('a value in a URI never becomes more than one segment of it', () => {
  const args = { project: '/srv/a b?tag=x#/../y', uri: 'baton://projects' };
  const of = (template: string) => expandUri(template, { args, outputs: new Map(), variables });
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
