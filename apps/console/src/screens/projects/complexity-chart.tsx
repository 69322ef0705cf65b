import { useLiveValue } from '../../live/use-live-value.ts';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';

interface Report {
  readonly report: {
    readonly complexityAnalysis: readonly {
      readonly taskId: number;
      readonly taskTitle: string;
      readonly complexityScore: number;
    }[];
  } | null;
}

const MOST_SCORE = 10;

/** The complexity report of a tag as bars, for whoever may call tools; nothing where nothing was analyzed. */
export function ComplexityChart({ project, tag }: { project: string; tag: string }) {
  const session = useSession();
  const { value } = useLiveValue(session, `complexity ${project} ${tag}`, () =>
    session.client.post<Report>('/tools/complexity_report', { projectRoot: project, tag }),
  );
  const entries = value?.report?.complexityAnalysis ?? [];
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>Complexity</h2>
      <ol class="waterfall" aria-label="Complexity by task">
        {entries.map(({ taskId, taskTitle, complexityScore }) => (
          <li key={taskId}>
            <span class="what">{plainText(`${taskId} ${taskTitle}`)}</span>
            <span class="bar-line" aria-hidden="true">
              <span class="bar" style={{ left: 0, width: `${(complexityScore / MOST_SCORE) * 100}%` }} />
            </span>
            <span class="when">
              {complexityScore} of {MOST_SCORE}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
