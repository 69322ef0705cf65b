import { RESERVED_NAMES } from '@baton/protocol';

/** What `{{...}}` stands for. */
export type Reference =
  | { readonly from: 'args'; readonly name: string }
  | { readonly from: 'steps'; readonly binding: string; readonly path: readonly string[] }
  /** A variable of the task: `_workflow.progress`, `_workflow.result.<step>` or `_workflow.extra.<tool>`. */
  | {
      readonly from: 'task';
      readonly variable: string;
      readonly family: 'progress' | 'result' | 'extra';
      /** The step or the tool; empty for the progress. */
      readonly of: string;
      readonly path: readonly string[];
    };

/** A template as text between references. */
export type TemplatePart = string | Reference;

/** A template that cannot be parsed. Its message says where and why. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Fields that one reference may go down. */
const MAX_PATH = 16;

/**
 * Parses a string: text, `{{args.x}}`, `{{steps.<binding>.<dotted.field>}}`, `{{task.<variable>.<dotted.field>}}`, and `{{'...'}}` for text that would be
 * taken for a template. Errors: TemplateError.
 */
export function parseTemplate(source: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const addText = (text: string) => {
    const last = parts.at(-1);
    if (typeof last === 'string') parts[parts.length - 1] = last + text;
    else if (text !== '') parts.push(text);
  };
  let at = 0;
  for (;;) {
    const open = source.indexOf('{{', at);
    if (open < 0) break;
    addText(source.slice(at, open));
    const close = source.indexOf('}}', open + 2);
    if (close < 0) throw new TemplateError(`'{{' at character ${open + 1} is not closed by '}}'`);
    const inner = source.slice(open + 2, close).trim();
    const literal = /^'([^']*)'$/.exec(inner)?.[1];
    if (literal === undefined) parts.push(parseReference(inner));
    else addText(literal);
    at = close + 2;
  }
  addText(source.slice(at));
  return parts;
}

/** A reference in single braces, which stand for themselves; a `$` before them is another language's template. */
const SINGLE_BRACES = /(?<![{$])\{((?:args|steps)\.[A-Za-z0-9_.-]{1,100})\}(?!\})/;

/** What stands in single braces in the text of a template and would be a reference in double ones; the first, where there are several. */
export function findSingleBraces(source: string): string | undefined {
  return SINGLE_BRACES.exec(source.replace(/\{\{.*?\}\}/gs, ' '))?.[1];
}

function parseReference(text: string): Reference {
  const shown = `'{{${text.slice(0, 100)}}}'`;
  const [from, ...names] = text.split('.');
  for (const name of names) {
    if (RESERVED_NAMES.has(name)) throw new TemplateError(`${shown} names '${name}', which is reserved`);
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new TemplateError(`${shown} has no readable name: use letters, digits, '_' and '-'`);
  }
  const [name, ...path] = names;
  if (from === 'args' && name !== undefined) {
    if (path.length > 0)
      throw new TemplateError(`${shown} goes into an argument, which is a text; use '{{args.${name}}}'`);
    return { from, name };
  }
  if (from === 'steps' && name !== undefined) {
    if (path.length > MAX_PATH) throw new TemplateError(`${shown} goes down more than ${MAX_PATH} fields`);
    return { from, binding: name, path };
  }
  if (from === 'task') return parseVariable(names, shown);
  throw new TemplateError(
    `${shown} is none of '{{args.<name>}}', '{{steps.<binding>.<field>}}' and '{{task.<variable>}}'`,
  );
}

function parseVariable([root, family, ...rest]: readonly string[], shown: string): Reference {
  if (rest.length > MAX_PATH + 1) throw new TemplateError(`${shown} goes down more than ${MAX_PATH} fields`);
  if (root === '_workflow' && family === 'progress')
    return { from: 'task', variable: '_workflow.progress', family, of: '', path: rest };
  const [of, ...path] = rest;
  if (root === '_workflow' && (family === 'result' || family === 'extra') && of !== undefined)
    return { from: 'task', variable: `_workflow.${family}.${of}`, family, of, path };
  throw new TemplateError(
    `${shown} names no variable: there are '_workflow.progress', '_workflow.result.<step>' and '_workflow.extra.<tool>'`,
  );
}
