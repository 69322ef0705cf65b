/** Ten steps over Baton's own instant tools: six that read a project and four that change it. Its task 1 ends as it began. */
export function tenSteps(projectRoot: string): object[] {
  const set = (status: string) => ['set_task_status', { id: '{{steps.s0.task.id}}', status }] as const;
  const calls: (readonly [tool: string, args?: object])[] = [
    ['next_task'],
    set('in-progress'),
    ['get_tasks'],
    set('review'),
    ['get_task', { id: '{{steps.s0.task.id}}' }],
    set('blocked'),
    ['list_tags'],
    set('pending'),
    ['validate_dependencies'],
    ['complexity_report'],
  ];
  return calls.map(([tool, args], at) => ({ name: `s${at}`, tool, arguments: { projectRoot, ...args } }));
}
