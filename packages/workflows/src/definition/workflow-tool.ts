import type { JsonObject } from '@baton/protocol';

/** What is wrong with an argument of a tool: its name (dotted where it is nested), and what it must be. */
export interface ArgumentProblem {
  readonly field: string;
  readonly problem: string;
}

/** A tool as a definition is held against it. */
export interface WorkflowTool {
  /** Undefined where that is not known before it is called. */
  readonly argumentNames: ReadonlySet<string> | undefined;
  /** What its input schema says against these arguments. */
  findProblems(args: JsonObject): readonly ArgumentProblem[];
}

/** What is wrong with the URI of a resource, in which `unknown` stands for each value; undefined where it may name one. */
export type FindUriProblem = (uri: string, unknown: string) => string | undefined;

/** The tools that steps may call; undefined for a name that is no tool. */
export type FindTool = (name: string) => WorkflowTool | undefined;
