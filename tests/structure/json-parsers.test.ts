import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTestFile, listSourceFiles } from './import-graph.ts';

/**
 * Text from outside is parsed by `parseJson` of packages/protocol alone. Another parser is for text that this deployment
 * wrote itself, or that the owner of this machine did; a file that uses one stands here with what it parses.
 */
const ROOT = join(import.meta.dirname, '../..');
const OWN_TEXT: Readonly<Record<string, string>> = {
  'apps/cli/src/settings/dev-file.ts': 'the file that baton dev left in this folder',
  'apps/console/src/rest/rest-client.ts': "a reply of the page's own server",
  'apps/console/src/components/parse-typed-json.ts':
    'what is typed into the page, which the server parses again',
  'apps/gateway/src/mcp/v2025/server.ts': "this gateway's own reply",
  'apps/gateway/src/mcp/v2025/task-stream/stream-positions.ts': 'a position that a gateway sealed',
  'apps/gateway/src/mcp/v2026/input-required/request-states.ts': 'a state that a gateway sealed',
  'apps/gateway/src/rest/views/task-timeline.ts': 'a stored end of a task',
  'apps/gateway/src/rest/views/task-view.ts': 'a stored end of a task',
  'apps/gateway/src/sessions/session.ts': 'a session that a gateway sealed',
  'packages/answer-validation/src/validation-thread.mjs': 'what its own process wrote, parsed values as text',
  'packages/engine/src/program/journal.ts': 'a stored journal entry',
  'packages/local-redis/src/data-owner.ts': "a file of this user's data directory",
  'packages/operations/src/project/formats/project-fields.ts': 'a stored project',
  'packages/runner/src/project/run-command.ts': 'a kept outcome',
  'packages/store/src/queries/paged-queries.ts': "a stored task's input, and its end",
  'packages/store/src/records/interaction-request.ts': 'a stored request',
  'packages/store/src/records/task-view.ts': 'stored fields of a task',
  'packages/store/src/shard/worker-shard.ts': "a script's reply",
  'packages/store/src/tasks/fenced-segment.ts': "a stored task's input",
  'packages/store/src/tasks/task-retries.ts': 'the stored end of a task, and its retries',
  'packages/store/src/tenant/audit-log.ts': 'a stored entry',
  'packages/store/src/tenant/roles.ts': 'a stored role',
  'packages/store/src/tenant/change-feed.ts': 'a message that a script published',
  'packages/store/src/tasks/workflow-tasks.ts': "a stored task's input, and its end",
  'packages/store/src/conversations/conversation-queue.ts': "a stored task's input",
  'packages/store/src/conversations/conversations.ts': 'a stored message',
  'packages/store/src/tenant/definitions.ts': 'a stored definition',
  'packages/store/src/usage/prices.ts': 'a stored table of prices',
  'packages/store/src/tenant/definition-entry.ts': 'a stored summary',
  'packages/store/src/waiting/replica-inbox.ts': 'a message that a script published',
  'packages/workflows/src/progress/stored-progress.ts': 'a stored progress',
};
/** The parser itself. */
const PARSER = 'packages/protocol/src/json/json-text.ts';

/** `JSON.parse` in whatever form, the body of a fetched reply as JSON, and the parser's library; `Output.json()` is an option. */
const OTHER_PARSER =
  /\bJSON\s*(?:\?\.|\.)\s*parse\b|\bJSON\s*\[|\{[^}]*\bparse\b[^}]*\}\s*=\s*JSON\b|(?<!\bOutput)\.json\(\)|secure-json-parse/;

const sources = listSourceFiles(ROOT, ['apps', 'packages']).filter((file) => !isTestFile(file));
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
const usesAnother = (text: string) => OTHER_PARSER.test(withoutComments(text));

test('no source parses JSON otherwise than by parseJson, but what this deployment wrote itself', () => {
  const found = sources.filter((file) => usesAnother(readFileSync(join(ROOT, file), 'utf8')));
  expect(found.toSorted()).toEqual([...Object.keys(OWN_TEXT), PARSER].toSorted());
});

test.each([
  'const value = JSON.parse(text);',
  'texts.map(JSON.parse)',
  "JSON['parse'](text)",
  'const { parse } = JSON;',
  'const body = await reply.json();',
  "import secureJson from 'secure-json-parse';",
])('another parser is seen: %s', (source) => {
  expect(usesAnother(source)).toBe(true);
});

test('words about a parser in a comment are no parser', () => {
  expect(usesAnother('/** JSON.parse is not for this. */\n// JSON.parse\nparseJson(text);')).toBe(false);
});
