import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolOperations, projectTools } from '@baton/operations';
import { buildDirective, DEFAULT_LIMITS, ERRORS } from '@baton/protocol';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { ALL_SCRIPTS } from '@baton/store/testing/all-scripts';
import { TRANSITIONS } from '@baton/store/testing/transitions';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addDefinitionCommands } from '../../apps/cli/src/commands/definition-commands.ts';
import { readSettings } from '../../apps/cli/src/settings/environment.ts';
import { Keyspace, TenantKeys, taskRef } from '../../packages/store/src/records/keys.ts';
import { FIELD } from '../../packages/store/src/records/task-record.ts';
import * as ttl from '../../packages/store/src/records/durations.ts';
import {
  codeBlocksUnder,
  inlineCodeIn,
  PAGES,
  readPageWithoutCode,
  REPOSITORY_ROOT,
  tableOf,
  tablesOf,
  readPage,
} from './read-markdown-pages.ts';

/** A setting, metric, error code, limit, tool, key or field that the pages leave out, or invent, fails here. */
const DATA_MODEL = 'docs/data-model.md';
const CLIENTS = 'docs/clients.md';
const OPERATING = 'docs/operating.md';

const sources = (folders: readonly string[]) =>
  folders
    .flatMap((folder) =>
      readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      ),
    )
    .filter(
      (path) => /\.(ts|mjs|sh|yml|Dockerfile)$|Dockerfile$/.test(path) && !path.includes('node_modules'),
    )
    .map((path) => readFileSync(join(REPOSITORY_ROOT, path), 'utf8'))
    .join('\n');

/** What stands in backticks in a cell's first place. */
const nameIn = (cell: string | undefined) => inlineCodeIn(cell ?? '')[0] ?? '';

/** The text of a page's section, from its heading to the next one. */
function sectionOf(page: string, heading: string): string {
  const [, after = ''] = readPageWithoutCode(page).split(`## ${heading}\n`);
  return after.split(/^## /m)[0] ?? '';
}

const sorted = (names: Iterable<string>) => [...names].toSorted();
/** Rows in the order of their first cells. */
const byName = (rows: readonly (readonly unknown[])[]) =>
  rows.toSorted(([a], [b]) => String(a).localeCompare(String(b)));

describe('settings', () => {
  const rows = tableOf(OPERATING, 'variable');
  const agentRows = tableOf(CLIENTS, 'setting (flag)');

  test('the page of operators has every setting of gateway and worker, and no other', () => {
    const source = readFileSync(join(REPOSITORY_ROOT, 'apps/cli/src/settings/environment.ts'), 'utf8');
    const known = [...source.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name = '']) => name);
    expect(known.length).toBeGreaterThan(10);
    expect(sorted(rows.map(([cell]) => nameIn(cell)))).toEqual(sorted(known));
  });

  test('a default of the page is the default of the code', () => {
    for (const [name, value] of Object.entries(readSettings({}))) {
      const row = rows.find(([cell]) => nameIn(cell) === name);
      const shown = row?.[1] ?? '';
      if (Array.isArray(value) || value === undefined) expect([name, shown]).toEqual([name, 'none']);
      else expect([name, inlineCodeIn(shown)[0]]).toEqual([name, String(value)]);
    }
  });

  test('the page of clients has every setting of baton agent with its flag, and no other', () => {
    const source = readFileSync(
      join(REPOSITORY_ROOT, 'apps/cli/src/settings/agent-setting-names.ts'),
      'utf8',
    );
    const pairs = [...source.matchAll(/\['(--[a-z-]*|)', '([A-Z_]+)'\]/g)].map(([, flag = '', name = '']) =>
      [name, flag].filter(Boolean).join(' '),
    );
    expect(pairs.length).toBeGreaterThan(10);
    const shown = agentRows.map(([cell = '']) => inlineCodeIn(cell).join(' '));
    expect(sorted(shown)).toEqual(sorted([...pairs, 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY']));
  });

  test.each([
    ['workflows', 'docs/workflows.md'],
    ['agents', 'docs/agents.md'],
  ])('the page of %s has every command of theirs, and no other', (plural, page) => {
    const program = new Command();
    addDefinitionCommands(program);
    const commands = program.commands.find((one) => one.name() === plural)?.commands ?? [];
    const known = commands.map((command) => {
      const operands = command.registeredArguments.map(
        (operand) => `<${operand.name()}${operand.variadic ? '...' : ''}>`,
      );
      return [command.name(), ...operands].join(' ');
    });
    expect(known.length).toBeGreaterThan(5);
    const shown = tableOf(page, `\`baton ${plural}\``).map(([cell]) => nameIn(cell));
    expect(sorted(shown)).toEqual(sorted(known));
  });

  test('no page names a variable that nothing reads', () => {
    const all = `${sources(['apps', 'packages', 'infra', 'tests'])}${readPage('docker-compose.yml')}`;
    const named = PAGES.flatMap((page) => inlineCodeIn(readPage(page))).flatMap(
      (code) => code.match(VARIABLE) ?? [],
    );
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)].filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
  });
});

