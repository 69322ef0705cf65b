import {
  addDependencyTool,
  fixDependenciesTool,
  removeDependencyTool,
  validateDependenciesTool,
} from './dependency-tools.ts';
import { attachToTaskTool } from './attach-tool.ts';
import {
  connectFilesTool,
  initializeProjectTool,
  responseLanguageTool,
  setRulesTool,
} from './project-metadata-tools.ts';
import { complexityReportTool } from './complexity-report-tool.ts';
import type { ProjectTool } from './project-tool.ts';
import { getTasksTool, getTaskTool, nextTaskTool } from './task-view-tools.ts';
import { setTaskStatusTool, startNextTaskTool } from './task-status-tools.ts';
import {
  addTagTool,
  copyTagTool,
  deleteTagTool,
  listTagsTool,
  renameTagTool,
  useTagTool,
} from './tag-tools.ts';
import {
  addSubtaskTool,
  clearSubtasksTool,
  moveTaskTool,
  removeSubtaskTool,
  removeTaskTool,
} from './task-change-tools.ts';

/** The tools that read or change a project, in the order in which they are listed: those that prompts may have as functions. */
export const functionTools: readonly ProjectTool[] = [
  initializeProjectTool,
  getTasksTool,
  getTaskTool,
  nextTaskTool,
  startNextTaskTool,
  setTaskStatusTool,
  addSubtaskTool,
  removeTaskTool,
  removeSubtaskTool,
  clearSubtasksTool,
  moveTaskTool,
  attachToTaskTool,
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
  responseLanguageTool,
  connectFilesTool,
];
