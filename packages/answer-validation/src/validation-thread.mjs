// The thread of caller-schema-validator.ts. Plain JavaScript, since a thread is started from a file. Regular expressions run on
// RE2, in linear time; remote references are never fetched, since no loader is given.
import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
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

parentPort.on('message', ({ schema, values }) => {
  parentPort.postMessage(check(schema, values));
});
parentPort.postMessage('ready');

/**
 * Each check has a validator of its own: a validator keeps the `$id`s and anchors of every schema that it has compiled,
 * and callers of different tenants meet in this thread. `$async` would have ajv answer with promises, which are always true.
 */
function check({ $schema, $async, ...schema }, values) {
  const draft = /draft-0[467]/.test(String($schema)) ? 'old' : 'now';
  try {
    void metaValidators[draft].validateSchema(schema, true);
    const validate = new drafts[draft]({ ...options, validateSchema: false }).compile(schema);
    return values.map((value) => (validate(value) ? null : problemOf(validate.errors)));
  } catch (error) {
    return new Error(error.message);
  }
}

function problemOf(errors) {
  return errors
    .slice(0, 20)
    .map(({ instancePath, message }) =>
      instancePath === '' ? message : `${instancePath.slice(1).replaceAll('/', '.')}: ${message}`,
    )
    .join('; ');
}
