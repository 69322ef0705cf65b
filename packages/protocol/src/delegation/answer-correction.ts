import { answerAsMessage } from './answer.ts';
import type { Message } from './message.ts';
import { truncate } from '../text/truncate.ts';

/** A wrong answer is quoted back up to so many characters: it must not outgrow the request. */
const QUOTED_ANSWER = 20_000;
/** A problem is as long as the schema that it comes from makes it. */
export const MAX_PROBLEM_LENGTH = 8_000;

/** The turns that ask again for an answer that does not fit. `ifEmpty` quotes an answer without any text. */
export function correctionMessages(data: unknown, problem: string, ifEmpty = ''): Message[] {
  return [
    { role: 'assistant', content: truncate(answerAsMessage(data), QUOTED_ANSWER) || ifEmpty },
    {
      role: 'user',
      content:
        `That answer cannot be used: ${truncate(problem, MAX_PROBLEM_LENGTH)}. ` +
        'Answer again, whole, with that corrected and nothing around it.',
    },
  ];
}
