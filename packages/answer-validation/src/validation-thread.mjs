// A thread of validation-threads.ts. Plain JavaScript, since a thread is started from a file. Regular expressions run on
// RE2, in linear time; remote references are never fetched, since no loader is given.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/** ajv's seam for regular expressions. */
function linear(pattern) {
  const compiled = RE2JS.compile(pattern);
  // ajv tells expressions apart by their text: without it, all of a schema would be taken for the first one.
  return { test: (text) => compiled.matcher(text).find(), toString: () => `/${pattern}/` };
}
// For standalone output, which is never made here; ajv insists.
linear.code = 'linear';

const options = { strict: false, validateFormats: false, ownProperties: true, code: { regExp: linear } };
const drafts = { old: Ajv, now: Ajv2020 };

// Shared by all checks, and so used for nothing but a draft's own schema: `validateSchema` registers nothing.
const metaValidators = { old: new Ajv(options), now: new Ajv2020(options) };

// By tenant and digest, each with a validator of its own; bounded by the bytes of the schemas too.
const compiled = new LRUCache({ max: 128, maxSize: 524_288 });
const MAX_COMPILED_OF_TENANT = 16;
const MAX_CACHED_SCHEMA_BYTES = 32_768;

// On Linux a priority is a thread's: the event loop of the process goes first.
if (process.platform === 'linux') setPriority(0, 10);

// Whoever comes first need not pay for code that was never run.
compile('{"type":"object","properties":{"a":{"pattern":"a"}},"required":["a"]}').validate({ a: 'a' });

/** A check of validation-threads.ts: the time that it took, and one problem or null per value, or what is wrong with the schema. */
export default function run({ number, check: { tenant, digest, schema, values } }) {
  parentPort.postMessage(number);
  const since = performance.now();
  let result;
  try {
    result = problemsOf(compiledOf(tenant, digest, schema), values);
  } catch (error) {
    // A value nests no deeper than a stack reaches: only a schema goes on without end.
    result = error instanceof RangeError ? 'a $ref of it leads back to itself' : String(error.message);
  }
  return { ms: performance.now() - since, result };
}

/** One tenant's schemas leave room for those of others. */
function compiledOf(tenant, digest, schema) {
  const key = digest + tenant;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const validators = compile(schema);
  const ofTenant = [...compiled.rkeys()].filter((other) => other.slice(digest.length) === tenant);
  if (ofTenant.length >= MAX_COMPILED_OF_TENANT) compiled.delete(ofTenant[0]);
  if (schema.length <= MAX_CACHED_SCHEMA_BYTES) compiled.set(key, validators, { size: schema.length });
  return validators;
}

/**
 * Each schema has a validator of its own: a validator keeps the `$id`s and anchors of every schema that it has compiled,
 * and callers of different tenants meet in this thread. `$async` would have ajv answer with promises, which are always true.
 * `validate` stops at the first problem; `validateAll`, which finds all of a value that does not fit, is compiled when it is first asked for.
 */
function compile(text) {
  const { $schema, $async, ...schema } = JSON.parse(text);
  const draft = /draft-0[467]/.test(String($schema)) ? 'old' : 'now';
  void metaValidators[draft].validateSchema(schema, true);
  const compileWith = (more) =>
    new drafts[draft]({ ...options, validateSchema: false, ...more }).compile(schema);
  const validate = compileWith({});
  let validateAll;
  return {
    validate,
    validateAll: (value) => ((validateAll ??= compileWith({ allErrors: true }))(value), validateAll.errors),
  };
}

/** Of a longer value one problem is found, so that the work stays within what its length allows. */
const MAX_LENGTH_FOR_ALL = 16_384;

function problemsOf({ validate, validateAll }, values) {
  const problems = [];
  for (const text of values) {
    const value = JSON.parse(text);
    const fits = validate(value);
    if (fits) problems.push(null);
    else problems.push(problemOf(text.length > MAX_LENGTH_FOR_ALL ? validate.errors : validateAll(value)));
    if (fits) break;
  }
  return problems;
}

/** A name that a caller gave may be as long as its answer, and the values that a schema allows as long as the schema. */
const MAX_NAME_LENGTH = 200;
const MAX_VALUES_LENGTH = 300;

function problemOf(errors) {
  return errors
    .slice(0, 20)
    .map(({ instancePath, keyword, params, message }) => {
      const { missingProperty, additionalProperty, allowedValues, allowedValue } = params;
      const field = (missingProperty ?? additionalProperty)?.slice(0, MAX_NAME_LENGTH);
      const path = [...instancePath.split('/').slice(1), ...(field === undefined ? [] : [field])].join('.');
      const problem =
        missingProperty !== undefined
          ? 'is required'
          : additionalProperty !== undefined
            ? 'is none of its properties'
            : keyword === 'enum'
              ? `must be one of ${shownValues(allowedValues)}`
              : keyword === 'const'
                ? `must be ${shownValues([allowedValue])}`
                : message;
      return path === '' ? problem : `${path}: ${problem}`;
    })
    .join('; ');
}

function shownValues(values) {
  const shown = values.map((value) => JSON.stringify(value)).join('|');
  if (shown.length <= MAX_VALUES_LENGTH) return shown;
  return `${shown.slice(0, MAX_VALUES_LENGTH).toWellFormed()}…`;
}
