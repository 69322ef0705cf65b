import { earlyAcknowledgement } from './early-acknowledgement.ts';
import type { Mutation } from './mutation.ts';
import { noDeadlineSweep } from './no-deadline-sweep.ts';
import { noFence } from './no-fence.ts';
import { noLostJobRequeue } from './no-lost-job-requeue.ts';

/** One mutation per invariant, each in a file of its own with the scenario in which it shows. */
export const mutations: readonly Mutation[] = [
  noFence,
  noLostJobRequeue,
  noDeadlineSweep,
  earlyAcknowledgement,
];
