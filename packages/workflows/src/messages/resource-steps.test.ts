import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { parseWorkflow } from '../definition/parse-workflow.ts';
import { findTestTool } from '../testing/sample-workflow.ts';
import { lastText, messagesAsText, runToMessages } from '../testing/run-to-messages.ts';

const withResources = () =>
  parseWorkflow(
    {
      name: 'review',
      description: 'review the project',
      steps: [
        {
          name: 'look',
          resources: ['baton://projects/default/status', 'baton://projects/default/rules'],
          guidance: 'Read the rules first.',
        },
        { name: 'think', guidance: 'Name three risks.' },
        { name: 'tell', tool: 'notify_team', arguments: { message: 'Reviewed' } },
      ],
    },
    findTestTool,
  );

test('a resource that cannot be read', () => {
  const readResource = (uri: string) => {
    if (uri.endsWith('rules')) throw new BatonError('project_not_found', "There is no project 'default'.");
    return { uri, mimeType: 'application/json', text: '{}' };
  };
  expect(messagesAsText(runToMessages({}, withResources(), { readResource }))).toMatchInlineSnapshot(`
    "user: I want to review the project

    assistant: Here's my plan:
    1. look
    2. think
    3. tell: notify_team

    assistant: Read the rules first.

    user: {"uri":"baton://projects/default/status","mimeType":"application/json","text":"{}"}

    assistant: Step 1 ('look') was not begun, since the resource baton://projects/default/rules cannot be read: There is no project 'default'.

    To continue the workflow, make these tool calls:
    1. Read the resource baton://projects/default/status
       Read the resource baton://projects/default/rules
       Read the rules first.
    2. Name three risks.
    3. Call notify_team with {"message":"Reviewed"}"
  `);
});

test('resources stand in the trace, and steps without a tool stop nothing', () => {
  const readResource = (uri: string) => ({ uri, mimeType: 'text/markdown', text: '# Rules' });
  expect(messagesAsText(runToMessages({}, withResources(), { readResource }))).toMatchInlineSnapshot(`
    "user: I want to review the project

    assistant: Here's my plan:
    1. look
    2. think
    3. tell: notify_team

    assistant: Read the rules first.

    user: {"uri":"baton://projects/default/status","mimeType":"text/markdown","text":"# Rules"}

    user: {"uri":"baton://projects/default/rules","mimeType":"text/markdown","text":"# Rules"}

    assistant: Name three risks.

    assistant: Calling tool 'notify_team' with parameters:
    {
      "message": "Reviewed"
    }

    user: Result:
    {}

    assistant: All 3 steps are done; nothing is left to do."
  `);
});

test('a resource that is too large to embed', () => {
  const readResource = (uri: string) => ({ uri, text: 'x'.repeat(300_000) });
  expect(lastText({}, withResources(), { readResource })).toMatchInlineSnapshot(`
    "Step 1 ('look') was not begun, since the resource baton://projects/default/status cannot be read: The resource has 300051 characters; a prompt embeds 262144 at most.

    To continue the workflow, make these tool calls:
    1. Read the resource baton://projects/default/status
       Read the resource baton://projects/default/rules
       Read the rules first.
    2. Name three risks.
    3. Call notify_team with {"message":"Reviewed"}"
  `);
});
