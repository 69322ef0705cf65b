import { type AnswerParser, checkAnswer, type Program } from '@baton/engine';
import { BatonError, extractText, textAsSent, type Json, type Validation } from '@baton/protocol';
import { z } from 'zod';
import type { ParserTag, PromptParser } from '../prompt/prompt.ts';
import { findMarkdownTags } from './markdown-tags.ts';
import { type FoundTags, valueOfTags } from './tag-sections.ts';
import { findXmlTags } from './xml-tags.ts';

/** What one call changes of its prompt's parser: tags that it needs, and tags that it can do without. */
export const parserArgsSchema = z.strictObject({
  required: z.array(z.string().max(100)).max(50).optional(),
  optional: z.array(z.string().max(100)).max(50).optional(),
});
export type ParserArgs = z.infer<typeof parserArgsSchema>;

interface TagSyntax {
  /** The text that tags are looked for in. */
  readonly textOf: (data: unknown) => Validation<string>;
  find(text: string, names: readonly string[]): FoundTags;
  /** A tag as problems and instructions name it. */
  readonly write: (name: string) => string;
  readonly form: string;
}

const XML: TagSyntax = {
  // A prompt may ask for a tag that is named like those of reasoning; it passes over thoughts itself.
  textOf: textAsSent,
  find: findXmlTags,
  write: (name) => `<${name}>`,
  form: 'in XML tags, such as <name>...</name>, each closed',
};
const MARKDOWN: TagSyntax = {
  textOf: extractText,
  find: findMarkdownTags,
  write: (name) => `the code block \`\`\`${name}`,
  form: 'in fenced code blocks, such as ```name, each in lines of its own and closed by ```',
};

/**
 * How the answers of a prompt are read: as words, as JSON that fits its schema, or as tags (`valueOfTags`). What does not
 * parse is a problem that the exception handler quotes. Errors: `invalid_arguments` for arguments that the parser lacks.
 */
export function answerParserOf(parser: PromptParser, args: ParserArgs = {}): AnswerParser<Json> {
  const given = Object.values(args).flat();
  if (parser.type === 'xml' || parser.type === 'md') {
    return tagParser(parser.type === 'xml' ? XML : MARKDOWN, withArgs(parser.tags, args));
  }
  if (given.length > 0) throw refusal(`a parser of type '${parser.type}' has no tags`);
  if (parser.type === 'text') return { read: readWords };
  return {
    parameters: { schema: parser.schema, objectName: 'answer' },
    read: (data) => checkAnswer(parser.schema, data),
  };
}

function* readWords(data: Json): Program<Validation<Json>> {
  const text = extractText(data);
  return text.ok && text.value.trim() === '' ? { ok: false, problem: 'the text is empty' } : text;
}

function tagParser(syntax: TagSyntax, tags: readonly ParserTag[]): AnswerParser<Json> {
  const names = tags.map(({ name }) => name);
  return {
    instructions: instructionsFor(syntax, tags),
    *read(data): Program<Validation<Json>> {
      const text = syntax.textOf(data);
      return text.ok ? valueOfTags(tags, syntax.find(text.value, names), syntax.write) : text;
    },
  };
}

function instructionsFor({ write, form }: TagSyntax, tags: readonly ParserTag[]): string {
  const lines = tags.map(({ name, required, signal, many }) => {
    const notes = [
      required ? 'required' : 'if there is something to say',
      ...(signal ? ['empty: that it is there is what counts'] : []),
      ...(many ? ['once for each'] : []),
    ];
    return `- ${write(name)} (${notes.join('; ')})`;
  });
  return `Answer ${form}:\n${lines.join('\n')}`;
}

function withArgs(
  tags: readonly ParserTag[],
  { required = [], optional = [] }: ParserArgs,
): readonly ParserTag[] {
  const unknown = [...required, ...optional].find((name) => !tags.some((tag) => tag.name === name));
  if (unknown !== undefined)
    throw refusal(`there is no tag '${unknown}'; there are: ${tags.map(({ name }) => name).join(', ')}`);
  return tags.map((tag) => ({
    ...tag,
    required: required.includes(tag.name) || (tag.required && !optional.includes(tag.name)),
  }));
}

function refusal(problem: string): BatonError {
  return new BatonError('invalid_arguments', `parserArgs: ${problem}`, { field: 'parserArgs' });
}
