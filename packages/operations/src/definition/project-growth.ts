/** The project that an answer changes, and bytes that it grows at least. */
export interface ProjectGrowth {
  readonly project: string;
  readonly growth: number;
}

/** 0 for what may make the project smaller: then only a project that does not exist yet needs room. */
export function growthOf(project: string, growth: 0 | 1 = 1): ProjectGrowth {
  return { project, growth };
}