/** Other words in capitals. */
const NO_SCRIPTS = new Set(['HTTP', 'HMAC', 'JSON', 'SHA', 'WAIT', 'REST']);

const VARIABLE = /\b(BATON|BENCH|FC|COMPOSE|REDIS|LOG|OPENAI|ANTHROPIC|NODE)_[A-Z_]*[A-Z]\b/g;

test('every metric of gateway and worker is on the page of operators, and no other', () => {
  const known = new Set(sources(['apps', 'packages']).match(/(?<=')baton_[a-z_]+(?=')/g));
  expect(known.size).toBeGreaterThan(5);
  expect(sorted(tableOf(OPERATING, 'metric').map(([cell]) => nameIn(cell)))).toEqual(sorted(known));
  for (const page of PAGES)
    for (const code of inlineCodeIn(readPage(page)))
      if (/^baton_[a-z_]+$/.test(code)) expect(known).toContain(code);
});

test.each(['alerts.yml', 'grafana/baton.json'])('infra/monitoring/%s asks for no other metric', (file) => {
  const known = new Set(sources(['apps', 'packages']).match(/(?<=')baton_[a-z_]+(?=')/g));
  const asked = new Set(readPage(`infra/monitoring/${file}`).match(/\bbaton_[a-z_]+/g));
  expect(asked.size).toBeGreaterThan(5);
  for (const name of asked) expect(known).toContain(name.replace(/_(bucket|count|sum)$/, ''));
});

test('the table of error codes is that of the protocol, row by row', () => {
  const shown = tableOf(CLIENTS, 'code').map(([code, http, rpc, repeat]) => [
    nameIn(code),
    Number(http),
    Number(rpc),
    repeat,
  ]);
  const known = Object.entries(ERRORS).map(([code, row]) => [
    code,
    row.http,
    row.rpc,
    row.repeat ? 'yes' : 'no',
  ]);
  expect(byName(shown)).toEqual(byName(known));
});

test('the table of limits is that of the protocol, with its defaults', () => {
  const shown = tablesOf(CLIENTS).find(({ header }) => header[0] === 'limit' && header[1] === 'default');
  const rows = Object.fromEntries((shown?.rows ?? []).map(([limit, most]) => [nameIn(limit), Number(most)]));
  expect(rows).toEqual(DEFAULT_LIMITS);
  for (const [, , , code] of shown?.rows ?? [])
    if (code !== 'none') expect(Object.keys(ERRORS)).toContain(nameIn(code));
});

