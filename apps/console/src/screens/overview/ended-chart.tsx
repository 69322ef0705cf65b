import { useEffect, useRef, useState } from 'preact/hooks';
import { END_STATUSES, type EndedOverTime } from './ended-over-time.ts';

const COLORS = { completed: '--baton-good', failed: '--baton-bad', cancelled: '--baton-wait' } as const;

/** How tasks have ended over time, drawn; the line below says the sums in words. */
export function EndedChart({ of: ended, tasks }: { of: EndedOverTime; tasks: number }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useColorScheme();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isCurrent = true;
    // The chart is by a library of some size, which other screens do without.
    void import('./draw-stacked-bars.ts').then(({ drawStackedBars }) => {
      if (!isCurrent || place.current === null) return;
      const styles = getComputedStyle(place.current);
      const layers = END_STATUSES.map((status) => ({
        label: status,
        color: styles.getPropertyValue(COLORS[status]),
        counts: ended.counts[status],
      }));
      remove = drawStackedBars(place.current, ended.times, layers, styles.color);
    });
    return () => {
      isCurrent = false;
      remove?.();
    };
  }, [ended, scheme]);
  return (
    <figure class="chart">
      <div ref={place} aria-hidden="true" />
      <figcaption>
        Of the newest {tasks} tasks:{' '}
        {END_STATUSES.map((status, at) => (
          <span key={status}>
            {at > 0 && ', '}
            <span class={`key ${status}`} aria-hidden="true" /> {ended.totals[status]} {status}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** Dark or light, as the browser says now. */
function useColorScheme(): 'dark' | 'light' {
  const [isDark, setIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const onChange = () => setIsDark(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isDark ? 'dark' : 'light';
}
