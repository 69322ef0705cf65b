import { sleep } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { integerOrDigits } from '../schema/coercion.ts';
import { fixture, NOTHING } from './fixture.ts';

/** Tools that go on by themselves for a while. */
export const waitingFixtures = [
  fixture('test_tool_with_progress', 'Takes seven short steps.', NOTHING, function* () {
    for (let step = 0; step < 7; step++) yield* sleep(150);
    return 'Seven steps were taken.';
  }),
  fixture('test_reconnection', 'Takes a short step.', NOTHING, function* () {
    yield* sleep(100);
    return 'The step was taken.';
  }),
  fixture(
    'slow_compute',
    'Works for so many seconds.',
    z.strictObject({
      seconds: integerOrDigits(z.int().min(0).max(600)).default(1),
      label: z.string().max(200).default('work'),
    }),
    function* ({ seconds, label }) {
      if (seconds > 0) yield* sleep(seconds * 1_000);
      return `${label}: done.`;
    },
  ),
  fixture(
    'failing_job',
    'Works for a second, and fails.',
    NOTHING,
    function* () {
      yield* sleep(1_000);
      throw new BatonError('agent_error', 'The job failed, as it is meant to.');
    },
    { needs: 'tasks' },
  ),
  fixture('protocol_error_job', 'Works for a moment, and breaks.', NOTHING, function* () {
    yield* sleep(50);
    throw new TypeError('The job is broken on purpose.');
  }),
];
