import { APICallError } from 'ai';
import { expect, test } from 'vitest';
import { type OptionalParameter, RefusedParameters } from './refused-parameters.ts';

const refusal = (message: string, statusCode = 400) =>
  new APICallError({ message, statusCode, url: 'http://llm', requestBodyValues: {} });

/** Asks a model that refuses these parameters for their names. */
function ask(
  refused: RefusedParameters,
  principal: string,
  asked: readonly (readonly [OptionalParameter, number?])[],
  { modelId = 'm', refuses = [] as string[], answers = true } = {},
) {
  const parameters = refused.ofRequest(principal, modelId);
  const send = () => asked.flatMap(([name, size]) => (parameters.send(name, size) ? [name] : []));
  const sent = [send()];
  for (const message of refuses) if (parameters.leaveOut(refusal(message))) sent.push(send());
  if (answers) parameters.remember();
  return sent;
}

test("what one principal's request caused is never left out of another's, nor for another model", () => {
  const refused = new RefusedParameters();
  const refuses = ['temperature is not supported'];
  expect(ask(refused, 'mole', [['temperature']], { refuses })).toEqual([['temperature'], []]);
  expect(ask(refused, 'mole', [['temperature']])).toEqual([[]]);
  expect(ask(refused, 'victim', [['temperature']])).toEqual([['temperature']]);
  expect(ask(refused, 'mole', [['temperature']], { modelId: 'n' })).toEqual([['temperature']]);
});

test('nothing is learned of an error that comes again without what it named', () => {
  const refused = new RefusedParameters();
  const refuses = ['The prompt about temperature was flagged', 'The prompt about temperature was flagged'];
  const asked = [['temperature'], ['seed']] as const;
  expect(ask(refused, 'p', asked, { refuses, answers: false })).toEqual([['temperature', 'seed'], ['seed']]);
  expect(ask(refused, 'p', asked)).toEqual([['temperature', 'seed']]);
});

test('refusals add up, and what a call did not send is not refused by it', () => {
  const refused = new RefusedParameters();
  const asked = [['temperature'], ['seed']] as const;
  const refuses = ['temperature and top_p', 'seed', 'something else'];
  expect(ask(refused, 'p', asked, { refuses })).toEqual([['temperature', 'seed'], ['seed'], []]);
  expect(ask(refused, 'p', [...asked, ['topP']])).toEqual([['topP']]);
});

test('a limit of tokens is refused from the least refused value on, and a lower one is sent', () => {
  const refused = new RefusedParameters();
  const refuses = ['max_tokens is too large'];
  for (const tokens of [64_000, 20_000, 90_000]) ask(refused, 'p', [['maxTokens', tokens]], { refuses });
  expect(ask(refused, 'p', [['maxTokens', 20_000]])).toEqual([[]]);
  expect(ask(refused, 'p', [['maxTokens', 19_999]])).toEqual([['maxTokens']]);
});

test('what the owner of the agent set is never left out, and another status refuses nothing', () => {
  const refused = new RefusedParameters();
  const parameters = refused.ofRequest('p', 'm', ['maxTokens']);
  expect(parameters.send('maxTokens', 9)).toBe(true);
  expect(parameters.leaveOut(refusal('max_tokens is too large'))).toBe(false);
  expect(parameters.send('maxTokens', 9)).toBe(true);
  parameters.send('topP');
  expect(parameters.leaveOut(refusal('top_p', 500))).toBe(false);
});

test('at most a thousand principals and models are remembered', () => {
  const refused = new RefusedParameters();
  for (let n = 0; n <= 1_000; n++) ask(refused, `p${n}`, [['seed']], { refuses: ['seed'] });
  expect(ask(refused, 'p0', [['seed']])).toEqual([['seed']]);
  expect(ask(refused, 'p1000', [['seed']])).toEqual([[]]);
});
