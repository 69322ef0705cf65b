import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The import graph of the workspace, type imports included: repository paths, forward slashes. */
export interface ImportGraph {
  /** File to the files of the same package that it imports. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** File to the workspace packages that it imports ("@baton/store"). */
  readonly packages: ReadonlyMap<string, readonly string[]>;
}

const IMPORT =
  /(?:^|[;\s])(?:import|export)\s+(?:[\w*{}\s,$]+?\s+from\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

/** The TypeScript files that are in the repository or about to be, without tests. */
export function listSourceFiles(root: string, folders: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => /\.(tsx?|mjs)$/.test(file) && existsSync(join(root, file)));
}

export const isTestFile = (file: string): boolean =>
  /\.(test|soak|abuse)\.ts$/.test(file) || file.includes('/testing/');

/** Reads what each file imports. */
export function buildImportGraph(root: string, files: readonly string[]): ImportGraph {
  const known = new Set(files);
  const inside = new Map<string, string[]>();
  const packages = new Map<string, string[]>();
  for (const file of files) {
    const own: string[] = [];
    const workspace = new Set<string>();
    for (const [, plain, dynamic] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const specifier = plain ?? dynamic ?? '';
      if (specifier.startsWith('@baton/')) workspace.add(specifier.split('/').slice(0, 2).join('/'));
      if (!specifier.startsWith('.')) continue;
      const target = normalize(join(dirname(file), specifier));
      if (known.has(target)) own.push(target);
    }
    inside.set(file, own);
    packages.set(file, [...workspace]);
  }
  return { files: inside, packages };
}

/** The graph between folders that a graph between files makes. */
export function buildFolderGraph(files: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const folders = new Map<string, Set<string>>();
  for (const [file, imported] of files) {
    const from = dirname(file);
    const edges = folders.get(from) ?? new Set();
    for (const other of imported) if (dirname(other) !== from) edges.add(dirname(other));
    folders.set(from, edges);
  }
  return new Map([...folders].map(([folder, edges]) => [folder, [...edges]]));
}

/** One circle of a graph as the nodes along it, undefined when there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | undefined => {
    const at = path.indexOf(node);
    if (at !== -1) return [...path.slice(at), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle) return circle;
  }
  return undefined;
}
