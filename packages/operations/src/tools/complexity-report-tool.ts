import { projectRoot, tag } from '../definition/shared-arguments.ts';
import { z } from 'zod';
import { booleanOrText } from '../schema/coercion.ts';
import {
  complexityReportSchema as reportShape,
  type Project,
  requireProject,
  resolveTag,
  requireTag,
} from '../project/index.ts';
import { renderComplexityChart } from '../views/index.ts';
import { pluralize, defineViewTool } from './project-tool.ts';

const reportResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  /** Null before anything was analyzed. */
  report: reportShape.nullable(),
  message: z.string(),
});

/** The complexity report of a tag. @throws BatonError `project_not_found`, `tag_not_found`. */
export function readComplexityReport(
  project: Project | undefined,
  input: { readonly projectRoot: string; readonly tag?: string | undefined },
): z.infer<typeof reportResult> {
  const { projectRoot } = input;
  const existing = requireProject(project, projectRoot);
  const tag = resolveTag(existing, input.tag);
  requireTag(existing, tag);
  const report = existing.reports.get(tag) ?? null;
  const message =
    report === null
      ? `Nothing of tag '${tag}' was analyzed yet: analyze_project_complexity does it.`
      : `${pluralize(report.complexityAnalysis.length, 'task')} of tag '${tag}' analyzed.`;
  return { projectRoot, tag, report, message };
}

export const complexityReportTool = defineViewTool({
  name: 'complexity_report',
  title: 'Show the complexity report',
  category: 'complexity-analysis',
  description: 'Shows what analyze_project_complexity found, the most complex tasks and how to split them.',
  input: z.strictObject({
    tag,
    projectRoot,
    chart: booleanOrText('Add a bar chart of the most complex tasks to the content, as an image (SVG)'),
  }),
  result: reportResult,
  view: (project, given) => readComplexityReport(project, given),
  summarize: ({ message }) => message,
  images: ({ report, tag }, { chart }) =>
    chart !== true || report === null
      ? []
      : [{ mimeType: 'image/svg+xml', text: renderComplexityChart(report, tag) }],
});
