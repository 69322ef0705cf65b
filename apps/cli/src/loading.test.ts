import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** What a role of the built command loads at its start, file by file, and the packages that it takes from outside. */
const dist = new URL('../../../dist/', import.meta.url);

function packagesOf(entry: string): Set<string> {
  const [seen, packages] = [new Set<string>(), new Set<string>()];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(new URL(file, dist), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export|\}).*?"([^"]+)";$/gm)) {
      if (name.startsWith('./')) visit(name.slice(2));
      else packages.add(name);
    }
  };
  visit(entry);
  return packages;
}

const roleFile = (role: string) => {
  const found = readdirSync(dist).find((file) => new RegExp(`^${role}-\\w+\\.js$`).test(file));
  if (found === undefined) throw new Error(`dist has no file of ${role}`);
  return found;
};

describe('a role loads what it is made of, and not what another is made of', () => {
  test.each([
    ['the command itself', () => 'baton.js', [], ['fastify', 'ioredis', 'bullmq', 'ai', 'pino']],
    ['agent', () => roleFile('run'), ['ai'], ['fastify', 'ioredis', 'bullmq', 'pino']],
    ['worker', () => roleFile('worker'), ['bullmq', 'ioredis'], ['fastify', 'ai']],
    ['gateway', () => roleFile('gateway'), ['fastify', 'ioredis'], ['ai']],
  ])('%s', (_role, entry, loads, never) => {
    const packages = packagesOf(entry());
    expect([...packages]).toEqual(expect.arrayContaining(loads));
    expect(never.filter((name) => packages.has(name))).toEqual([]);
  });
});
