import { BatonError } from '@baton/protocol';
import { type Answer, AnswerFailure } from '@baton/agent';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, call } from '../harness/client.ts';
import { type Manner, right } from './llm-server.ts';
import { LossyDoor } from './lossy-door.ts';
import { about, kinds, Workplace } from './workplace.ts';

/** What an agent does when its LLM endpoint, or Baton, is not what it should be. */
let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open();
});
afterAll(() => place.close());
afterEach(async () => {
  await place.rest();
  place.llm.manner = () => right;
});

/** Badly the first time, well from then on. */
const atFirst = (manner: Manner) => (place.llm.manner = ({ time }) => (time === 1 ? manner : right));

describe('a failure that passes', () => {
  test.each<[string, Manner, string]>([
    ['a 500', { do: 'refuse', status: 500 }, 'api_error'],
    ['an overloaded 529', { do: 'refuse', status: 529 }, 'overloaded_error'],
    ['a body that is no JSON', { do: 'garble' }, 'api_error'],
    ['a connection that is reset', { do: 'reset' }, 'api_error'],
    ['a connection that is reset halfway', { do: 'reset', halfway: true }, 'api_error'],
    ['an empty answer', { do: 'say', text: '' }, 'api_error'],
  ])('is tried again: %s', async (what, manner, type) => {
    atFirst(manner);
    const { taskId } = await place.echo(what);
    const events = await place.answerAll();
    expect(kinds(events)).toEqual(['claimed', 'retrying', 'answered']);
    expect(events[1]).toMatchObject({ type });
    expect(await place.outcome(taskId)).toMatchObject({ status: 'completed' });
    expect(await place.interactionsOf(taskId)).toHaveLength(1);
  });

  describe.each(['openai', 'anthropic'] as const)('in a stream of %s', (provider) => {
    test.each<[string, Manner]>([
      ['that stops halfway', { do: 'stop-halfway' }],
      ['whose connection is reset halfway', { do: 'reset', halfway: true }],
      ['that was refused', { do: 'refuse', status: 503 }],
    ])('%s, is tried again, and nothing of the first half is left', async (what, manner) => {
      const topic = `${provider} ${what}`;
      atFirst(manner);
      const { taskId } = await place.delegate('streamText', { messages: [{ role: 'user', content: topic }] });
      const events = await place.answerAll({ provider });
      expect(kinds(events)).toEqual(['claimed', 'retrying', 'answered']);
      expect((await place.outcome(taskId)).result.response).toBe(`answer to ${topic}`);
    });
  });

  test('that comes with Retry-After is not tried again before, and holds back all other requests meanwhile', async () => {
    place.llm.manner = ({ topic, time }) =>
      topic === 'limited' && time === 1
        ? { do: 'refuse', status: 429, headers: { 'retry-after': '2' } }
        : right;
    await place.echo('limited');
    // What was claimed by a look that ended in the same moment is free again after this.
    const agent = place.agent({ leaseMs: 5_000 });
    await agent.until(about('retrying', 'limited'));
    await place.echo('comes meanwhile');
    await agent.until(about('answered', 'limited'));
    await agent.until(about('answered', 'comes meanwhile'));
    await agent.stop();
    const [first, second] = place.llm.of('limited');
    const [other] = place.llm.of('comes meanwhile');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
    expect((other?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  test('of an endpoint that never answers is given its time, and then tried again', async () => {
    atFirst({ do: 'hang' });
    await place.echo('hangs once');
    const events = await place.answerAll({ timeoutMs: 300 });
    expect(kinds(events)).toEqual(['claimed', 'retrying', 'answered']);
    expect(events[1]).toMatchObject({ type: 'timeout_error' });
  });
});

describe('a failure that does not pass', () => {
  test.each<[string, Manner, string]>([
    ['rate limits', { do: 'refuse', status: 429 }, 'rate_limit_error'],
    ['an endpoint that is overloaded', { do: 'refuse', status: 503 }, 'overloaded_error'],
    ['an endpoint that never answers', { do: 'hang' }, 'timeout_error'],
  ])('is told to Baton by its type, and the task ends rather than hangs: %s', async (what, manner, type) => {
    place.llm.manner = () => manner;
    const { taskId } = await place.echo(what);
    const events = await place.answerAll({ tries: 2, timeoutMs: 200 });
    // Baton asks again twice: it is no agent's last word.
    const failed = events.filter((event) => event.kind === 'failed' && event.request.taskId === taskId);
    expect(failed).toHaveLength(3);
    expect(failed[0]).toMatchObject({ type });
    expect(place.llm.timesOf(what)).toBe(6);
    expect(await place.outcome(taskId)).toMatchObject({
      status: 'failed',
      error: { code: 'agent_error', errorDetails: { type } },
    });
  });

  test('whose Retry-After is longer than the lease is not waited for under the lease', async () => {
    place.llm.manner = () => ({ do: 'refuse', status: 429, headers: { 'retry-after': '60' } });
    await place.echo('long wait');
    const agent = place.agent({ leaseMs: 5_000, timeoutMs: 2_000 });
    const failed = await agent.until(about('failed', 'long wait'));
    expect(failed).toMatchObject({ type: 'rate_limit_error', tookMs: expect.any(Number) });
    await agent.stop();
    // The next asking of the same waits unclaimed, for an agent whose endpoint has time.
    expect(place.llm.timesOf('long wait')).toBe(1);
    place.llm.manner = () => right;
    await place.answerAll();
  });

  test('is the last word when the endpoint refuses the request itself', async () => {
    place.llm.manner = () => ({ do: 'refuse', status: 400, message: 'prompt is too long' });
    const { taskId } = await place.echo('too long');
    expect(kinds(await place.answerAll())).toEqual(['claimed', 'failed']);
    const { error } = await place.outcome(taskId);
    expect(error).toMatchObject({ code: 'agent_error', errorDetails: { type: 'invalid_request_error' } });
    expect(error.message).toContain('prompt is too long');
  });

  test("never fails anybody's task when it is the agent's own: a refused key ends the agent, and another one answers", async () => {
    place.llm.manner = () => ({ do: 'refuse', status: 401, message: 'Incorrect API key provided' });
    const { taskId } = await place.echo('wrong key');
    const agent = place.agent({ leaseMs: 1_000, timeoutMs: 500 });
    await expect(agent.done).rejects.toThrow('Incorrect API key provided');
    expect(await place.outcome(taskId)).toMatchObject({ status: 'input_required' });
    place.llm.manner = () => right;
    const other = place.agent();
    await other.until(about('answered', 'wrong key'));
    await other.stop();
  });
});

describe('a wish that the model does not know', () => {
  test.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0.2 with this model."],
    ['max_tokens', "Unsupported parameter: 'max_tokens' is not supported with this model."],
    ['response_format', "'response_format.type' must be 'json_schema' or 'text'"],
  ])('is left out from then on: %s', async (name, message) => {
    place.llm.manner = ({ body }) => (name in body ? { do: 'refuse', status: 400, message } : right);
    const agent = place.agent();
    for (const topic of [`${name} first`, `${name} second`]) {
      await place.echo(topic);
      await agent.until(about('answered', topic));
    }
    await agent.stop();
    expect(place.llm.timesOf(`${name} first`)).toBe(2);
    expect(place.llm.timesOf(`${name} second`)).toBe(1);
  });
});

describe("an answer function of one's own", () => {
  const serve = (answer: Answer) => place.answerAll({ answer, tries: 2 });

  test('says by AnswerFailure what kind of failure it was', async () => {
    const { taskId } = await place.echo('own failure');
    await serve(async () => {
      throw new AnswerFailure('out_of_budget', 'No money is left.');
    });
    expect(await place.outcome(taskId)).toMatchObject({
      error: { code: 'agent_error', errorDetails: { type: 'out_of_budget', message: 'No money is left.' } },
    });
  });

  test('that breaks does not end the agent, nor is its bug called again and again', async () => {
    let calls = 0;
    const { taskId } = await place.echo('own bug');
    const events = await serve(async (request) => {
      // What earlier tests left may be asked again meanwhile.
      if (request.taskId !== taskId) return { object: { value: 'not mine' } };
      calls++;
      throw new TypeError('x is not a function');
    });
    expect(calls).toBe(3);
    const failed = events.filter((event) => event.kind === 'failed' && event.request.taskId === taskId);
    expect(failed).toHaveLength(3);
  });

  test('that gives nothing, or more than Baton takes, leads to a named failure', async () => {
    const { taskId } = await place.echo('own nothing');
    await serve(async () => undefined);
    expect(await place.outcome(taskId)).toMatchObject({ error: { errorDetails: { type: 'api_error' } } });
    const { taskId: large } = await place.echo('own too much');
    await serve(async () => ({ value: 'x'.repeat(600_000) }));
    expect(await place.outcome(large)).toMatchObject({ error: { errorDetails: { type: 'answer_refused' } } });
  });

  test('that looks at no signal is not waited for beyond its time', async () => {
    await place.echo('own endless');
    const agent = place.agent({ answer: () => new Promise(() => {}), timeoutMs: 200, tries: 1 });
    await agent.until(about('failed', 'own endless'));
    await agent.stop(0);
  });
});

describe('Baton', () => {
  test('that refuses the key ends the agent, naming the code', async () => {
    const agent = place.agent({ key: 'bt_acme_nobody_nothing' });
    const error = await agent.done.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BatonError);
    expect(error).toMatchObject({ code: 'unauthenticated' });
  });

  test('that is away when the answer is there gets it when it is back', async () => {
    const door = await LossyDoor.before(place.baton.url());
    const agent = place.agent({ url: `${door.url}/mcp` });
    place.llm.manner = () => {
      door.shut();
      return right;
    };
    const { taskId } = await place.echo('nobody at the door');
    await agent.until(about('unreachable'));
    expect(await place.outcome(taskId)).toMatchObject({ status: 'input_required' });
    door.open();
    await agent.until(about('answered', 'nobody at the door'));
    await agent.stop();
    expect(place.llm.timesOf('nobody at the door')).toBe(1);
    expect(await place.outcome(taskId)).toMatchObject({ status: 'completed' });
    await door.close();
  });

  test('whose confirmation was lost is told the same again, which counts once', async () => {
    const door = await LossyDoor.before(place.baton.url());
    const agent = place.agent({ url: `${door.url}/mcp`, concurrency: 1 });
    place.llm.manner = () => {
      door.oneWay();
      return right;
    };
    const { taskId } = await place.echo('said twice');
    await place.finished(taskId);
    expect(door.lost).toBeGreaterThan(0);
    door.open();
    await agent.until(about('answered', 'said twice'));
    await agent.stop();
    expect(place.llm.timesOf('said twice')).toBe(1);
    expect(kinds(agent.events).filter((kind) => kind === 'answered')).toHaveLength(1);
    expect(await place.interactionsOf(taskId)).toHaveLength(1);
    await door.close();
  });

  test('that had another answer first is left in peace', async () => {
    const { taskId, interactionId } = await place.echo('too late');
    let answered: Promise<unknown> | undefined;
    place.llm.manner = () => {
      const agentLLMResponse = answerOf({ value: 'by hand' });
      answered = call(place.caller, 'agent_llm', { interactionId, agentLLMResponse });
      return { do: 'say', afterMs: 500 };
    };
    const events = await place.answerAll();
    await answered;
    const end = events.find(about('superseded', 'too late'));
    expect(end).toMatchObject({ code: 'interaction_already_answered' });
    expect(await place.outcome(taskId)).toMatchObject({ result: { value: 'by hand' } });
  });

  test('that took the request back is left in peace', async () => {
    const { taskId } = await place.echo('cancelled');
    let cancelled: Promise<void> | undefined;
    place.llm.manner = () => {
      cancelled = place.interrupt(taskId);
      return { do: 'say', afterMs: 500 };
    };
    const events = await place.answerAll();
    await cancelled;
    const end = events.find(about('superseded', 'cancelled'));
    expect(end).toMatchObject({ code: 'interaction_cancelled' });
  });

  test('that cannot be reached is looked for until it is there, and with `once` only for a while', async () => {
    const away = place.agent({ url: 'http://127.0.0.1:9/mcp' });
    await away.until(about('unreachable'));
    await away.stop();
    await expect(place.agent({ url: 'http://127.0.0.1:9/mcp', once: true }).done).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
