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
