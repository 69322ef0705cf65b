import { messageText } from '@baton/protocol';
import { expect, it } from 'vitest';
import { toolOperations } from '../tool-operations/tool-operations.ts';
import { LIBRARY_CALLS, libraryProject } from './library-project.ts';
import { runOperationInMemory, textAnswer } from './run-operation-in-memory.ts';

it('a golden text holds the request of every operation', () => {
  const names = new Set(LIBRARY_CALLS.map(([, operation]) => operation));
  expect([...names].toSorted()).toEqual([...toolOperations.keys()].toSorted());
});

it.each(LIBRARY_CALLS)('the request of %s is the golden one', async (golden, name, input) => {
  const { calls } = runOperationInMemory(toolOperations.get(name)!, input, {
    before: libraryProject(),
    answers: [textAnswer(' ')],
  });
  const said = calls[0]!.request.messages.map((message) => `[${message.role}]\n${messageText(message)}\n`);
  await expect(said.join('\n')).toMatchFileSnapshot(`prompt-goldens/${golden}.txt`);
});
