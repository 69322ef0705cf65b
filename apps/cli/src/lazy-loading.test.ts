import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** The npm packages that a role of the built command imports at its start, through all files of dist. */
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

describe('a role loads its own packages and never those of another role', () => {
  test.each([
    ['the command itself', () => 'baton.js', [], ['fastify', 'ioredis', 'bullmq', 'ai', 'pino']],
    ['agent', () => roleFile('run-agent'), ['ai'], ['fastify', 'ioredis', 'bullmq', 'pino']],
    ['worker', () => roleFile('run-worker'), ['bullmq', 'ioredis'], ['fastify', 'ai']],
    ['gateway', () => roleFile('run-gateway'), ['fastify', 'ioredis'], ['ai']],
  ])('%s', (_role, entry, loads, never) => {
    const packages = packagesOf(entry());
    expect([...packages]).toEqual(expect.arrayContaining(loads));
    expect(never.filter((name) => packages.has(name))).toEqual([]);
  });
});
