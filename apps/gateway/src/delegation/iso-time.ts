/** Milliseconds as ISO 8601. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
