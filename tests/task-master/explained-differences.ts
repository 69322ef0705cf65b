/** Each difference between Baton's tools and claude-task-master's, with its reason; `*` stands for every tool that has it. */
export const EXPLAINED_DIFFERENCES: Readonly<Record<string, string>> = {
  '*.projectRoot: optional': 'A call without it means project `default`.',

  'models: missing':
    'Calls go to the model of the agent that answers; an operator sets the models of the roles by REST.',
  'rules: missing':
    'It installs rule files of editors into a folder. set_rules keeps the rules of a project, initialize_project ignores the profiles.',
  'generate: missing': 'It writes a file per task into a folder. GET /v1/projects/{id} gives tasks.json.',
  'autopilot_start: missing':
    'It works in a Git repository on the machine of its user, as all of autopilot does.',
  'autopilot_resume: missing': 'As autopilot_start.',
  'autopilot_next: missing': 'As autopilot_start.',
  'autopilot_status: missing': 'As autopilot_start.',
  'autopilot_complete_phase: missing': 'As autopilot_start.',
  'autopilot_commit: missing': 'As autopilot_start.',
  'autopilot_finalize: missing': 'As autopilot_start.',
  'autopilot_abort: missing': 'As autopilot_start.',
  'response-language: missing':
    'It is response_language here, a name that claude-task-master takes too where tools are chosen.',

  'add_task.priority: fewer words':
    'A word that is no priority is refused; there it becomes the default without a word.',
  'add_subtask.status: fewer words':
    'A word that is no status is refused; there it is stored, and no filter finds it.',

  'scope_up_task.strength: fewer words': 'A word that is none of the three is refused, as it is there.',
  'scope_down_task.strength: fewer words': 'As scope_up_task.',

  'initialize_project.name: added': 'A hosted project has no folder to be called by.',
  'initialize_project.requirements: added': 'What requests to LLMs carry of a project.',
  'initialize_project.techStack: added': 'As requirements.',
  'initialize_project.tasks: added': 'Its first tasks, where a caller knows them.',
  'parse_prd.prd: added': 'Baton opens no paths: the document can come with the call.',
  'parse_prd.echo: added': 'A caller that has the document need not read it again in the directive.',
  'expand_all.perRequest: added': 'Several tasks may be split by one request.',
  'expand_all.atOnce: added':
    'How many requests are open at once is the business of the agents that answer them.',
  'get_tasks.after: added': 'Long lists come in pages.',
  'get_tasks.file: added': 'Earlier releases of claude-task-master have it; ignored.',
  'get_tasks.complexityReport: added': 'As file.',
  'get_task.file: added': 'As file of get_tasks.',
  'get_task.complexityReport: added': 'As file of get_tasks.',
  'set_task_status.file: added': 'As file of get_tasks.',
  'set_task_status.complexityReport: added': 'As file of get_tasks.',
  'complexity_report.tag: added': 'There is a report per tag, and no path to tell them apart by.',
  'complexity_report.after: added': 'A report is read in pages of some 15,000 tokens.',
  'get_tasks.limit: added': 'A page has as many tasks as the caller has room for.',
  'complexity_report.chart: added': 'A client that shows images has no file to draw one from.',
  'add_subtask.testStrategy: added': 'The subtasks of files have one.',
};
