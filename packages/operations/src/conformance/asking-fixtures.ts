import {
  all,
  askPerson,
  askRoots,
  generateText,
  type PersonReply,
  type Program,
  type Question,
  sleep,
} from '@baton/engine';
import type { JsonObject } from '@baton/protocol';
import { z } from 'zod';
import { fixture, NOTHING } from './fixture.ts';

const text = z.string().max(2_000);

const form = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const NAME: Question = {
  message: 'What is your name?',
  schema: form({ name: { type: 'string' } }),
  summary: 'A name',
  key: 'user_name',
};
const confirm = (message: string, field: string): Question => ({
  message,
  schema: form({ [field]: { type: 'boolean' } }),
  summary: 'A yes or no',
});

/** Tools that ask a model, a person, or a client for its roots. */
export const askingFixtures = [
  fixture('test_sampling', 'Asks a model.', z.strictObject({ prompt: text }), function* ({ prompt }) {
    return `LLM response: ${yield* askModel(prompt)}`;
  }),
  fixture(
    'test_elicitation',
    'Asks a person for a name and an address.',
    z.strictObject({ message: text }),
    function* ({ message }) {
      const schema = form({
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      });
      return `User response: ${shown(yield* askPerson({ message, schema, summary: 'A name and an address' }))}`;
    },
  ),
  fixture('test_elicitation_sep1034_defaults', 'Asks a person with a default of each type.', NOTHING, () =>
    complete({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  fixture('test_elicitation_sep1330_enums', 'Asks a person with a choice of each form.', NOTHING, () => {
    const names = ['option1', 'option2', 'option3'];
    const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }));
    return complete({
      untitledSingle: { type: 'string', enum: names },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: names } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    });
  }),
  fixture('test_input_required_result_elicitation', 'Asks a person for a name.', NOTHING, function* () {
    return `Hello, ${nameIn(yield* askPerson(NAME))}!`;
  }),
  fixture('test_streaming_elicitation', 'Asks a person for a name.', NOTHING, function* () {
    return `Hello, ${nameIn(yield* askPerson(NAME))}!`;
  }),
  fixture('test_input_required_result_sampling', 'Asks a model.', NOTHING, () =>
    askModel('What is the capital of France?'),
  ),
  fixture('test_input_required_result_list_roots', 'Asks for roots.', NOTHING, function* () {
    const roots = yield* askRoots('client_roots');
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
  }),
  ...['test_input_required_result_request_state', 'test_input_required_result_tampered_state'].map((name) =>
    fixture(name, 'Asks a person to confirm.', NOTHING, function* () {
      return `state-ok: ${shown(yield* askPerson({ ...confirm('Please confirm', 'ok'), key: 'confirm' }))}`;
    }),
  ),
  fixture(
    'test_input_required_result_multiple_inputs',
    'Asks all there is to ask at once.',
    NOTHING,
    function* () {
      const answers = yield* all<string>([
        function* () {
          return nameIn(yield* askPerson(NAME));
        },
        () => askModel('Generate a greeting'),
        function* () {
          return `${(yield* askRoots('client_roots')).length} roots`;
        },
      ]);
      return answers.join(', ');
    },
  ),
  fixture('test_input_required_result_multi_round', 'Asks a person twice.', NOTHING, function* () {
    const first = yield* askPerson({ ...NAME, message: 'Step 1: What is your name?', key: 'step1' });
    const color = form({ color: { type: 'string' } });
    const message = 'Step 2: What is your favorite color?';
    const second = yield* askPerson({ message, schema: color, summary: 'A color', key: 'step2' });
    return `${shown(first)} ${shown(second)}`;
  }),
  fixture('test_input_required_result_capabilities', 'Asks a model.', NOTHING, () =>
    askModel('Say something.'),
  ),
  fixture(
    'test_missing_capability',
    'Asks a model, and cannot do without.',
    NOTHING,
    () => askModel('Say something.'),
    {
      needs: 'sampling',
    },
  ),
  fixture(
    'confirm_delete',
    'Asks a person to confirm.',
    z.strictObject({ filename: text.default('a file') }),
    function* ({ filename }) {
      return shown(yield* askPerson(confirm(`Delete ${filename}?`, 'confirm')));
    },
  ),
  fixture('multi_input', 'Asks a person two things at once.', NOTHING, function* () {
    const replies = yield* all<PersonReply>([
      () => askPerson({ ...NAME, key: 'name' }),
      () => askPerson({ ...confirm('Shall it go on?', 'confirm'), key: 'confirm' }),
    ]);
    return replies.map(shown).join(' ');
  }),
  fixture(
    'test_tool_with_task',
    'Asks a person for a name, and then works for a while.',
    NOTHING,
    function* () {
      const name = nameIn(yield* askPerson(NAME));
      yield* sleep(2_500);
      return `Hello, ${name}!`;
    },
    { needs: 'tasks', asksWithinCall: true },
  ),
  fixture('test_ask_for_context', 'Asks a person for the context of a prompt.', NOTHING, function* () {
    const schema = form({ context: { type: 'string' } });
    const message = 'What context should the prompt use?';
    return shown(yield* askPerson({ message, schema, summary: 'A context', key: 'user_context' }));
  }),
];

function askModel(content: string): Program<string> {
  return generateText({
    role: 'main',
    messages: [{ role: 'user', content }],
    summary: 'A question',
    maxTokens: 100,
  });
}

function* complete(properties: JsonObject): Program<string> {
  const schema = form(properties, []);
  const reply = yield* askPerson({ message: 'Please fill this in.', schema, summary: 'A form' });
  return `Elicitation completed: ${shown(reply)}`;
}

function shown(reply: PersonReply): string {
  const content = reply.action === 'accept' ? JSON.stringify(reply.content) : '{}';
  return `action=${reply.action}, content=${content}`;
}

function nameIn(reply: PersonReply): string {
  const name = reply.action === 'accept' ? reply.content['name'] : undefined;
  return typeof name === 'string' ? name : 'nobody';
}
