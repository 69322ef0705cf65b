// The thread of answer-validator.ts. Plain JavaScript, since a thread is started from a file. Regular expressions run on
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
const ajv = { old: new Ajv(options), now: new Ajv2020(options) };

parentPort.on('message', ({ schema, values }) => {
  parentPort.postMessage(check(schema, values));
});
parentPort.postMessage('ready');

// `$async` would have ajv answer with promises, which are true whatever they will say.
function check({ $schema, $async, ...schema }, values) {
  const draft = /draft-0[467]/.test(String($schema)) ? ajv.old : ajv.now;
  try {
    const validate = draft.compile(schema);
    return values.map((value) => (validate(value) ? null : problemOf(validate.errors)));
  } catch (error) {
    return new Error(error.message);
  } finally {
    // ajv keeps what it compiled; callers' schemas would pile up.
    draft.removeSchema(schema);
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
