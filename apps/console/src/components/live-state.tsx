import type { LiveValue } from '../live/use-live-value.ts';
import { plainText } from './plain-text.ts';
import { ClockTime } from './time.tsx';

/** When what is shown was read, and why it could not be read again. */
export function LiveState({ live: { value, error, updatedAt, reload } }: { live: LiveValue<unknown> }) {
  return (
    <p class="live-state">
      {error !== undefined && (
        <span class="problem" role="alert">
          {plainText(error.message)} {error.retryAfterMs !== undefined && 'The page tries again by itself. '}
        </span>
      )}
      {updatedAt === undefined ? (
        error === undefined && <span aria-busy="true">Loading</span>
      ) : (
        <>
          {value !== undefined && 'Updated '}
          <ClockTime iso={new Date(updatedAt).toISOString()} />
        </>
      )}{' '}
      <button type="button" class="small secondary outline" onClick={reload}>
        Reload
      </button>
    </p>
  );
}
