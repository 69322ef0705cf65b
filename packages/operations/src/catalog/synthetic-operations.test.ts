import { type AgentAnswer, messageText } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { runProgramInMemory, objectAnswer } from '../testing/run-program-in-memory.ts';
import { syntheticOperations } from './synthetic-operations.ts';

function run(name: string, input: unknown) {
  const program = syntheticOperations.get(name);
  if (!program) throw new Error(`no ${name}`);
  return runProgramInMemory(program, program.input.parse(input), {
    projects: new Map(),
    answer: ({ request }) =>
      objectAnswer({ value: `re: ${request.messages.slice(0, 1).map(messageText).join()}` }),
  });
}

describe("the tests' own operations", () => {
  it('bench_echo asks once', () => {
    const { end, transcript } = run('bench_echo', { text: 'hello' });
    expect(transcript).toEqual(['0 llm']);
    expect(end).toEqual({ status: 'completed', result: { value: 're: hello' } });
  });

  it('bench_fan asks side by side, each branch once', () => {
    const { end, transcript } = run('bench_fan', { n: 20 });
    expect(transcript.toSorted()).toEqual(Array.from({ length: 20 }, (_, at) => `0.${at}.0 llm`).toSorted());
    expect(end).toMatchObject({
      result: { values: expect.arrayContaining(['re: Give a value for branch 19.']) },
    });
  });

  it('bench_poison breaks after its first answer, without its text reaching anybody', () => {
    const { end, transcript } = run('bench_poison', { text: 'x' });
    expect(transcript).toEqual(['0 llm']);
    expect(end).toMatchObject({
      status: 'failed',
      error: { code: 'internal' },
      thrown: expect.any(TypeError),
    });
    expect(end.status === 'failed' && end.error.message).not.toContain('bench_poison');
  });

  it('bench_confirm asks a person, and says what they did', () => {
    const asked = (answer: AgentAnswer) => {
      const program = syntheticOperations.get('bench_confirm')!;
      const world = { projects: new Map(), answer: () => answer };
      return runProgramInMemory(program, program.input.parse({ question: 'Go?' }), world);
    };
    const accepted = asked(objectAnswer({ ok: true }));
    expect(accepted.transcript).toEqual(['0 llm', '1 check']);
    expect(accepted.end).toMatchObject({
      status: 'completed',
      result: { action: 'accept' },
    });
    const declined = asked({ status: 'error', errorDetails: { type: 'decline', message: 'No.' } });
    expect(declined.end).toEqual({ status: 'completed', result: { action: 'decline' } });
  });

  it('bench_sleep waits, then asks', () => {
    expect(run('bench_sleep', { ms: 10 }).transcript).toEqual(['0 sleep', '1 llm']);
  });
});
