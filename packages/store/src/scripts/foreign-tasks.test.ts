import { randomUUID } from 'node:crypto';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import { expect, test } from 'vitest';
import { FIELD } from '../records/task-record.ts';
import { taskRef } from '../records/keys.ts';
import { ALL_SCRIPTS, type AnyScript } from '../testing/all-scripts.ts';
import { ScriptMonitor } from '../testing/script-monitor.ts';
import { mutateScript } from '../testing/script-mutation.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, llmWait, type TestTenant } from '../testing/test-tenant.ts';
import { runScript } from './script.ts';

/**
 * A script that is given a task of another principal asks who owns it, and nothing else: it runs the commands that it runs
 * for a task that does not exist, reads as much, writes as much, and replies the same.
 */
const fixture = await openFixture();

/** The scripts that run for a caller and take the id of a task that exists. */
const FOR_CALLERS = [...ALL_SCRIPTS.values()].filter(
  ({ name, keys, args }) => keys.includes('task') && args.includes('principal') && name !== 'task/open',
);

/** Tasks of ann in every state, each with a large request. */
async function foreignTasks(testTenant: TestTenant): Promise<string[]> {
  const waits = [llmWait('0', 'y'.repeat(100_000)), llmWait('1')];
  const [pending, streamed, answered, withdrawn, cancelled] = await Promise.all(
    Array.from({ length: 5 }, () => testTenant.openTask({ waits })),
  );
  const chunk = { interactionId: formatInteractionId(streamed!, 1), sequence: 1, delta: 'z'.repeat(10_000) };
  await testTenant.interactions.appendChunk(await testTenant.caller(), chunk);
  await testTenant.answer(answered!);
  await testTenant.interactions.cancel(ANN, formatInteractionId(withdrawn!, 1));
  await testTenant.tasks.cancel(ANN, cancelled!);
  const failed = await testTenant.withLifetimes({ task: 0 }).openTask({ waits });
  await fixture.sweep();
  return [pending!, streamed!, answered!, withdrawn!, cancelled!, failed];
}

interface Observed {
  readonly reply: unknown;
  /** The commands that the script ran, with the task's ref and the time taken out. */
  readonly commands: readonly string[];
  readonly ofTask: readonly (readonly string[])[];
}

/** Runs a script as bob, who may see nothing of ann's. */
async function observe(
  testTenant: TestTenant,
  monitor: ScriptMonitor,
  script: AnyScript,
  taskId: string,
): Promise<Observed> {
  const ref = taskRef(taskId);
  const values: Record<string, string> = {
    principal: 'bob',
    scopes: ' mcp ',
    digest: '',
    need: 'mcp',
    ref,
    topic: testTenant.keys.topic(taskId),
  };
  const args = Object.fromEntries(script.args.map((name) => [name, values[name] ?? '1']));
  const reply = await runScript(
    { connection: fixture.connection, keys: testTenant.keys },
    script,
    testTenant.ownKeys(taskId),
    args,
  );
  const commands = (await monitor.runs([script])).at(-1)?.commands ?? [];
  const neutral = (text: string) => text.replaceAll(ref, '<ref>').replaceAll(/\d{13}/g, '<ms>');
  return {
    reply,
    commands: commands.map((command) => neutral(command.join(' '))),
    ofTask: commands.filter((command) => command.includes(testTenant.keys.task(taskId))),
  };
}

/** What a script does with another's task that it does not do with one that is missing; empty where there is nothing. */
async function differences(script: AnyScript): Promise<string[]> {
  const testTenant = await fixture.createTenant();
  const foreign = await foreignTasks(testTenant);
  const monitor = await ScriptMonitor.open(fixture.url);
  try {
    const found: string[] = [];
    const missing = await observe(testTenant, monitor, script, taskIdFromUuid(randomUUID()));
    for (const taskId of foreign) {
      const observed = await observe(testTenant, monitor, script, taskId);
      if (JSON.stringify(observed.reply) !== JSON.stringify(missing.reply))
        found.push(`it replies ${JSON.stringify(observed.reply)}, not ${JSON.stringify(missing.reply)}`);
      if (observed.commands.join('\n') !== missing.commands.join('\n'))
        found.push(`it runs ${observed.commands.join(', ')}, not ${missing.commands.join(', ')}`);
      const ofTask = observed.ofTask.map(([name = '', , ...fields]) =>
        [name.toUpperCase(), ...fields].join(' '),
      );
      if (ofTask.join() !== `HGET ${FIELD.principal}`)
        found.push(`it reads ${ofTask.join(', ')} of the task`);
    }
    return found;
  } finally {
    monitor.close();
  }
}

test.each(FOR_CALLERS.map((script) => [script.name, script] as const))(
  "%s does with another's task what it does with one that does not exist",
  async (_name, script) => {
    expect(await differences(script)).toEqual([]);
  },
);

test('every script with the task and the caller of a request is among them, and each asks for the owner', () => {
  const asking = [...ALL_SCRIPTS.values()].filter(({ source }) =>
    /(?<!function )(visible_owner|owner_to_end)\(/.test(source),
  );
  expect(FOR_CALLERS.map(({ name }) => name).sort()).toEqual(asking.map(({ name }) => name).sort());
  expect(FOR_CALLERS.length).toBeGreaterThanOrEqual(8);
});

test.each(FOR_CALLERS.map((script) => [script.name, script] as const))(
  'a %s that reads first and asks then is noticed',
  async (_name, script) => {
    const ask = "local owner = redis.call('HGET', K_task, F_principal)";
    const curious = mutateScript(script, [ask, `${ask} if owner then redis.call('HGETALL', K_task) end`]);
    expect(await differences(curious)).not.toEqual([]);
  },
);
