import { expect, test } from 'vitest';
import { deployWorkflow } from '../testing/sample-workflow.ts';
import { completedOutcome } from '../testing/run-workflow-in-memory.ts';
import { lastText } from '../testing/run-to-messages.ts';
import { MAX_SHOWN_LENGTH } from './remaining-calls.ts';

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
