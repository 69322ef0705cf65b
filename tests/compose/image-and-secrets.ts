import assert from 'node:assert/strict';
import type { ComposeStack } from './compose-stack.ts';
import { runCommand } from './run-command.ts';

/** Prints the packages that the bundles import and that are not installed. */
const MISSING_PACKAGES = `
import { readdirSync, readFileSync } from 'node:fs';
const bundles = readdirSync('dist').filter((name) => name.endsWith('.js')).map((name) => readFileSync('dist/' + name, 'utf8'));
const imported = bundles.flatMap((text) => [...text.matchAll(/^(?:import|\\} from|.*\\bimport\\()[^"\\n]*"([^"./][^"\\n]*)"/gm)].map(([, name]) => name));
const missing = [...new Set(imported)].filter((name) => {
  try {
    import.meta.resolve(name);
  } catch {
    return true;
  }
});
console.log(imported.length > 100, missing.join(' '));
`;

/** The image has what its bundles import, and only runtime packages, runs as user 1000 on a read-only folder, and is a command line too. */
export async function checkImage(stack: ComposeStack): Promise<string> {
  const id = await stack.onlyContainer('gateway');
  const inside = (...args: string[]) => runCommand(['docker', 'exec', id, ...args]);
  assert.equal(await inside('id', '-u'), '1000');
  const first = await inside('cat', '/proc/1/cmdline');
  assert.match(
    first.replaceAll('\0', ' '),
    /^node \S*baton gateway/,
    'the role is PID 1, so it receives SIGTERM',
  );
  const packages = (await inside('ls', 'node_modules')).split('\n');
  for (const needed of ['fastify', 'bullmq', 'ioredis', 'zod']) assert.ok(packages.includes(needed), needed);
  for (const other of ['typescript', 'vitest', 'esbuild', 'testcontainers', '@baton'])
    assert.ok(!packages.includes(other), `${other} is in the image`);
  // A Redis of one's own is for `baton dev`, which no image runs.
  assert.equal(
    await inside('node', '--input-type=module', '--eval', MISSING_PACKAGES),
    'true testcontainers',
  );
  const operator = [
    '--env',
    'BATON_URL=http://127.0.0.1:8080',
    '--env',
    `BATON_OPERATOR_TOKEN=${stack.operatorToken}`,
  ];
  await runCommand(['docker', 'exec', ...operator, id, 'baton', 'tenants']);
  await assert.rejects(inside('touch', '/baton/written'), 'the folder is read-only');
  const { components } = JSON.parse(await inside('cat', 'sbom.cdx.json')) as {
    components: { name: string }[];
  };
  const listed = new Set(components.map(({ name }) => name));
  for (const name of packages)
    if (!name.startsWith('@')) assert.ok(listed.has(name), `${name} is not in the list of what is installed`);
  const kilobytes = Number((await inside('du', '-sk', '/baton')).split('\t')[0]);
  assert.ok(kilobytes < 100_000, `${kilobytes} KB`);
  return `${packages.length} packages, ${Math.round(kilobytes / 1_024)} MB beside Node`;
}

/** compose never starts with a default secret. */
export async function checkMissingSecrets(stack: ComposeStack): Promise<string> {
  const secrets = ['BATON_SECRET', 'BATON_OPERATOR_TOKEN', 'BATON_REDIS_PASSWORD'];
  for (const secret of secrets)
    assert.match(await stack.configError(secret), new RegExp(`${secret} is not set`));
  return secrets.join(', ');
}
