import { useEffect, useRef, useState } from 'preact/hooks';
import { OUTCOMES, type OutcomesOverTime } from './count-over-time.ts';

const COLORS = { answered: '--baton-good', expired: '--baton-wait', failed: '--baton-bad' } as const;

/** How interactions and tasks have ended over time, drawn; the line below says the sums in words. */
export function OutcomesChart({ of: counted, newest }: { of: OutcomesOverTime; newest: number }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useColorScheme();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isCurrent = true;
    // The chart is by a library of some size, which other screens do without.
    void import('./draw-stacked-bars.ts').then(({ drawStackedBars }) => {
      if (!isCurrent || place.current === null) return;
      const styles = getComputedStyle(place.current);
      const layers = OUTCOMES.map((outcome) => ({
        label: outcome,
        color: styles.getPropertyValue(COLORS[outcome]),
        counts: counted.counts[outcome],
      }));
      remove = drawStackedBars(place.current, counted.times, layers, styles.color);
    });
    return () => {
      isCurrent = false;
      remove?.();
    };
  }, [counted, scheme]);
  return (
    <figure class="chart">
      <div ref={place} aria-hidden="true" />
      <figcaption>
        Of the newest {newest} interactions and tasks each:{' '}
        {OUTCOMES.map((outcome, at) => (
          <span key={outcome}>
            {at > 0 && ', '}
            <span class={`key ${outcome}`} aria-hidden="true" /> {counted.totals[outcome]} {outcome}
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
