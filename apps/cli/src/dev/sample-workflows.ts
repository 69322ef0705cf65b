/** The examples of docs/workflows.md, which `baton dev` stores beside the sample project. */
const prdToSprint = {
  name: 'prd_to_sprint',
  title: 'PRD to sprint',
  description: 'turn a document into a sprint of ranked, split tasks',
  arguments: [
    { name: 'project', description: "The project's key", required: true },
    { name: 'prd', description: 'The document', required: true },
    { name: 'sprint', description: 'The tag that the sprint gets, such as sprint-1', required: true },
    { name: 'tasks', description: 'How many tasks, roughly' },
  ],
  steps: [
    {
      name: 'open_sprint',
      tool: 'add_tag',
      arguments: { projectRoot: '{{args.project}}', name: '{{args.sprint}}' },
    },
    {
      name: 'plan',
      tool: 'parse_prd',
      arguments: {
        projectRoot: '{{args.project}}',
        tag: '{{args.sprint}}',
        prd: '{{args.prd}}',
        numTasks: '{{args.tasks}}',
      },
      guidance: 'A task is what one person finishes within the sprint.',
    },
    {
      name: 'rank',
      tool: 'analyze_project_complexity',
      arguments: { projectRoot: '{{args.project}}', tag: '{{args.sprint}}' },
    },
    {
      name: 'split',
      tool: 'expand_all',
      arguments: { projectRoot: '{{args.project}}', tag: '{{args.sprint}}' },
      guidance: 'Split only what was ranked as complex; expand_task splits a single task.',
    },
    {
      name: 'first',
      tool: 'next_task',
      arguments: { projectRoot: '{{args.project}}', tag: '{{args.sprint}}' },
    },
  ],
};

const weeklyReplan = {
  name: 'weekly_replan',
  title: 'Weekly re-plan',
  description: 'bring the plan of a project up to date with the past week',
  arguments: [
    { name: 'project', description: "The project's key", required: true },
    { name: 'change', description: 'What has changed since the last week', required: true },
  ],
  steps: [
    {
      name: 'look',
      guidance: 'Ask about tasks that are in progress for more than a week before you go on.',
      resources: ['baton://projects/{{args.project}}/status'],
    },
    { name: 'repair', tool: 'fix_dependencies', arguments: { projectRoot: '{{args.project}}' } },
    { name: 'next', tool: 'next_task', arguments: { projectRoot: '{{args.project}}' } },
    {
      name: 'replan',
      tool: 'update',
      arguments: {
        projectRoot: '{{args.project}}',
        from: '{{steps.next.task.id}}',
        prompt: '{{args.change}}',
      },
      guidance: 'Keep what has begun as it is, unless the change contradicts it.',
    },
    {
      name: 'report',
      tool: 'get_tasks',
      arguments: { projectRoot: '{{args.project}}' },
      guidance: 'Tell in five sentences what is different from the last week.',
    },
  ],
};

const finishTask = {
  name: 'finish_task',
  title: 'Finish a task',
  description: 'finish a task and begin the next one',
  arguments: [
    { name: 'project', description: "The project's key", required: true },
    { name: 'task', description: 'The task that is done, such as 5 or 5.2', required: true },
  ],
  steps: [
    {
      name: 'finish',
      tool: 'set_task_status',
      arguments: { projectRoot: '{{args.project}}', id: '{{args.task}}', status: 'done' },
    },
    { name: 'next', tool: 'next_task', arguments: { projectRoot: '{{args.project}}' } },
    {
      name: 'begin',
      tool: 'set_task_status',
      arguments: { projectRoot: '{{args.project}}', id: '{{steps.next.task.id}}', status: 'in-progress' },
      guidance: 'Where nothing is next, the sprint is over.',
    },
    {
      name: 'brief',
      tool: 'get_task',
      arguments: { projectRoot: '{{args.project}}', id: '{{steps.next.task.id}}' },
      guidance: 'Read the details and the test strategy before you start.',
    },
  ],
};

export const sampleWorkflows: readonly { readonly name: string }[] = [prdToSprint, weeklyReplan, finishTask];
