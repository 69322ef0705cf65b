import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BatonError, ERRORS, type ErrorCode, isErrorCode, toBatonError } from './errors.ts';
import { randomSeed } from './testing/random-seed.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];

/** The codes that the contract promises by name. */
const PROMISED =
  'invalid_arguments interaction_not_found interaction_already_answered interaction_expired interaction_cancelled ' +
  'answer_invalid agent_error task_not_found task_ended task_expired program_unavailable idempotency_conflict ' +
  'project_not_found project_task_not_found tag_not_empty dependency_cycle limit_rate limit_pending limit_size ' +
  'tenant_suspended unavailable internal';

test('every promised code has a row', () => {
  expect(PROMISED.split(' ').filter((code) => !isErrorCode(code))).toEqual([]);
});

describe.each(codes)('%s', (code) => {
  const { http, rpc, repeat } = ERRORS[code];

  test('is an error to HTTP and within what JSON-RPC reserves', () => {
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThan(600);
    const standard = [-32700, -32600, -32601, -32602, -32603];
    expect(standard.includes(rpc) || (rpc <= -32000 && rpc >= -32099)).toBe(true);
  });

  test('invites to repeat only where HTTP does too', () => {
    expect(repeat ? [409, 429, 503] : [http]).toContain(http);
    expect(repeat || http !== 429).toBe(true);
  });

  test('blames the caller over JSON-RPC only where HTTP does', () => {
    expect(http >= 500 ? [-32603, -32003] : [rpc]).toContain(rpc);
  });

  test('comes back from the wire as it was', () => {
    const error = new BatonError(code, 'what and why', { field: 'prd', nested: { n: 1 } });
    const back = BatonError.fromWire(JSON.parse(JSON.stringify(error.toWire())));
    expect(back).toBeInstanceOf(BatonError);
    expect(back).toMatchObject({
      code,
      message: 'what and why',
      details: { field: 'prd', nested: { n: 1 } },
    });
    expect(back.row).toBe(ERRORS[code]);
  });
});

test('any error crosses the wire twice without a change', () => {
  const details = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('code', 'message')), fc.jsonValue());
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.string(), details, (code, message, details) => {
      const wire = new BatonError(code, message, details).toWire();
      expect(BatonError.fromWire(wire).toWire()).toEqual(wire);
      expect(wire).toMatchObject({ code, message });
    }),
    { seed: randomSeed },
  );
});

test('details never replace the code or the message', () => {
  const wire = new BatonError('agent_error', 'ours', {
    code: 'internal',
    message: 'theirs',
    kept: 1,
  }).toWire();
  expect(wire).toEqual({ code: 'agent_error', message: 'ours', kept: 1 });
});

test.each(['no_such_code', 'toString', '__proto__', ''])(
  'the code %j from the wire becomes internal',
  (code) => {
    expect(BatonError.fromWire({ code, message: 'x' }).code).toBe('internal');
  },
);

describe('the funnel', () => {
  test('does not rename what has a name', () => {
    const error = new BatonError('limit_size', 'x');
    expect(toBatonError(error)).toBe(error);
  });

  test.each([new TypeError('secret'), 'secret', { code: 'limit_size', message: 'secret' }, null, undefined])(
    'names %j internal and never tells its text',
    (thrown) => {
      const error = toBatonError(thrown);
      expect(error.code).toBe('internal');
      expect(JSON.stringify(error.toWire())).not.toContain('secret');
    },
  );
});
