import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ServerBundle {
  readonly script: string;
  remove(): void;
}

let bundles = 0;

/**
 * Bundles the server process of an environment. Each environment builds its own, since tests run in parallel, and not
 * under dist/, which a build of the product empties.
 */
export async function bundleServerProcess(): Promise<ServerBundle> {
  const folder = `node_modules/.cache/baton-abuse/${process.pid}-${++bundles}`;
  execFileSync(process.execPath, ['infra/scripts/abuse.mjs', '--bundle', folder], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    script: `${ROOT}${folder}/serve.js`,
    remove: () => rmSync(`${ROOT}${folder}`, { recursive: true, force: true }),
  };
}
