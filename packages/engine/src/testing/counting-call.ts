import { BatonError, type Json, type Message } from '@baton/protocol';
import type { AgentCall, AgentCallOutcome, AnswerParser, FunctionSet } from '../agent-call/agent-call.ts';
import type { CallReport } from '../agent-call/call-report.ts';
import { runAgentCall } from '../agent-call/run-agent-call.ts';
import type { Program } from '../program/effect.ts';
import { type playProgram, successAnswer } from './play-program.ts';

/** An agent call for tests: it asks how many, takes a number `n`, and may offer the functions `count` and `fail`. */
export const question: Message = { role: 'user', content: 'How many?' };

/** Takes `n` where it is a number. */
export const numberParser: AnswerParser<number> = {
  *read(data) {
    const n = (data as { n?: unknown }).n;
    return typeof n === 'number' ? { ok: true, value: n } : { ok: false, problem: 'n is no number' };
  },
};

const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object' } },
});

export function counting(run?: FunctionSet['run']): FunctionSet {
  return {
    tools: [tool('count'), tool('fail')],
    run:
      run ??
      function* ({ name, arguments: args }) {
        if (name === 'fail') throw new BatonError('project_not_found', 'no such project');
        return { ok: true, result: { counted: args } };
      },
  };
}

export const call = (more: Partial<AgentCall<number>> = {}): Program<unknown> =>
  runAgentCall({ role: 'main', messages: [question], summary: 'counting', parser: numberParser, ...more });

export const calling = (...calls: { id?: string; name?: string; arguments?: Json }[]) =>
  successAnswer({
    toolCalls: calls.map((one, at) => ({ id: `c${at}`, name: 'count', arguments: {}, ...one })),
  });
export const right = successAnswer({ n: 3 });
export const wrong = successAnswer({ n: 'x' });

type Played = ReturnType<typeof playProgram<unknown>>;
export const value = ({ end }: Played) => {
  if (end === undefined || !('value' in end)) throw new Error(`no value: ${JSON.stringify(end)}`);
  return end.value as AgentCallOutcome<number>;
};
export const error = ({ end }: Played) =>
  end !== undefined && 'error' in end ? (end.error as BatonError) : undefined;
export const report = (played: Played) => error(played)?.details['report'] as CallReport;
export const sent = (played: Played, at: number) => played.calls[at]?.request;
