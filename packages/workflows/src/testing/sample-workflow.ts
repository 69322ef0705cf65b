import type { WorkflowTool } from '../definition/workflow-tool.ts';
import type { Workflow } from '../definition/workflow.ts';
import { parseWorkflow } from '../definition/parse-workflow.ts';
import { testTool } from './run-workflow-in-memory.ts';

const tools = new Map<string, WorkflowTool>([
  ['validate_config', testTool('region')],
  ['deploy_service', testTool('region', 'config')],
  ['notify_team', testTool('message')],
]);

export const findTestTool = (name: string) => tools.get(name);

/** What a caller would send. */
export function sampleWorkflow() {
  return {
    name: 'deploy',
    title: 'Deploy the service',
    description: 'deploy the service to a region',
    arguments: [
      { name: 'region', description: 'Where to', required: true },
      { name: 'note', description: 'What to tell the team' },
    ],
    steps: [
      { name: 'validate', tool: 'validate_config', arguments: { region: '{{args.region}}' } },
      {
        name: 'deploy',
        tool: 'deploy_service',
        arguments: { region: '{{args.region}}', config: '{{steps.validate.config.id}}', count: 2 },
        guidance: 'Prefer an hour\n  with little traffic.',
      },
      {
        name: 'tell',
        tool: 'notify_team',
        arguments: { message: 'Deployed {{steps.deploy.version}} to {{args.region}}. {{args.note}}' },
        guidance: 'Thank those who reviewed.',
      },
    ],
  };
}

/** The definition with some of its fields replaced, as it is stored. */
export function deployWorkflow(changes: object = {}): Workflow {
  return parseWorkflow({ ...sampleWorkflow(), ...changes }, findTestTool);
}
