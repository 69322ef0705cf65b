import { expect, test } from 'vitest';
import { FIELD } from './task-record.ts';
import { readLua, substituteFieldNames, includesOf } from '../scripts/lua-source.ts';
import { ALL_SCRIPTS } from '../testing/all-scripts.ts';
import { taskFieldNameOf } from '../testing/task-fields.ts';

const ALL_NAMES = [...ALL_SCRIPTS.values()].map(({ name }) => name);

/** Commands on a hash in a script's text, with their arguments as written: `['HSET', 'K_task', "F_status", ...]`. */
function hashCommands(lua: string): string[][] {
  const code = lua.replace(/--.*$/gm, '');
  const calls = [...code.matchAll(/(?:redis\.call|write_all)\(\s*'(H\w+)',/g)];
  return calls.map((call) => splitArguments(code.slice(code.indexOf('(', call.index) + 1)));
}

/** The arguments of a call, from behind its opening parenthesis to its closing one. */
function splitArguments(text: string): string[] {
  const args = [''];
  let depth = 0;
  let quoted = false;
  for (const character of text) {
    if (character === "'") quoted = !quoted;
    if (!quoted && '([{'.includes(character)) depth++;
    if (!quoted && ')]}'.includes(character) && depth-- === 0) break;
    if (!quoted && character === ',' && depth === 0) args.push('');
    else args[args.length - 1] += character;
  }
  return args.map((arg) => arg.trim().replace(/^'(.*)'$/, '$1'));
}

/** What of a command on a task's hash names a field. */
function fieldArguments([command = '', , ...args]: string[]): string[] {
  if (command === 'HSET') return args.filter((_, at) => at % 2 === 0);
  return command === 'HKEYS' || command === 'HSCAN' ? [] : args;
}

const isTaskKey = (key = '') => key === 'K_task' || key === 'task_key';

/** Lists of fields that are gathered first: their pairs are checked where they are added, and `...` where it is called. */
const GATHERED =
  /^(unpack\((?:fields|dropped)\)|\.\.\.|fields|entries|dropped|field|added_waiter\(waiters, A_channel\))$/;

test.each(ALL_NAMES)('%s names the fields of a task by constants alone', (script) => {
  const text = readLua(script);
  const lua = [...includesOf(text), text].join('\n');
  for (const command of hashCommands(lua).filter(([, key]) => isTaskKey(key))) {
    for (const field of fieldArguments(command))
      expect(field, command.join(' ')).toMatch(new RegExp(`^F_\\w+|${GATHERED.source}`));
  }
  for (const [, list, field] of lua.matchAll(/add_pair\((\w+), ([^,]+),/g))
    if (list !== 'changes' && list !== 'values') expect(field).toMatch(/^F_\w+/);
  for (const [, list = ''] of text.matchAll(/= read_task_to_end\(([^)]*)\)/g))
    for (const field of list.split(', ').filter((one) => one !== '')) expect(field).toMatch(/^F_\w+/);
  for (const [, list] of lua.matchAll(/local (?:fields|dropped) = \{([^}]+)\}/g))
    expect(list?.trim()).toMatch(/^F_/);
});

test('an unknown field cannot be named', () => {
  expect(() => substituteFieldNames("redis.call('HGET', K_task, F_nothing)")).toThrow('F_nothing');
  expect(substituteFieldNames('F_status')).toBe(`'${FIELD.status}'`);
});

test('a stored field has one name', () => {
  expect(new Set(Object.values(FIELD)).size).toBe(Object.keys(FIELD).length);
  expect(taskFieldNameOf('j:0.1')).toBe('journal');
  expect(taskFieldNameOf('c12')).toBe('chunk_state');
  expect(taskFieldNameOf('st')).toBe('status');
  for (const unknown of ['unheard-of', 'c', 'j:', 'q1', 'st1'])
    expect(taskFieldNameOf(unknown)).toBeUndefined();
});
