import {
  addDependencyTool,
  fixDependenciesTool,
  removeDependencyTool,
  validateDependenciesTool,
} from './dependencies.ts';
import { generatePromptTool } from './generate-prompt.ts';
import { complexityReportTool, connectFilesTool, initializeProjectTool, setRulesTool } from './project.ts';
import type { ProjectTool } from './project-tool.ts';
import { getTasksTool, getTaskTool, nextTaskTool, setTaskStatusTool } from './reading.ts';
import { addTagTool, copyTagTool, deleteTagTool, listTagsTool, renameTagTool, useTagTool } from './tags.ts';
import {
  addSubtaskTool,
  clearSubtasksTool,
  moveTaskTool,
  removeSubtaskTool,
  removeTaskTool,
} from './tasks.ts';

/** The tools that need no LLM, in the order in which they are listed. A new tool is one more entry. */
export const projectTools: readonly ProjectTool[] = [
  initializeProjectTool,
  getTasksTool,
  getTaskTool,
  nextTaskTool,
  setTaskStatusTool,
  addSubtaskTool,
  removeTaskTool,
  removeSubtaskTool,
  clearSubtasksTool,
  moveTaskTool,
  addDependencyTool,
  removeDependencyTool,
  validateDependenciesTool,
  fixDependenciesTool,
  complexityReportTool,
  listTagsTool,
  addTagTool,
  copyTagTool,
  renameTagTool,
  deleteTagTool,
  useTagTool,
  setRulesTool,
  connectFilesTool,
  generatePromptTool,
];
