// `node infra/scripts/task-master-definitions.mjs <checkout of claude-task-master>`: writes the facts of its tools and of its
// files (names, types, what is required) to tests/fixtures/task-master, which tests hold Baton against. Nothing else of
// it is kept. The checkout's definitions are run, but for everything that they import beside schemas and constants.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';
import { z } from 'zod';

const checkout = resolve(process.argv[2] ?? '');
const target = new URL('../../tests/fixtures/task-master/', import.meta.url);

const definitions = await loadDefinitions(`
  export { toolRegistry } from './mcp-server/src/tools/tool-registry.js';
  export * from './src/schemas/base-schemas.js';
  export * from './src/schemas/analyze-complexity.js';
`);
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
write('tools.json', { version, tools: toolsOf(definitions.toolRegistry) });
write('files.json', {
  version,
  answers: {
    task: factsOf(definitions.BaseTaskSchema),
    subtask: factsOf(definitions.SubtaskSchema),
    analysis: factsOf(definitions.ComplexityAnalysisItemSchema),
  },
  types: pick(
    {
      ...typesIn('packages/tm-core/src/common/types/index.ts'),
      ...typesIn('packages/tm-core/src/modules/reports/types.ts'),
    },
    ['TaskStatus', 'TaskPriority', 'Task', 'Subtask', 'ComplexityAnalysis', 'ComplexityReportMetadata'],
  ),
});

/** Bundles and runs the schemas; a module outside these folders is replaced by one whose every export does nothing. */
async function loadDefinitions(contents) {
  const kept =
    /mcp-server\/src\/tools\/|\/src\/(constants|schemas)\/|apps\/mcp\/src\/|tm-core\/src\/(common|modules\/tasks\/validation)\/|package\.json$/;
  const otherwise = '{ get: (own, name) => own[name] ?? (() => undefined) }';
  const core = ['common/schemas', 'common/constants', 'modules/tasks/validation']
    .map((folder) => `...require('./${folder}/index.ts')`)
    .join();
  const plugin = {
    name: 'definitions',
    setup(bundler) {
      bundler.onResolve({ filter: /.*/ }, async ({ path, resolveDir, importer, kind, pluginData }) => {
        if (pluginData === 'passed on') return undefined;
        if (path === 'zod') return { path, external: true };
        if (path === '@tm/core') return { path, namespace: 'core' };
        const [file, from] = path === '@tm/mcp' ? ['./apps/mcp/src/index.ts', checkout] : [path, resolveDir];
        if (!file.startsWith('.')) return { path, namespace: 'nothing' };
        const options = { resolveDir: from, importer, kind, pluginData: 'passed on' };
        const found = await bundler.resolve(file, options);
        return kept.test(found.path) ? { path: found.path } : { path, namespace: 'nothing' };
      });
      bundler.onLoad({ filter: /.*/, namespace: 'core' }, () => ({
        contents: `module.exports = new Proxy({ ${core} }, ${otherwise})`,
        resolveDir: join(checkout, 'packages/tm-core/src'),
      }));
      bundler.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({
        contents: `module.exports = new Proxy({}, ${otherwise})`,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: checkout },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    plugins: [plugin],
  });
  // Beside this script, so that zod is found.
  const bundle = new URL(`.definitions-${process.pid}.mjs`, import.meta.url);
  writeFileSync(bundle, outputFiles[0].text);
  try {
    return await import(bundle.href);
  } finally {
    rmSync(bundle);
  }
}

/** @returns {Record<string, object>} by tool, its arguments */
function toolsOf(registry) {
  const tools = {};
  for (const register of Object.values(registry))
    register({ addTool: ({ name, parameters }) => (tools[name] = factsOf(parameters)) });
  return tools;
}

/** The fields of an object schema: type, words, whether it must be given. */
function factsOf(schema) {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.fromEntries(
    Object.entries(properties).map(([name, described]) => [
      name,
      { ...fieldOf(described), required: required.includes(name) },
    ]),
  );
}

function fieldOf({ type, enum: words, items, anyOf, minimum, maximum }) {
  const types = anyOf ? [...new Set(anyOf.map((one) => one.type))] : [type];
  const inner = anyOf?.find((one) => one.enum || one.items) ?? { enum: words, items };
  return {
    type: types.length === 1 ? types[0] : types,
    ...(inner.enum ? { enum: inner.enum } : {}),
    ...(inner.items ? { items: fieldOf(inner.items) } : {}),
    // Bounds of the number format are no facts of claude-task-master's.
    ...(Number.isSafeInteger(minimum) && minimum > -1e9 ? { minimum } : {}),
    ...(Number.isSafeInteger(maximum) && maximum < 1e9 ? { maximum } : {}),
  };
}

/** The exported interfaces and unions of a TypeScript file. */
function typesIn(path) {
  const { program } = parseSync(path, readFileSync(join(checkout, path), 'utf8'));
  const declared = program.body.flatMap(({ declaration }) => (declaration ? [declaration] : []));
  const types = {};
  for (const { type, id, body, extends: parents = [], typeAnnotation } of declared) {
    if (type === 'TSTypeAliasDeclaration') types[id.name] = typeOf(typeAnnotation);
    if (type !== 'TSInterfaceDeclaration') continue;
    const fields = body.body.map(({ key, optional, typeAnnotation: of }) => [
      key.name,
      { ...typeOf(of.typeAnnotation), required: !optional },
    ]);
    types[id.name] = { ...inherited(parents, types), ...Object.fromEntries(fields) };
  }
  return types;
}

/** `extends Base` and `extends Omit<Base, 'a' | 'b'>`. */
function inherited(parents, types) {
  return Object.fromEntries(
    parents.flatMap(({ expression, typeArguments }) => {
      if (expression.name !== 'Omit') return Object.entries(types[expression.name] ?? {});
      const [base, left] = typeArguments.params;
      const words = typeOf(left).enum;
      return Object.entries(types[base.typeName.name]).filter(([name]) => !words.includes(name));
    }),
  );
}

function typeOf(node) {
  switch (node.type) {
    case 'TSStringKeyword':
      return { type: 'string' };
    case 'TSNumberKeyword':
      return { type: 'number' };
    case 'TSBooleanKeyword':
      return { type: 'boolean' };
    case 'TSNeverKeyword':
      return { type: 'never' };
    case 'TSArrayType':
      return { type: 'array', items: typeOf(node.elementType) };
    case 'TSLiteralType':
      return { type: 'string', enum: [node.literal.value] };
    case 'TSUnionType': {
      const parts = node.types.map(typeOf);
      const words = parts.flatMap((part) => part.enum ?? []);
      const types = [...new Set(parts.map(({ type }) => type))];
      return { type: types.length === 1 ? types[0] : types, ...(words.length > 0 ? { enum: words } : {}) };
    }
    case 'TSTypeReference':
      return node.typeName.name === 'Record' ? { type: 'object' } : { type: node.typeName.name };
    default:
      return { type: 'object' };
  }
}

function pick(types, names) {
  return Object.fromEntries(names.map((name) => [name, types[name]]));
}

function write(name, facts) {
  writeFileSync(new URL(name, target), `${JSON.stringify(facts, null, 2)}\n`);
}
