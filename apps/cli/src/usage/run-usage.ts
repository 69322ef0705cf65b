import type { UsageReply } from '@baton/gateway/reply-types';
import { z } from 'zod';
import { type Output, print } from '../output/print.ts';
import { UsageError } from '../process/exit-codes.ts';
import { openRest } from '../rest/rest-client.ts';
import { ConfigurationError } from '../settings/environment.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';

export interface UsageFlags extends RestFlags {
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

/**
 * `baton usage`: what a tenant's LLM calls used. Returns the exit code. Throws ConfigurationError for a setting that its user must
 * correct, UsageError for a day that is none, BatonError for what Baton refuses.
 */
export async function runUsage(flags: UsageFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const { by, from, to, json, csv } = flags;
  if (json === true && csv === true) throw new ConfigurationError('--json and --csv: give one of them');
  requireDay('--from', from);
  requireDay('--to', to);
  const tenant = await openRest(
    flags,
    environment,
    'an API key of the tenant, with scope admin to change prices and to read usage',
  );
  const asked = Object.entries({ by, from, to }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(asked as [string, string][]);
  query.set('format', csv === true ? 'csv' : 'json');
  if (csv === true) {
    process.stdout.write(await tenant.text(`/usage?${query}`));
    return 0;
  }
  const report = await tenant.request<UsageReply>('GET', `/usage?${query}`);
  print({ value: report, ...reportOutput(report) }, flags);
  return 0;
}

function requireDay(flag: string, text: string | undefined): void {
  if (text === undefined || z.iso.date().safeParse(text).success) return;
  throw new UsageError(`${flag} ${text}: must be a day (UTC), such as 2026-07-28`);
}

function reportOutput({ from, to, by, currency, rows, total }: UsageReply): Omit<Output, 'value'> {
  const title = `Usage from ${from} to ${to}, by ${by}`;
  if (rows.length === 0) return { text: `${title}: no calls.` };
  const priced = currency === undefined ? [] : [`cost (${currency})`, 'unpriced'];
  const header = [by, 'calls', 'failed', 'tokens in', 'tokens out', 'seconds', ...priced];
  const cells = (row: UsageReply['total']) => [
    row.key === '' ? '-' : row.key,
    row.calls,
    row.failedCalls,
    row.inputTokens,
    row.outputTokens,
    (row.durationMs / 1_000).toFixed(1),
    ...(currency === undefined ? [] : [(row.cost ?? 0).toFixed(6), row.unpricedCalls ?? 0]),
  ];
  return { text: `${title}\n`, table: [header, ...rows.map(cells), cells(total)] };
}
