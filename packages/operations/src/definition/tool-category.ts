/** What a tool is about, for clients that group their tools: `_meta["baton/category"]` of its listing. */
export type ToolCategory =
  | 'project-management'
  | 'task-management'
  | 'dependency-management'
  | 'tag-management'
  | 'complexity-analysis'
  | 'delegation'
  | 'workflows'
  | 'agents'
  | 'prompts'
  | 'classification';
