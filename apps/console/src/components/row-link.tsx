import { plainText } from './plain-text.ts';
import { routePath } from './route.ts';

/** A link to a screen of the console: `to` has the parts of its path as they are, not encoded. */
export function RowLink({ to, text }: { to: readonly string[]; text: string }) {
  return <a href={`#${routePath(...to)}`}>{plainText(text) || to.at(-1)}</a>;
}
