import { useEffect, useRef, useState } from 'preact/hooks';
import { ENDS, type EndsOverTime } from './count-over-time.ts';

const COLORS = { answered: '--baton-good', expired: '--baton-wait', failed: '--baton-bad' } as const;

/** How interactions and tasks have ended over time, drawn; the line below says the sums in words. */
export function EndsChart({ of: ended, newest }: { of: EndsOverTime; newest: number }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useColorScheme();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isCurrent = true;
    // The chart is by a library of some size, which other screens do without.
    void import('./draw-stacked-bars.ts').then(({ drawStackedBars }) => {
      if (!isCurrent || place.current === null) return;
      const styles = getComputedStyle(place.current);
      const layers = ENDS.map((end) => ({
        label: end,
        color: styles.getPropertyValue(COLORS[end]),
        counts: ended.counts[end],
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
        Of the newest {newest} interactions and tasks each:{' '}
        {ENDS.map((end, at) => (
          <span key={end}>
            {at > 0 && ', '}
            <span class={`key ${end}`} aria-hidden="true" /> {ended.totals[end]} {end}
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
