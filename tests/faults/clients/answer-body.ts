import type { AnswerKind } from '../checker/history.ts';

/** The body of an answer of a kind to a call of `tool`; its mark appears in the result. */
export function buildAnswerBody(kind: AnswerKind, mark: string, tool: string): object {
  switch (kind) {
    case 'malformed':
      return { status: 'success', said: mark };
    case 'passing':
      return { status: 'error', errorDetails: { message: mark, type: 'rate_limit_error' } };
    case 'fatal':
      return { status: 'error', errorDetails: { message: mark, type: 'invalid_request_error' } };
    case 'wrong':
      return { status: 'success', data: { object: { said: mark } } };
    case 'right':
      return { status: 'success', data: validData(tool, mark) };
  }
}

function validData(tool: string, mark: string): object {
  if (tool === 'agent_llm') return { text: mark };
  if (tool === 'parse_prd') return { object: { tasks: [{ id: 1, title: mark, description: mark }] } };
  return { object: { value: mark } };
}
