import type { PriceTable } from '@baton/protocol';
import { type Output, print } from '../output/print.ts';
import { openRest } from '../rest/rest-client.ts';
import { readDataFile } from '../settings/data-file.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';

export type PriceAction = 'show' | 'set';

/**
 * `baton prices`: what each model costs a tenant. Returns the exit code. Throws ConfigurationError for a setting or a file that its
 * user must correct, BatonError for what Baton refuses.
 */
export async function runPrices(
  action: PriceAction,
  [file = '-']: readonly string[],
  flags: RestFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const tenant = await openRest(
    flags,
    environment,
    'an API key of the tenant, with scope admin to change prices',
  );
  const table =
    action === 'set'
      ? await tenant.request<PriceTable>('PUT', '/prices', readDataFile(file))
      : await tenant.request<PriceTable>('GET', '/prices');
  print({ value: table, ...pricesOutput(table) }, flags);
  return 0;
}

function pricesOutput({ currency, models }: PriceTable): Omit<Output, 'value'> {
  const rows = Object.entries(models).map(([model, { input, output }]) => [model, input, output]);
  if (rows.length === 0) return { text: 'No model has a price.' };
  return { table: [['model', `${currency} per million in`, 'out'], ...rows] };
}
