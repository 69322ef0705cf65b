import type { TaskDetailReply } from '@baton/gateway/reply-types';
import { plainText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { durationText, useNow } from '../../components/time.tsx';
import { type WaterfallSpan, waterfallOf } from './waterfall.ts';

/** A span is so wide at least, in percent of the whole, so that it can be seen. */
const LEAST_WIDTH = 0.6;

/** A task's time as a waterfall; each row says in words what its bar shows. */
export function WaterfallView({ task }: { task: TaskDetailReply }) {
  const spans = waterfallOf(task, useNow());
  const first = spans[0]?.from ?? 0;
  const whole = Math.max(1, ...spans.map(({ to }) => to - first));
  return (
    <ol class="waterfall" aria-label="Timeline">
      {spans.map((one, at) => (
        <li key={at}>
          <span class="what">
            <Title of={one} />
          </span>
          <span class="bar-line" aria-hidden="true">
            <span class={`bar ${one.kind} ${one.status ?? ''}`} style={placeOf(one, first, whole)} />
          </span>
          <span class="when">
            {`+${durationText(one.from - first)}`}
            {one.kind !== 'ended' && `, ${durationText(one.to - one.from)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Title({ of: { kind, label, interactionId } }: { of: WaterfallSpan }) {
  if (interactionId === undefined || kind === 'claimed') return <>{plainText(label)}</>;
  return (
    <>
      <RowLink to={['interactions', interactionId]} text="Interaction" /> {plainText(label)}
    </>
  );
}

function placeOf({ from, to }: WaterfallSpan, first: number, whole: number) {
  const width = Math.max(LEAST_WIDTH, ((to - from) / whole) * 100);
  const left = Math.min(((from - first) / whole) * 100, 100 - width);
  return { left: `${left}%`, width: `${width}%` };
}
