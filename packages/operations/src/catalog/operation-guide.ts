import { isRecord } from '@baton/protocol';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { nextStepsSection, requireToolText } from './prompt-catalog.ts';

const MOST_FIELDS = 40;
const MOST_SHOWN = 500;

/**
 * The text for people that results do not carry: what an operation does, what is known of this one from its arguments
 * or its result, and what may come next. What is shown of the context is data, and is shown as such.
 *
 * @throws BatonError `invalid_arguments` for a name that has no text.
 */
export function formatOperationGuide(name: string, context: Readonly<Record<string, unknown>>): string {
  const text = requireToolText(name);
  const { title, description, nextSteps } = text;
  const happened = text.summarize(context);
  const facts = Object.entries(context)
    .filter(([field]) => field !== 'status' && field !== 'operation')
    .slice(0, MOST_FIELDS)
    .map(([field, value]) => `- **${field}**: ${inline(value)}`);
  return [
    `# ${title}`,
    happened ?? description,
    ...(facts.length > 0 ? ['## What is known', facts.join('\n')] : []),
    ...nextStepsSection(nextSteps),
    '',
  ].join('\n\n');
}

/** A value on one line, as code, so that no Markdown in it takes effect. */
function inline(value: unknown): string {
  if (Array.isArray(value) && value.length > 5) return `${value.length} entries`;
  const text =
    typeof value === 'string'
      ? value
      : isRecord(value) || Array.isArray(value)
        ? JSON.stringify(value)
        : String(value);
  const line = excerpt(text.replaceAll(/\s+/g, ' ').replaceAll('`', "'"), MOST_SHOWN) ?? '';
  return `\`${line}\``;
}
