import type { Attack } from './attack.ts';
import { AttackedDeployment } from './attacked-deployment.ts';

/** What an attack gains from a deployment of its own of the command `entry`, a sentence each. */
export async function gainsOf(attack: Attack, entry: string): Promise<readonly string[]> {
  const target = await AttackedDeployment.start(entry, attack.environment);
  try {
    return await attack.run(target);
  } finally {
    await target.stop();
  }
}
