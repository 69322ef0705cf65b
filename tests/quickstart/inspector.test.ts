import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';

const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/build/index.js'));

let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await fixture.put(
    'tags',
    [{ name: 'see', tool: 'list_tags', arguments: { projectRoot: '{{args.project}}' } }],
    {
      title: 'See the tags',
      arguments: [{ name: 'project', required: true }],
    },
  );
});
afterAll(() => fixture?.stop());

/** What the Inspector's command line prints. */
async function inspect(...args: string[]): Promise<AnyJson> {
  const header = `Authorization: Bearer ${fixture.key}`;
  const all = [INSPECTOR, `${fixture.baton.url()}/mcp`, '--transport', 'http', '--header', header, ...args];
  // It looks for its own version below the folder that it runs in.
  const inspector = spawn(process.execPath, all, { cwd: dirname(INSPECTOR) });
  const [said, complaints] = await Promise.all([text(inspector.stdout), text(inspector.stderr)]);
  if (said === '') throw new Error(complaints);
  return JSON.parse(said);
}

test("the Inspector's command line lists the prompts and gets one", async () => {
  const { prompts } = await inspect('--method', 'prompts/list');
  const names = prompts.map(({ name }: AnyJson) => name);
  expect(names).toEqual(['baton.next_task', 'baton.plan_document', 'baton.review_plan', 'tags']);
  expect(prompts.at(-1)).toEqual({
    name: 'tags',
    title: 'See the tags',
    description: 'do tags',
    arguments: [{ name: 'project', required: true }],
  });
  const guideArgs = ['--prompt-name', 'baton.next_task', '--prompt-args', 'projectRoot=shop'];
  const guide = await inspect('--method', 'prompts/get', ...guideArgs);
  expect(guide.messages[0].content.text).toContain('{"projectRoot":"shop"}');
  const args = ['--prompt-name', 'tags', '--prompt-args', 'project=nowhere'];
  const run = await inspect('--method', 'prompts/get', ...args);
  expect(run._meta).toMatchObject({ task_status: 'working' });
  expect(run.messages.map(({ role }: AnyJson) => role)).toEqual([
    'user',
    'assistant',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(run.messages.at(-1).content.text).toContain('To continue the workflow, make these tool calls:');
});
