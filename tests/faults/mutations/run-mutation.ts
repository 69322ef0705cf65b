import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkHistory } from '../checker/checker.ts';
import type { Violation } from '../checker/evidence.ts';
import { Cluster } from '../cluster/cluster.ts';
import { StallDetector } from '../cluster/stall-detector.ts';
import { History } from '../checker/history.ts';
import { repeatAcceptedAnswers } from '../clients/repeat-answers.ts';
import { readFinalState } from '../cluster/read-final-state.ts';
import { createTemporaryFolder } from '../../processes/temporary-folder.ts';
import { ManualClient } from '../clients/manual-client.ts';
import type { Mutation } from './mutation.ts';

/** Runs a mutation's scenario on the release at `entry`; returns the checker's violations. */
export async function runMutation(mutation: Mutation, entry: string): Promise<Violation[]> {
  const dir = createTemporaryFolder('history');
  const history = new History(join(dir, 'scenario.jsonl'));
  const stalls = new StallDetector(history);
  const cluster = await Cluster.start({ ...mutation.clusterOptions, entry }, history, { idle: true });
  try {
    const client = new ManualClient(cluster, history);
    await mutation.runScenario({ cluster, client });
    const final = await readFinalState(cluster);
    await repeatAcceptedAnswers({ cluster, history }, history.entries, client.plans);
    return checkHistory(history.entries, final);
  } finally {
    stalls.stop();
    await cluster.stop();
    await history.close();
    await rm(dir, { recursive: true });
  }
}
