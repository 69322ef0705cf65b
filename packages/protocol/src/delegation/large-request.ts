import { BYTES_PER_TOKEN } from '../text/token-estimate.ts';

/** Over this many tokens by estimate a directive carries a warning. */
const LARGE_REQUEST_TOKENS = 20_000;

/** The warning for a request over LARGE_REQUEST_TOKENS; undefined for any other. */
export function largeRequestWarning(request: object): string | undefined {
  const text = JSON.stringify(request);
  const most = LARGE_REQUEST_TOKENS * BYTES_PER_TOKEN;
  // A character is three bytes at most, so most requests need no second look.
  if (text.length * 3 <= most) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= most) return undefined;
  const tokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  return `This request is about ${tokens} tokens long (${bytes} bytes); make sure that the model takes as many.`;
}