test('the protocol revisions on the page are those that the gateway supports', () => {
  const shown = inlineCodeIn(sectionOf(CLIENTS, 'Address, protocol and credentials')).filter((code) =>
    /^\d{4}-\d\d-\d\d$/.test(code),
  );
  expect(shown).toEqual(['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS]);
});

test('the fields of a directive on the page are those of the protocol', () => {
  const request = { apiKey: null, modelId: 'm', messages: [{ role: 'user', content: 'x'.repeat(90_000) }] };
  const call = { role: 'main', serviceType: 'generateText', attempt: 1, summary: 's', request } as const;
  const pending = { taskId: 't', interactionId: 'i', operation: 'o', expiresAt: '', call, principal: 'p' };
  const whole = buildDirective(pending as never, [{ interactionId: 'i', summary: 's', expiresAt: '' }]);
  expect(sorted(tableOf(CLIENTS, 'field').map(([cell]) => nameIn(cell)))).toEqual(sorted(Object.keys(whole)));
});

test('the page of clients has every tool, and no other', () => {
  const paragraphs = sectionOf(CLIENTS, 'Tools').split('\n\n');
  const listedAfter = (begin: string) =>
    inlineCodeIn(paragraphs.find((one) => one.trimStart().startsWith(begin)) ?? '').filter(
      (code) => !['title', 'description', 'projectRoot', 'tag'].includes(code),
    );
  expect(listedAfter(`${numberWord(toolOperations.size)} operations`)).toEqual([...toolOperations.keys()]);
  expect(listedAfter('These need no LLM')).toEqual(projectTools.map(({ name }) => name));
  const source = sources(['apps/gateway/src/tools', 'apps/gateway/src/prompts']);
  const own = [...source.matchAll(/define\w*Tool\(\{\s+name: '(\w+)'/g)].map(([, name = '']) => name);
  expect(sorted(listedAfter('These are about delegation'))).toEqual(sorted(own));
});

test('the changelog names every operation', () => {
  const changelog = readPage('CHANGELOG.md');
  expect([...toolOperations.keys()].filter((name) => !changelog.includes(`\`${name}\``))).toEqual([]);
});

test('every script that a page names in capitals exists', () => {
  const scripts = readdirSync(join(REPOSITORY_ROOT, 'packages/store/src/scripts/lua'), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((path) => path.endsWith('.lua'))
    .map((path) => (path.split('/').at(-1) ?? '').replace('.lua', '').toUpperCase());
  const named = ['docs/architecture.md', 'docs/data-model.md', 'docs/guarantees.md'].flatMap(
    (page) =>
      readPage(page)
        .replaceAll(/`[^`\n]*`/g, '')
        .match(/\b[A-Z][A-Z_]{3,}\b/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(30);
  expect([...new Set(named)].filter((name) => !scripts.includes(name) && !NO_SCRIPTS.has(name))).toEqual([]);
});

test('every scenario that the page of guarantees names is one of the fault suite', () => {
  const known = [...sources(['tests/faults/scenarios']).matchAll(/^ {2}name: '([\w-]+)'/gm)].map(
    ([, name = '']) => name,
  );
  const named = [...readPage('docs/guarantees.md').matchAll(/scenario `([^`]+)`/g)].map(
    ([, name = '']) => name,
  );
  expect(sorted(new Set(named))).toEqual(sorted(known));
});

test('the table of layers is what the packages declare', () => {
  const declared = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(REPOSITORY_ROOT, parent)).map((name) => {
      const { dependencies = {} } = JSON.parse(readPage(`${parent}/${name}/package.json`)) as {
        dependencies?: object;
      };
      const own = Object.keys(dependencies).filter((one) => one.startsWith('@baton/'));
      const imports = sorted(own.map((one) => one.slice('@baton/'.length)));
      return [`${parent}/${name}`, imports.length === 0 ? 'none' : imports.join(', ')];
    }),
  );
  const shown = tableOf('docs/architecture.md', 'package').map(([name, , imports]) => [
    nameIn(name),
    imports,
  ]);
  expect(byName(shown)).toEqual(byName(declared));
});

describe('data model', () => {
  const keyRows = tablesOf(DATA_MODEL).filter(({ header }) => header[0] === 'key');
  const rows = keyRows.flatMap(({ rows: some }) => some);

  test('the page has every key and channel of keys.ts, and no other', () => {
    const keyspace = new Keyspace('baton', 1);
    const tenant = keyspace.tenant('<tenant>');
    const id = '00000000-0000-8000-8000-000000000000';
    const made: Readonly<Record<string, string>> = {
      credential: tenant.credential('<id>'),
      task: tenant.task(id).replace(taskRef(id), '<ref>'),
      project: tenant.project('p').replace(/p$/, '<project>'),
      projectChanges: tenant.projectChanges('p').replace(/p$/, '<project>'),
      stagedChange: tenant.stagedChange('<id>'),
      workflow: tenant.workflow('<name>'),
      agent: tenant.agent('<id>'),
      prompt: tenant.prompt('<name>'),
      session: tenant.session('<id>'),
      idempotency: tenant.idempotency('<digest>'),
      past: tenant.past(id).replace(taskRef(id), '<ref>'),
      chunks: tenant.chunks(id, 1).replace(`${taskRef(id)}.1`, '<ref>.<number>'),
      conversation: tenant.conversation(id).replace(taskRef(id), '<ref>'),
      messages: tenant.messages(id).replace(taskRef(id), '<ref>'),
      usage: tenant.usage('<day>'),
      holder: tenant.holder('x').replace(/[^:]+$/, '<digest>'),
    };
    // A method that makes another key must be named here first.
    const methods = Object.entries(Object.getOwnPropertyDescriptors(TenantKeys.prototype))
      .filter(([name, { value }]) => typeof value === 'function' && !NOT_KEYS.has(name))
      .map(([name]) => name);
    expect(sorted(methods)).toEqual(sorted(Object.keys(made)));
    const { base, ...shard } = keyspace.shard(0);
    const all = [
      keyspace.topology,
      keyspace.tenants,
      keyspace.inbox('<replica>'),
      `${base}:mark`,
      ...Object.values(shard),
      ...Object.values(tenant).filter((key) => typeof key === 'string' && key.startsWith('baton:')),
      ...Object.values(made),
    ];
    const known = [...new Set(all.map(String))];
    const channels = tableOf(DATA_MODEL, 'channel').map(([cell]) => nameIn(cell));
    expect(sorted([...rows.map(([cell]) => nameIn(cell)), ...channels])).toEqual(sorted(known));
  });

  test("a script that the page names as a key's writer exists, and declares that key", () => {
    const wrong = rows.flatMap(([key, , , , , writers = '']) =>
      inlineCodeIn(writers)
        .filter((code) => /^[a-z]+\/[a-z_]+$/.test(code))
        .filter((script) => !declares(script, scriptNameOf(nameIn(key))))
        .map((script) => `${nameIn(key)}: ${script}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the page has every field of a task, and no other', () => {
    const shown = tableOf(DATA_MODEL, 'field').map(([cell]) => nameIn(cell).replace(/<.*/, ''));
    expect(sorted(shown)).toEqual(sorted(Object.values(FIELD)));
  });

  test('the diagram of states is that of the headers of the scripts', () => {
    const [diagram = ''] = codeBlocksUnder('States', 'mermaid');
    const shown = [...diagram.matchAll(/^ {4}(\S+) --> (\w+): (.*)$/gm)].flatMap(
      ([, from = '', to = '', by = '']) => by.split(', ').map((script) => `${from} --> ${to}: ${script}`),
    );
    const known = TRANSITIONS.map(({ of, from, to, by }) => {
      const start = from === 'new' ? '[*]' : `${of}_${from}`;
      return `${start} --> ${of}_${to}: ${by.replace(/^.*\//, '').toUpperCase()}`;
    });
    expect(sorted(shown)).toEqual(sorted(known));
    const starts = TRANSITIONS.map(({ of, from }) => `${of}_${from}`);
    const ends = TRANSITIONS.map(({ of, to }) => `${of}_${to}`).filter((end) => !starts.includes(end));
    const shownEnds = [...diagram.matchAll(/^ {4}(\w+) --> \[\*\]$/gm)].map(([, end = '']) => end);
    expect(sorted(shownEnds)).toEqual(sorted(new Set(ends)));
  });

  test('the lifetimes on the page are those of durations.ts', () => {
    const known = Object.entries(ttl).filter(([, value]) => typeof value === 'number');
    const shown = tableOf(DATA_MODEL, 'constant').map(([name, value = '']) => [
      nameIn(name),
      millisecondsOf(value),
    ]);
    expect(byName(shown)).toEqual(byName(known));
  });
});

/** What TenantKeys makes beside keys. */
const NOT_KEYS = new Set(['constructor', 'taskNames', 'topic']);

/** The name under which scripts declare a key. */
function scriptNameOf(key: string): string {
  const [, , kind] = /^baton:\{s0\}(:t:<tenant>)?(?::([\w-]+))?(?::(.*))?$/.exec(key) ?? [];
  if (kind === undefined) return 'tenant';
  const named: Readonly<Record<string, string>> = {
    key: 'credential',
    keys: 'apiKeys',
    'key-ends': 'apiKeyEnds',
    idem: 'idempotency',
    outstanding: 'tenantsWithJobs',
    listeners: 'activeChangeChannel',
    ...Object.fromEntries(['workflows', 'agents', 'prompts'].map((plural) => [plural, 'definitions'])),
    ...Object.fromEntries(['workflow', 'agent', 'prompt'].map((one) => [one, 'definition'])),
  };
  return named[kind] ?? kind;
}

function declares(script: string, key: string): boolean {
  if (script === 'replication/replication_barrier') return key === 'mark';
  return [...ALL_SCRIPTS.values()].some(({ name, keys }) => name === script && keys.includes(key));
}

/** `2.5 s`, `90 d`. */
function millisecondsOf(text: string): number {
  const [, count, unit = ''] = /^([\d.]+) (s|d)$/.exec(text) ?? [];
  return Number(count) * (unit === 'd' ? 86_400_000 : 1_000);
}

/** As a sentence begins with it. */
function numberWord(number: number): string {
  const words = ['Six', 'Seven', 'Eight', 'Nine', 'Ten', 'Eleven', 'Twelve', 'Thirteen', 'Fourteen'];
  return words[number - 6] ?? String(number);
}
