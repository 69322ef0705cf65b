import type { TenantStore } from '@baton/store';
import { plainLine } from '../output/plain-text.ts';

const EVERY_MS = 1_000;
/** An agent that runs has claimed a request, or answered it, within this time. */
const PATIENCE_MS = 2_000;
/** Lines of one look; of more requests the number is told. */
const MAX_LINES = 5;

/** Sees all that waits for an answer in the tenant. */
const OBSERVER = { principal: 'baton-dev', scopes: new Set(['agent'] as const) };

/**
 * Tells the terminal of `baton dev` what waits for an LLM and how it is answered: each request once, when nobody has claimed it for two
 * seconds. Only the oldest page of a tenant's pending requests is read.
 */
export function announceWaitingRequests(
  { queries }: Pick<TenantStore, 'queries'>,
  say: (line: string) => void,
): { stop(): void } {
  let told = new Set<string>();
  const look = async () => {
    const { items } = await queries.pending.summaries(OBSERVER, {});
    const waiting = items.filter(
      ({ createdAt, claimedUntil, provider }) =>
        claimedUntil === undefined && provider === undefined && Date.now() - createdAt > PATIENCE_MS,
    );
    const fresh = waiting.filter(({ interactionId }) => !told.has(interactionId));
    for (const { operation, interactionId } of fresh.slice(0, MAX_LINES))
      say(`  ${plainLine(operation)} waits: npx baton agent, or npx baton answer ${interactionId}`);
    if (fresh.length > MAX_LINES) say(`  and ${fresh.length - MAX_LINES} more wait: npx baton pending`);
    const pending = new Set(items.map(({ interactionId }) => interactionId));
    told = new Set(
      [...told, ...fresh.map(({ interactionId }) => interactionId)].filter((id) => pending.has(id)),
    );
  };
  // While Redis does not answer, the log of the gateway says so.
  const timer = setInterval(() => void look().catch(() => {}), EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
