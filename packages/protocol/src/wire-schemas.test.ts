import { describe, expect, test } from 'vitest';
import { agentResponseSchema } from './delegation/answer.ts';
import {
  type DelegatedCall,
  delegatedCallDetailsSchema,
  buildDirective,
  directiveSchema,
} from './delegation/delegation.ts';

const refused = (schema: typeof agentResponseSchema | typeof delegatedCallDetailsSchema, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.'));

describe('an envelope', () => {
  const streaming = { status: 'streaming', sequence: 0, delta: 'x' };
  test.each<[string, unknown]>([
    ['of success with an object', { status: 'success', data: { object: {} } }],
    ['of success with bare data', { status: 'success', data: [] }],
    ['of success with data that is false', { status: 'success', data: false }],
    ['of success with an empty string', { status: 'success', data: '' }],
    ['of an error without a type', { status: 'error', errorDetails: { message: 'no' } }],
    ['of a chunk', streaming],
  ])('%s is taken, and what it carries beside is not lost', (_claim, envelope) => {
    const whole = { ...(envelope as object), extra: { kept: 1 } };
    expect(agentResponseSchema.parse(whole)).toEqual(whole);
  });

  test.each<[string, unknown, string[]]>([
    ['no status', { data: {} }, ['status']],
    ['an unknown status', { status: 'done', data: {} }, ['status']],
    ['no data', { status: 'success' }, ['data']],
    ['null for data', { status: 'success', data: null }, ['data']],
    ['no errorDetails', { status: 'error' }, ['errorDetails']],
    ['words for errorDetails', { status: 'error', errorDetails: 'no' }, ['errorDetails']],
    ['no message', { status: 'error', errorDetails: { type: 'x' } }, ['errorDetails.message']],
    ['an empty message', { status: 'error', errorDetails: { message: '' } }, ['errorDetails.message']],
    [
      'a type that is no text',
      { status: 'error', errorDetails: { message: 'x', type: 5 } },
      ['errorDetails.type'],
    ],
    ['a sequence below 0', { ...streaming, sequence: -1 }, ['sequence']],
    ['a sequence between two', { ...streaming, sequence: 0.5 }, ['sequence']],
    ['no delta', { status: 'streaming', sequence: 0 }, ['delta']],
    ['a delta too long', { ...streaming, delta: 'x'.repeat(524_289) }, ['delta']],
    ['nothing', undefined, ['']],
    ['null', null, ['']],
    ['a list', [], ['']],
    ['a text', '{"status":"success"}', ['']],
  ])('with %s is refused, naming the field', (_claim, envelope, fields) => {
    expect(refused(agentResponseSchema, envelope)).toEqual(fields);
  });
});

describe('details of a delegated call', () => {
  const details = {
    originalCommand: 'ask',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content: 'x' }] },
  };
  const parameters = (changed: object) => ({
    ...details,
    requestParameters: { ...details.requestParameters, ...changed },
  });

  test('are taken with the main role, unless they name one', () => {
    expect(delegatedCallDetailsSchema.parse(details).role).toBe('main');
    expect(delegatedCallDetailsSchema.parse({ ...details, role: 'research' }).role).toBe('research');
  });

  test.each<[string, object, string[]]>([
    ['no command', { ...details, originalCommand: '' }, ['originalCommand']],
    ['an unknown role', { ...details, role: 'boss' }, ['role']],
    ['an unknown service', { ...details, serviceType: 'paint' }, ['serviceType']],
    ['an unknown field', { ...details, more: 1 }, ['']],
    ['no message', parameters({ messages: [] }), ['requestParameters.messages']],
    [
      'a message of nobody',
      parameters({ messages: [{ content: 'x' }] }),
      ['requestParameters.messages.0.role'],
    ],
    [
      'a message of no text',
      parameters({ messages: [{ role: 'user', content: 1 }] }),
      ['requestParameters.messages.0.content'],
    ],
    ['a budget of nothing', parameters({ maxTokens: 0 }), ['requestParameters.maxTokens']],
    ['words for a schema', parameters({ schema: 'x' }), ['requestParameters.schema']],
  ])('with %s are refused, naming the field', (_claim, given, fields) => {
    expect(refused(delegatedCallDetailsSchema, given)).toEqual(fields);
  });
});

describe('a directive', () => {
  const call: DelegatedCall = {
    role: 'main',
    serviceType: 'generateText',
    attempt: 2,
    summary: 'asking',
    request: { apiKey: null, modelId: 'm', messages: [{ role: 'user', content: 'x' }] },
  };
  const pending = {
    taskId: 't',
    interactionId: 'i',
    operation: 'parse_prd',
    expiresAt: '2030-01-01T00:00:00Z',
    call,
  };

  test('fits its own schema and names its interaction twice', () => {
    const shown = buildDirective(pending);
    expect(directiveSchema.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({
      interactionId: 'i',
      pendingInteractionSignalToAgent: { interactionId: 'i' },
      attempt: 2,
      llmRequestForAgent: { apiKey: null },
    });
  });

  test('says whose request it is, and never that it is to be trusted', () => {
    const shown = buildDirective({ ...pending, principal: 'mole' });
    expect(shown.origin).toEqual({ principal: 'mole', trusted: false });
    expect(directiveSchema.parse(shown)).toEqual(shown);
    expect(buildDirective(pending)).not.toHaveProperty('origin');
  });

  test('lists other interactions only when there are some', () => {
    const other = { interactionId: 'j', summary: 'other', expiresAt: pending.expiresAt };
    expect(buildDirective(pending)).not.toHaveProperty('pendingInteractions');
    expect(buildDirective(pending, [other])).toMatchObject({ pendingInteractions: [other] });
  });
});
