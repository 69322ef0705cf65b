import { jsonText, plainText } from '../output/plain-text.ts';
import { tableText } from '../output/table-text.ts';
import { RestClient } from '../rest/rest-client.ts';
import { readYamlFile } from '../settings/yaml-file.ts';
import { type RestFlags, tenantRest } from '../settings/rest-endpoint.ts';

export type PriceAction = 'show' | 'set';

export interface PriceFlags extends RestFlags {
  readonly json?: boolean;
}

/** Prices of a million tokens, as REST gives them. */
interface PriceTable {
  readonly currency: string;
  readonly models: Readonly<Record<string, { readonly input: number; readonly output: number }>>;
}

/**
 * `baton prices`: what each model costs a tenant. Returns the exit code. Throws ConfigurationError for a setting or a file that its
 * user must correct, BatonError for what Baton refuses.
 */
export async function runPrices(
  action: PriceAction,
  [file = '-']: readonly string[],
  flags: PriceFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const tenant = new RestClient(
    await tenantRest(flags, environment, 'an API key of the tenant, with scope admin to change prices'),
  );
  const table =
    action === 'set'
      ? await tenant.request<PriceTable>('PUT', '/prices', readYamlFile(file))
      : await tenant.request<PriceTable>('GET', '/prices');
  console.log(flags.json === true ? jsonText(table) : plainText(pricesText(table)));
  return 0;
}

function pricesText({ currency, models }: PriceTable): string {
  const rows = Object.entries(models).map(([model, { input, output }]) => [model, input, output]);
  if (rows.length === 0) return 'No model has a price.';
  return tableText([['model', `${currency} per million in`, 'out'], ...rows]);
}
