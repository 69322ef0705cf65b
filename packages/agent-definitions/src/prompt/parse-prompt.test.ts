import { expect, test } from 'vitest';
import { parsePrompt } from './parse-prompt.ts';

const around = { isRunByBaton: () => false, describeTool: () => undefined };

test.each(['__proto__', 'constructor', 'prototype'])(
  'an argument %s, which no body may give, is refused where it is declared and where the text names it',
  (name) => {
    const refusal = expect.objectContaining({
      code: 'invalid_arguments',
      message: expect.stringContaining(`'${name}' is a reserved name`),
    });
    expect(() => parsePrompt({ name: 'p', text: `hi {${name}}` }, around)).toThrow(refusal);
    expect(() => parsePrompt({ name: 'p', text: 'hi', arguments: [{ name }] }, around)).toThrow(refusal);
  },
);

test('an argument that only double braces name is refused; one that single braces name too may stand as text', () => {
  const parse = (text: string, more: object = {}) =>
    parsePrompt({ name: 'p', text, arguments: [{ name: 'topic' }], ...more }, around);
  const refusal = expect.objectContaining({
    code: 'invalid_arguments',
    message: expect.stringContaining(
      "text: '{{topic}}' stands for the text '{topic}'; write {topic} for the argument",
    ),
  });
  expect(() => parse('About {{topic}}, {{other}}')).toThrow(refusal);
  expect(parse('About {topic}, by {{topic}} and {{other}}').text).toContain('{{topic}}');
  expect(parse('By {{topic}}', { system: 'About {topic}' }).system).toBe('About {topic}');
});
