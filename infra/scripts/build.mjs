// Builds dist/: one bundle of Baton's own packages, npm's packages left outside, and beside it the files that are
// read at run time by their place (Lua scripts, the thread that checks answers, the script that fetches a Redis, the console's page).
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';

const MARK = join(REPOSITORY_ROOT, 'dist/.built');

/** True when some source is newer than the last build. */
export function isBuildStale() {
  if (!existsSync(MARK)) return true;
  const built = statSync(MARK).mtimeMs;
  const newer = (path) => {
    if (path.endsWith('node_modules')) return false;
    const stat = statSync(path);
    if (!stat.isDirectory()) return stat.mtimeMs > built && !/\.(test|soak)\.ts$/.test(path);
    return readdirSync(path).some((name) => newer(join(path, name)));
  };
  return ['apps', 'packages', 'infra/scripts', 'package-lock.json'].some((part) =>
    newer(join(REPOSITORY_ROOT, part)),
  );
}

/** A package that npm has installed below a workspace, since the root has another version of it: at run time there is the root's only. */
function isOfOneWorkspace(path, importer) {
  const name = path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
  const folders = relative(REPOSITORY_ROOT, dirname(importer)).split('/');
  return folders.some((_, at) =>
    existsSync(join(REPOSITORY_ROOT, ...folders.slice(0, at + 1), 'node_modules', name)),
  );
}

/** Bundles entries into a folder, with the files that are read at run time by their place beside them. */
export async function bundle(folder, entryPoints) {
  const { build: esbuild, stop } = await import('esbuild');
  mkdirSync(join(REPOSITORY_ROOT, folder), { recursive: true });
  const { metafile } = await esbuild({
    absWorkingDir: REPOSITORY_ROOT,
    entryPoints,
    outdir: folder,
    bundle: true,
    // What a command imports when it runs stays a file of its own: no role loads another's packages.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    plugins: [
      {
        name: 'own packages inside, others outside',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./#]/ }, ({ path, kind, importer }) =>
            kind === 'entry-point' || path.startsWith('@baton/') || isOfOneWorkspace(path, importer)
              ? undefined
              : { path, external: true },
          );
        },
      },
    ],
  });
  // Its helper process would live on in `npm start`.
  await stop();
  cpSync(join(REPOSITORY_ROOT, 'packages/store/src/scripts/lua'), join(REPOSITORY_ROOT, folder, 'lua'), {
    recursive: true,
  });
  const fresh = new Set(['.built', ...Object.keys(metafile.outputs).map((path) => basename(path))]);
  for (const path of ['answer-validation/src/validation-thread.mjs', 'local-redis/src/fetch-server.sh']) {
    cpSync(join(REPOSITORY_ROOT, 'packages', path), join(REPOSITORY_ROOT, folder, basename(path)));
    fresh.add(basename(path));
  }
  // Only now, and only these: a Baton may be starting from this folder meanwhile.
  for (const entry of readdirSync(join(REPOSITORY_ROOT, folder), { withFileTypes: true }))
    if (entry.isFile() && !fresh.has(entry.name)) rmSync(join(REPOSITORY_ROOT, folder, entry.name));
}

export async function build() {
  await bundle('dist', { baton: 'apps/cli/src/main.ts' });
  await buildConsole(join(REPOSITORY_ROOT, 'dist/console'));
  writeFileSync(MARK, '');
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  ensureNodeAndPackages();
  await build();
}
