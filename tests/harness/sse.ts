/**
 * The JSON messages in the body of an SSE stream, in order. Only \n ends a line: U+2028 ends one for regular expressions,
 * and never for SSE. Errors: SyntaxError for data that is no JSON.
 */
export function parseSseMessages(body: string): unknown[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}
