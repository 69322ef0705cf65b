import { z } from 'zod';
import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import { resumeWorkflow } from './resume-workflow.ts';
import { WorkflowTask } from '../workflows/workflow-task.ts';
import { workflowStatusOf } from '../workflows/workflow-status.ts';
import { defineEdgeAdmittedTool } from '../tools/tool.ts';

const output = z.looseObject({
  taskId: z.string(),
  status: z.enum(['working', 'completed']),
  workflow: z.string(),
  variables: z.looseObject({}).describe('How it stands now, as task_status shows it'),
  remaining: z.array(z.looseObject({ name: z.string() })).describe('What it handed off again'),
});

/** Goes on with a workflow that was handed off, as its prompt does with the id of a task. It calls the other tools. */
export const resumeWorkflowTool = defineEdgeAdmittedTool({
  name: 'resume_workflow',
  title: 'Go on with a workflow',
  category: 'workflows',
  changes: ['delegated-task'],
  description:
    'Has the server go on with a workflow that it handed off: from the first step that is not done, with the results of all ' +
    'that are. It completes the task when no step is left, and otherwise tells again what is left to do.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_SCOPE),
  input: z.strictObject({ taskId: z.string().min(1).max(100).describe('The task of the workflow') }),
  output: [output],
  run: async ({ taskId }, call) => {
    const { task, status, messages } = await resumeWorkflow(await WorkflowTask.read(call, taskId), call);
    const text = messages
      .map(
        ({ role, content }) =>
          `${role}: ${content.type === 'text' ? content.text : content.type === 'resource' ? JSON.stringify(content.resource['uri']) : `[${content.mimeType}]`}`,
      )
      .join('\n\n');
    const structured = { taskId, status, ...(await workflowStatusOf(task, call)) };
    return { text, structured, taskId };
  },
});
