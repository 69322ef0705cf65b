const DAY_MS = 86_400_000;

/** The day of UTC that holds a time in milliseconds, as ISO 8601 names it. */
export function utcDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The days from one to another, both included, in order. */
export function utcDaysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) days.push(utcDay(at));
  return days;
}
