import { BatonError } from '@baton/protocol';
import { projectRoot, tag, taskId } from '../definition/shared-arguments.ts';
import { z } from 'zod';
import { booleanOrText } from '../schema/coercion.ts';
import {
  type ComplexityReport,
  complexityReportSchema as reportShape,
  type Project,
  openTag,
} from '../project/index.ts';
import { renderComplexityChart } from '../views/index.ts';
import { fitReply } from '../views/reply-room.ts';
import { pluralize, defineViewTool } from './project-tool.ts';

const reportInput = z.strictObject({
  tag,
  projectRoot,
  after: taskId.optional().describe('Only what is listed behind this task: nextAfter of the page before'),
  chart: booleanOrText('Add a bar chart of the most complex tasks to the content, as an image (SVG)'),
});

const reportResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  /** Null before anything was analyzed. */
  report: reportShape.nullable(),
  message: z.string(),
  /** The task of the last entry shown, where there are more. */
  nextAfter: z.int().optional(),
});

/** The complexity report of a tag. @throws BatonError `project_not_found`, `tag_not_found`. */
export function readComplexityReport(
  project: Project | undefined,
  input: { readonly projectRoot: string; readonly tag?: string | undefined },
): z.infer<typeof reportResult> {
  const { projectRoot } = input;
  const { existing, tag } = openTag(project, projectRoot, input.tag);
  const report = existing.reports.get(tag) ?? null;
  const message =
    report === null
      ? `Nothing of tag '${tag}' was analyzed yet: analyze_project_complexity does it.`
      : `${pluralize(report.complexityAnalysis.length, 'task')} of tag '${tag}' analyzed.`;
  return { projectRoot, tag, report, message };
}

/** A page of the same. */
function pageOfReport(
  project: Project | undefined,
  { after, ...of }: z.infer<typeof reportInput>,
): z.infer<typeof reportResult> {
  const whole = readComplexityReport(project, of);
  if (whole.report === null) return whole;
  const entries = entriesAfter(whole.report.complexityAnalysis, after);
  const complexityAnalysis = fitReply(entries, (entry) => entry);
  const next = complexityAnalysis.length < entries.length ? complexityAnalysis.at(-1)?.taskId : undefined;
  return {
    ...whole,
    report: { ...whole.report, complexityAnalysis },
    ...(next === undefined ? {} : { nextAfter: next }),
  };
}

type Entries = ComplexityReport['complexityAnalysis'];

function entriesAfter(entries: Entries, after: string | number | undefined): Entries {
  if (after === undefined) return entries;
  const at = entries.findIndex(({ taskId: id }) => id === Number(after));
  if (at !== -1) return entries.slice(at + 1);
  throw new BatonError('invalid_arguments', `after: task ${after} is not in the report.`, { field: 'after' });
}

export const complexityReportTool = defineViewTool({
  name: 'complexity_report',
  title: 'Show the complexity report',
  category: 'complexity-analysis',
  description: 'Shows what analyze_project_complexity found, the most complex tasks and how to split them.',
  input: reportInput,
  result: reportResult,
  view: (project, given) => pageOfReport(project, given),
  summarize: ({ message }) => message,
  images: ({ report, tag }, { chart }) =>
    chart !== true || report === null
      ? []
      : [{ mimeType: 'image/svg+xml', text: renderComplexityChart(report, tag) }],
});
