import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { sampleWorkflow, findTestTool } from '../testing/sample-workflow.ts';
import { parseWorkflow } from './parse-workflow.ts';

/** The refusal of a definition: its first problem, and the text. */
function refusalOf(sent: unknown) {
  try {
    parseWorkflow(sent, findTestTool);
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    const [first] = thrown.details['issues'] as { step?: string; field: string; problem: string }[];
    return { code: thrown.code, message: thrown.message, ...first };
  }
  return undefined;
}

const tell = (args: unknown, more: object = {}) => ({
  name: 'tell',
  tool: 'notify_team',
  arguments: args,
  ...more,
});
const withSteps = (...steps: unknown[]) => ({ ...sampleWorkflow(), steps });

test('a definition that is right is taken whole, with its defaults', () => {
  const workflow = parseWorkflow(sampleWorkflow(), findTestTool);
  expect(workflow.steps[1]).toMatchObject({ tool: 'deploy_service', retryable: false, resources: [] });
  expect(workflow.arguments.map(({ required }) => required)).toEqual([true, false]);
});

test('single braces that are quoted, or of another language, stand for themselves', () => {
  const guidance = "Write {{'{args.zone}'}}, `${args.zone}`, { args.zone } or {zone}";
  expect(parseWorkflow(withSteps({ name: 'a', guidance }), findTestTool).steps[0]).toMatchObject({
    guidance,
  });
});

