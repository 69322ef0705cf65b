import { waitUntilOrThrow } from '../harness/poll.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import type { ComposeStack } from './compose-stack.ts';

/** The profile `monitoring`: promtool finds nothing in the rules, which fire when they should; Prometheus takes them and reads every gateway and worker. Grafana is started by none of the checks. */
export async function checkMonitoring(stack: ComposeStack): Promise<string> {
  await stack.promtool('check', 'rules', 'alerts.yml');
  await stack.promtool('test', 'rules', 'alerts.test.yml');
  const url = await stack.startPrometheus();
  const ask = async (path: string): Promise<AnyJson> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    return ((await response.json()) as AnyJson).data;
  };
  let up: AnyJson[] = [];
  await waitUntilOrThrow('Prometheus reads two gateways and two workers', 60_000, async () => {
    const { result = [] } = await ask(`query?query=${encodeURIComponent('up == 1')}`).catch(() => ({}));
    up = result;
    return up.length >= 4;
  });
  const { groups } = await ask('rules');
  const rules = groups.flatMap((group: AnyJson) => group.rules);
  const broken = rules.filter(({ health }: AnyJson) => health === 'err');
  if (broken.length > 0) throw new Error(`rules fail: ${JSON.stringify(broken)}`);
  return `${up.length} targets, ${rules.length} rules`;
}
