import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatInteractionId,
  isTaskId,
  MAX_INTERACTIONS,
  parseInteractionId,
  taskIdFromUuid,
  tenantIdSchema,
} from './ids.ts';
import { randomSeed } from './testing/random-seed.ts';

const random = fc.uuid({ version: 4 });
const number = fc.integer({ min: 1, max: MAX_INTERACTIONS });

test('a task id is a UUID of version 8 that no interaction has', () => {
  fc.assert(
    fc.property(random, (uuid) => {
      const id = taskIdFromUuid(uuid);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{8}0000$/);
      expect(isTaskId(id)).toBe(true);
      expect(parseInteractionId(id)).toBeUndefined();
    }),
    { seed: randomSeed },
  );
});

test('an interaction id gives back its task and its number, and is not a task id', () => {
  fc.assert(
    fc.property(random, number, (uuid, number) => {
      const taskId = taskIdFromUuid(uuid);
      const id = formatInteractionId(taskId, number);
      expect(parseInteractionId(id)).toEqual({ taskId, number });
      expect(isTaskId(id)).toBe(false);
    }),
    { seed: randomSeed },
  );
});

test('a task id keeps all that is random in its UUID but for the last two bytes', () => {
  expect(taskIdFromUuid('ffffffff-ffff-4fff-bfff-ffffffffffff')).toBe('ffffffff-ffff-8fff-bfff-ffffffff0000');
  expect(taskIdFromUuid('00000000-0000-4000-8000-000000000000')).toBe('00000000-0000-8000-8000-000000000000');
});

describe('what Baton never gave out', () => {
  const ours = 'f81d4fae-7dec-81d0-a765-00a0c91e0001';
  const strange = [
    ['nothing', ''],
    ['a word', 'latest'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['the max UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['capitals', ours.toUpperCase()],
    ['a URN', `urn:uuid:${ours}`],
    ['braces', `{${ours}}`],
    ['no hyphens', ours.replaceAll('-', '')],
    ['a line break at its end', `${ours}\n`],
    ['a space before', ` ${ours}`],
    ['a digit too many', `${ours}0`],
    ['a digit too few', ours.slice(0, -1)],
    ['another variant', ours.replace('-a765-', '-c765-')],
    ['a path', `../${ours}`],
  ] as const;

  test('(the id that the table changes is one of ours)', () => {
    expect(parseInteractionId(ours)).toEqual({ taskId: 'f81d4fae-7dec-81d0-a765-00a0c91e0000', number: 1 });
  });

  test.each(strange)('%s is neither a task nor an interaction', (_claim, id) => {
    expect(parseInteractionId(id)).toBeUndefined();
    expect(isTaskId(id)).toBe(false);
  });

  test('a UUID of another version is neither, even with our last bytes', () => {
    const foreign = fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15] });
    fc.assert(
      fc.property(foreign, fc.constantFrom('0000', '0001', undefined), (uuid, end) => {
        const id = end === undefined ? uuid : uuid.slice(0, 32) + end;
        expect(parseInteractionId(id)).toBeUndefined();
        expect(isTaskId(id)).toBe(false);
      }),
      { seed: randomSeed },
    );
  });

  test('no other text is either', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseInteractionId(text) ?? isTaskId(text)).toBe(false);
      }),
      { seed: randomSeed },
    );
  });
});

test.each(['a', '0', '-', 'acme-2', 'x'.repeat(63)])('%s is a tenant', (id) => {
  expect(tenantIdSchema.safeParse(id).success).toBe(true);
});

test.each(['', 'A', 'a_b', 'a.b', 'a b', 'é', 'a\n', '{s1}', 'x'.repeat(64), 5, null])(
  '%j is not a tenant',
  (id) => {
    expect(tenantIdSchema.safeParse(id).success).toBe(false);
  },
);