describe('a definition is refused with the step and the field that are wrong', () => {
  test.each<[claim: string, sent: unknown, at: { step?: string; field: string }, problem: RegExp]>([
    ['no object', 'deploy', { field: '' }, /expected object/],
    [
      'an unknown field',
      { ...sampleWorkflow(), stps: [] },
      { field: 'stps' },
      /"stps".*Did you mean "steps"/,
    ],
    [
      'an unknown field of a step',
      withSteps(tell({}, { guidence: 'x' })),
      { step: 'tell', field: 'steps.0.guidence' },
      /Did you mean "guidance"/,
    ],
    [
      'an argument that the tool has under another name',
      withSteps(tell({ Message: 'x' })),
      { step: 'tell', field: 'steps.0.arguments.Message' },
      /Did you mean "message"/,
    ],
    ['no steps', withSteps(), { field: 'steps' }, />=1/],
    [
      '1,000 steps',
      withSteps(...Array.from({ length: 1_000 }, (_, n) => ({ name: `s${n}`, guidance: 'g' }))),
      { field: 'steps' },
      /<=100/,
    ],
    [
      'guidance that refers to nothing',
      withSteps({ name: 'a', guidance: 'Look at {{args.nothing}}' }),
      { step: 'a', field: 'steps.0.guidance' },
      /no argument 'nothing'/,
    ],
    ['a name with a line break', { ...sampleWorkflow(), name: 'a\nb' }, { field: 'name' }, /letters/],
    ['a reserved name', { ...sampleWorkflow(), name: '__proto__' }, { field: 'name' }, /reserved/],
    [
      'a step with a reserved name',
      withSteps({ name: 'constructor', guidance: 'g' }),
      { step: 'constructor', field: 'steps.0.name' },
      /reserved/,
    ],
    ['half a character', { ...sampleWorkflow(), description: 'a\ud800' }, { field: 'description' }, /half/],
    [
      'an unknown tool',
      withSteps({ name: 'x', tool: 'no_tool' }),
      { step: 'x', field: 'steps.0.tool' },
      /no tool 'no_tool'/,
    ],
    [
      'an argument that its tool does not have',
      withSteps(tell({ message: 'm', colour: 'red' })),
      { step: 'tell', field: 'steps.0.arguments.colour' },
      /no argument 'colour'/,
    ],
    [
      'a constant of the wrong type',
      withSteps(tell({ message: 'm', count: 'two' })),
      { step: 'tell', field: 'steps.0.arguments.count' },
      /whole number/,
    ],
    [
      'an argument __proto__',
      withSteps(tell(JSON.parse('{"__proto__": "x"}'))),
      { step: 'tell', field: 'steps.0.arguments' },
      /reserved/,
    ],
    [
      'a template that is not closed',
      withSteps(tell({ message: 'a {{args.region' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /character 3 is not closed/,
    ],
    [
      'a template that names __proto__',
      withSteps(tell({ message: '{{args.__proto__}}' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /reserved/,
    ],
    [
      'a template of neither kind',
      withSteps(tell({ message: '{{env.HOME}}' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /is none of/,
    ],
    [
      'a template that goes into an argument',
      withSteps(tell({ message: '{{args.region.name}}' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /is a text/,
    ],
    [
      'a template within a list',
      withSteps(tell({ message: [{ a: '{{args.no}}' }] })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /no argument 'no'/,
    ],
    [
      'an argument that the workflow does not have',
      withSteps(tell({ message: '{{args.zone}}' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /no argument 'zone'/,
    ],
    [
      'an argument in single braces',
      withSteps({ name: 'r', resources: ['baton://projects/{args.zone}/tasks'] }),
      { step: 'r', field: 'steps.0.resources.0' },
      /'\{args\.zone\}' stands for itself; write \{\{args\.zone\}\}/,
    ],
    [
      'an output in single braces',
      withSteps(tell({ message: [{ a: 'It is {steps.check.id}' }] })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /'\{steps\.check\.id\}' stands for itself/,
    ],
    [
      'an unknown binding',
      withSteps(tell({ message: '{{steps.nobody.x}}' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /no step makes 'nobody'/,
    ],
    [
      'the output of a step without a tool',
      withSteps({ name: 'think', guidance: 'g' }, tell({ message: '{{steps.think}}' })),
      { step: 'tell', field: 'steps.1.arguments.message' },
      /no step makes 'think'/,
    ],
    [
      'a binding that is used before it is made',
      withSteps(tell({ message: '{{steps.check.id}}' }), { name: 'check', tool: 'validate_config' }),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /before step 'check' makes it/,
    ],
    [
      'a binding by the name that a step replaced',
      withSteps(
        { name: 'check', tool: 'validate_config', bind: 'config' },
        tell({ message: '{{steps.check.id}}' }),
      ),
      { step: 'tell', field: 'steps.1.arguments.message' },
      /no step makes 'check'/,
    ],
    [
      'a step that needs itself',
      withSteps(tell({ message: '{{steps.tell}}' })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /a cycle: 'tell' needs 'tell'/,
    ],
    [
      'a cycle over three steps',
      withSteps(
        tell({ message: '{{steps.b}}' }),
        { name: 'a', tool: 'validate_config', arguments: { region: '{{steps.tell}}' } },
        { name: 'b', tool: 'validate_config', arguments: { region: '{{steps.a}}' } },
      ),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /a cycle: 'tell' needs 'b' needs 'a' needs 'tell'/,
    ],
    [
      'a resource of an unknown argument',
      withSteps({ name: 'r', resources: ['baton://projects/{{args.p}}/tasks'] }),
      { step: 'r', field: 'steps.0.resources.0' },
      /no argument 'p'/,
    ],
    [
      'two steps of one name',
      withSteps(tell({}), tell({})),
      { step: 'tell', field: 'steps.1.name' },
      /two steps/,
    ],
    [
      'two steps that make one binding',
      withSteps(tell({}), { ...tell({}), name: 'again', bind: 'tell' }),
      { step: 'again', field: 'steps.1.bind' },
      /two steps make 'tell'/,
    ],
    [
      'arguments without a tool',
      withSteps({ name: 'x', arguments: { a: 1 } }),
      { step: 'x', field: 'steps.0.arguments' },
      /without a tool/,
    ],
    ['a step of nothing', withSteps({ name: 'x' }), { step: 'x', field: 'steps.0' }, /needs a tool/],
    [
      'an argument that nests without end',
      withSteps(tell({ message: JSON.parse('['.repeat(20) + ']'.repeat(20)) as unknown })),
      { step: 'tell', field: 'steps.0.arguments.message' },
      /nest/,
    ],
  ])('%s', (_claim, sent, at, problem) => {
    const refusal = refusalOf(sent);
    expect(refusal).toMatchObject({ code: 'invalid_arguments', ...at });
    expect(refusal?.problem).toMatch(problem);
    if (at.step !== undefined) expect(refusal?.message).toContain(`step '${at.step}' (${at.field}): `);
  });
});

test('a required argument of a tool may be left out: the client adds it', () => {
  expect(refusalOf(withSteps(tell({ count: 1 })))).toBeUndefined();
});

test('a refusal tells 20 problems and counts the rest', () => {
  const steps = Array.from({ length: 50 }, (_, n) => ({ name: `s${n}`, tool: 'none' }));
  expect(refusalOf(withSteps(...steps))?.message).toMatch(/; and 30 more$/);
});
