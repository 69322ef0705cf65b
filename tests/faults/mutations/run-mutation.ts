import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkHistory } from '../checker/checker.ts';
import type { Violation } from '../checker/violation.ts';
import { ProxiedDeployment } from '../deployment/proxied-deployment.ts';
import { MachineStallRecorder } from '../deployment/machine-stall-recorder.ts';
import { History } from '../checker/history.ts';
import { repeatAcceptedAnswers } from '../clients/repeat-answers.ts';
import { readFinalState } from '../deployment/read-final-state.ts';
import { createTemporaryFolder } from '../../processes/temporary-folder.ts';
import { ManualClient } from '../clients/manual-client.ts';
import type { Mutation } from './mutation.ts';

/** Runs a mutation's scenario on the release at `entry`; returns the checker's violations. */
export async function runMutation(mutation: Mutation, entry: string): Promise<Violation[]> {
  const dir = createTemporaryFolder('history');
  const history = new History(join(dir, 'scenario.jsonl'));
  const stallRecorder = new MachineStallRecorder(history);
  const deployment = await ProxiedDeployment.start({ ...mutation.deploymentOptions, entry }, history, {
    idle: true,
  });
  try {
    const client = new ManualClient(deployment, history);
    await mutation.runScenario({ deployment, client });
    const final = await readFinalState(deployment);
    await repeatAcceptedAnswers({ deployment, history }, history.entries, client.plans);
    return checkHistory(history.entries, final);
  } finally {
    stallRecorder.stop();
    await deployment.stop();
    await history.close();
    await rm(dir, { recursive: true });
  }
}
