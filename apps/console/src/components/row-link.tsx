import { plainText } from './plain-text.ts';

/** A link within the console. */
export function RowLink({ to, text }: { to: string; text: string }) {
  return <a href={`#${to}`}>{plainText(text) || to}</a>;
}
