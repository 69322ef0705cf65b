import { useEffect, useState } from 'preact/hooks';

/** The time now, anew each second while the page is looked at, in milliseconds since the epoch. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const tick = () => {
      if (!document.hidden) setNow(Date.now());
    };
    const timer = setInterval(tick, 1_000);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, []);
  return now;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A length of time in its two greatest units, or in milliseconds below a second. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const at = UNITS.findIndex(([size]) => ms >= size);
  const [size, unit] = UNITS[at] ?? UNITS[3];
  const whole = Math.floor(ms / size);
  const [nextSize, nextUnit] = UNITS[at + 1] ?? [0, ''];
  const rest = nextSize === 0 ? 0 : Math.floor((ms - whole * size) / nextSize);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${nextUnit}`;
}

/** How long ago a time was, or how long until it; the time itself in its title. */
export function RelativeTime({ iso }: { iso: string }) {
  const ms = useNow() - Date.parse(iso);
  const length = durationText(Math.floor(Math.abs(ms) / 1_000) * 1_000);
  const text = Math.abs(ms) < 1_000 ? 'now' : ms > 0 ? `${length} ago` : `in ${length}`;
  return (
    <time dateTime={iso} title={new Date(iso).toLocaleString()}>
      {text}
    </time>
  );
}

/** A time of day to the second, with its date in the title. */
export function ClockTime({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={new Date(iso).toLocaleString()}>
      {new Date(iso).toLocaleTimeString()}
    </time>
  );
}
