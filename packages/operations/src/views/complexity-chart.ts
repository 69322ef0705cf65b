import { x } from 'xastscript';
import { toXml } from 'xast-util-to-xml';
import type { ComplexityReport } from '../project/index.ts';

/** The most complex tasks of a report have a bar each, up to so many. */
const MAX_BARS = 100;
/** In characters; longer titles are cut. At 13 pixels, also wide ones fit into the chart. */
const MAX_TITLE_LENGTH = 56;

/** In pixels. */
const WIDTH = 800;
const MARGIN = 24;
const HEADER_HEIGHT = 76;
const ROW_HEIGHT = 44;
const PIXELS_PER_POINT = 60;
const MAX_SCORE = 10;

const COLOURS = { complex: '#c2410c', simple: '#2563eb', scale: '#eef0f3', text: '#1f2937', note: '#57606a' };

/**
 * A complexity report as a bar chart, the most complex tasks first: an SVG document without scripts or references. Titles are
 * data, cut, and without characters that XML does not allow or that turn the direction of what follows.
 */
export function renderComplexityChart(report: ComplexityReport, tag: string): string {
  const { thresholdScore } = report.meta;
  const entries = [...report.complexityAnalysis].sort(
    (a, b) => b.complexityScore - a.complexityScore || a.taskId - b.taskId,
  );
  const shown = entries.slice(0, MAX_BARS);
  const leftOut = entries.length - shown.length;
  const heading = `Complexity of the tasks of ${cutText(tag)}${leftOut === 0 ? '' : `: ${shown.length} of ${entries.length}, ${leftOut} less complex ones left out`}`;
  const height = HEADER_HEIGHT + shown.length * ROW_HEIGHT + MARGIN;
  const size = { width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` };
  const font = { 'font-family': 'sans-serif', 'font-size': 13, fill: COLOURS.text };
  const svg = x('svg', { xmlns: 'http://www.w3.org/2000/svg', role: 'img', ...size, ...font }, [
    x('title', heading),
    x('rect', { width: WIDTH, height, fill: '#ffffff' }),
    x('text', { x: MARGIN, y: 34, 'font-size': 17, 'font-weight': 'bold' }, heading),
    x(
      'text',
      { x: MARGIN, y: 56, fill: COLOURS.note },
      `Scores of 1 to ${MAX_SCORE}; orange: ${thresholdScore} and more, worth expanding`,
    ),
    ...shown.flatMap((entry, at) => {
      const { taskId, taskTitle, complexityScore: score, recommendedSubtasks: subtasks } = entry;
      const top = HEADER_HEIGHT + at * ROW_HEIGHT;
      const bar = { x: MARGIN, y: top + 20, height: 14, rx: 3 };
      const afterScale = MARGIN + MAX_SCORE * PIXELS_PER_POINT + 12;
      const fill = score >= thresholdScore ? COLOURS.complex : COLOURS.simple;
      return [
        x('text', { x: MARGIN, y: top + 13 }, `${taskId}. ${cutText(taskTitle)}`),
        x('rect', { ...bar, width: MAX_SCORE * PIXELS_PER_POINT, fill: COLOURS.scale }),
        x('rect', { ...bar, width: score * PIXELS_PER_POINT, fill }),
        x(
          'text',
          { x: afterScale, y: top + 32 },
          `${score}, ${subtasks} ${subtasks === 1 ? 'subtask' : 'subtasks'}`,
        ),
      ];
    }),
  ]);
  // XML forbids `]]>` in text, and the library leaves it as it is.
  return toXml(svg).replaceAll(']]>', ']]&gt;');
}

const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu;

function cutText(text: string): string {
  // Characters have up to two units; what is cut off is not looked at.
  const characters = [...text.slice(0, 2 * MAX_TITLE_LENGTH + 1).replaceAll(UNSHOWN, ' ')];
  return characters.length <= MAX_TITLE_LENGTH
    ? characters.join('')
    : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}
