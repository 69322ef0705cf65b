/** What is wrong with a definition: the step's name where it is a step's, and the field by its path in the definition. */
export interface WorkflowProblem {
  readonly step?: string;
  readonly field: string;
  readonly problem: string;
}
