import { expect, test } from 'vitest';
import { deployWorkflow } from '../testing/sample-workflow.ts';
import { lastText } from '../testing/run-to-messages.ts';
import { parseWorkflow } from '../definition/parse-workflow.ts';
import { newProgress } from '../progress/workflow-progress.ts';
import { completedOutcome, runWorkflowInMemory } from '../testing/run-workflow-in-memory.ts';
import { MAX_SHOWN_LENGTH } from '../templates/value-budget.ts';
import { remainingCalls } from './remaining-calls.ts';
import { traceMessages } from './trace.ts';

test('a handoff is bounded, however often its calls repeat a large output: then it names it', () => {
  const steps = [
    { name: 'validate', tool: 'validate_config', arguments: { region: '{{args.region}}' } },
    { name: 'deploy', tool: 'deploy_service', arguments: { region: '{{steps.validate.none}}' } },
    ...Array.from({ length: 98 }, (_, n) => ({
      name: `tell${n}`,
      tool: 'notify_team',
      arguments: { message: 'To {{args.region}}: {{steps.validate.config}}' },
    })),
  ];
  const large = completedOutcome({ config: 'x'.repeat(100_000) });
  const text = lastText({ validate_config: large }, deployWorkflow({ steps }));
  expect(text.length).toBeLessThan(MAX_SHOWN_LENGTH + 20_000);
  expect(text.match(/^\d+\. Call notify_team with /gm)).toHaveLength(98);
  expect(text.match(/x{100000}/g)).toHaveLength(2);
  expect(text).toContain(
    `99. Call notify_team with {"message":"To <argument 'region'>: <field 'config' from validate>"}`,
  );
});

const MAX_DEFINITION_LENGTH = 32_768;

/** A workflow of 100 steps without tools, each of these parts, whose argument is `x`. */
function stepsOf(part: object, x: string) {
  const steps = Array.from({ length: 100 }, (_, n) => ({ name: `s${n}`, ...part }));
  const definition = { name: 'w', description: 'd', arguments: [{ name: 'x' }], steps };
  return { workflow: parseWorkflow(definition, () => undefined), args: { x } };
}

test('URIs and guidance of what is left share one bound, whatever an argument becomes when it is encoded', () => {
  const resources = Array(8).fill('a{{args.x}}');
  for (const x of ['中'.repeat(86_000), '中'.repeat(3_000)]) {
    const input = stepsOf({ resources, guidance: 'Read {{args.x}}' }, x);
    const left = remainingCalls(input, newProgress(input.workflow));
    expect(JSON.stringify(left).length).toBeLessThan(MAX_SHOWN_LENGTH + 4 * MAX_DEFINITION_LENGTH);
    expect(left.at(-1)).toMatchObject({
      resources: Array(8).fill("a%3Cargument%20'x'%3E"),
      guidance: "Read <argument 'x'>",
    });
  }
});

test('guidance of a whole trace has one bound', () => {
  const input = stepsOf({ guidance: 'See {{args.x}}' }, 'x'.repeat(7_000));
  const { length } = JSON.stringify(
    traceMessages(input, runWorkflowInMemory(input, { callTool: () => completedOutcome({}) })),
  );
  expect(length).toBeLessThan(MAX_SHOWN_LENGTH + 2 * MAX_DEFINITION_LENGTH);
});
