import type { Action } from './action.ts';
import { plainText } from '../plain-text.ts';

/** What an action came to, told to screen readers too. */
export function ActionResult({ action: { done, problem } }: { action: Action }) {
  return (
    <div aria-live="polite">
      {problem !== undefined && <p class="problem">{plainText(problem)}</p>}
      {done !== undefined && done !== '' && <p class="done">{plainText(done)}</p>}
    </div>
  );
}
