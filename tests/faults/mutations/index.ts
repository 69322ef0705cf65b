import { earlyAcknowledgement } from './early-acknowledgement.ts';
import type { Mutation } from './mutation.ts';
import { noDeadlineSweep } from './no-deadline-sweep.ts';
import { noFence } from './no-fence.ts';
import { noReadySweep } from './no-ready-sweep.ts';

/** One mutation per invariant; each stands in a file of its own with the scene in which it shows. */
export const mutations: readonly Mutation[] = [noFence, noReadySweep, noDeadlineSweep, earlyAcknowledgement];
