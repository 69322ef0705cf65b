// Builds apps/console to static files: a page, and a script and styles named by their content, each also compressed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';

const SOURCE = join(REPOSITORY_ROOT, 'apps/console/src');

/** Builds into a folder; files of former builds go when the new page is there. */
export async function buildConsole(folder) {
  const { build: esbuild, stop } = await import('esbuild');
  mkdirSync(folder, { recursive: true });
  const { metafile, outputFiles } = await esbuild({
    absWorkingDir: REPOSITORY_ROOT,
    entryPoints: [join(SOURCE, 'main.tsx')],
    entryNames: 'console-[hash]',
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'console-[hash]',
    minify: true,
    write: false,
    platform: 'browser',
    target: ['chrome120', 'firefox124', 'safari17.4'],
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  await stop();
  const outputs = Object.entries(metafile.outputs);
  const nameOf = (isWanted) => basename(outputs.find(isWanted)[0]);
  const script = nameOf(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx'));
  const styles = nameOf(([path]) => path.endsWith('.css'));
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('main.tsx', script)
    .replace('console.css', styles);
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const fresh = new Set();
  for (const [name, contents] of [...files, ['index.html', Buffer.from(page)]]) {
    for (const [ending, bytes] of [
      ['', contents],
      ['.br', brotliCompressSync(contents)],
      ['.gz', gzipSync(contents, { level: 9 })],
    ]) {
      writeFileSync(join(folder, name + ending), bytes);
      fresh.add(name + ending);
    }
  }
  for (const name of readdirSync(folder)) if (!fresh.has(name)) rmSync(join(folder, name));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  ensureNodeAndPackages();
  await buildConsole(join(REPOSITORY_ROOT, 'dist/console'));
}
