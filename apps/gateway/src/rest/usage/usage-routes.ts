import { BatonError, type Scope } from '@baton/protocol';
import { utcDay, utcDaysBetween } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { optionalParam } from '../routes/optional-param.ts';
import {
  type UsageGrouping,
  type UsageReportRow,
  usageGroupingSchema,
  usageReportSchema,
} from '../views/usage-view.ts';
import { UsageReport } from './usage-report.ts';

const ADMIN: readonly Scope[] = ['admin'];

/** A report covers so many days at most, and this many where it names none. */
const MAX_DAYS = 100;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const day = optionalParam(z.iso.date());

/** What a tenant's LLM calls used, by what their answers say. */
export async function usageRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  api.get(
    '/usage',
    {
      config: { access: routeScope.access(ADMIN), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getUsage'),
        tags: ['usage'],
        summary: 'Report what LLM calls used: tokens, calls, time and cost',
        description: 'As JSON, or as CSV with `Accept: text/csv` or `format=csv`. Days are those of UTC.',
        params: routeScope.params({}),
        querystring: z.strictObject({
          from: day.describe(`The first day; ${DEFAULT_DAYS - 1} days before the last when left out`),
          to: day.describe(`The last day, at most ${MAX_DAYS - 1} days later; today when left out`),
          by: optionalParam(usageGroupingSchema).describe('What to sum up by; by day when left out'),
          format: optionalParam(z.enum(['json', 'csv'])),
        }),
        response: {
          200: {
            description: 'The report',
            content: {
              'application/json': { schema: usageReportSchema },
              'text/csv': {
                schema: z.string().describe('A line for each row, behind a header (RFC 4180)'),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { to = utcDay(Date.now()), by = 'day', format } = request.query;
      const from = request.query.from ?? utcDay(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
      const { tenant } = tenantRequestOf(request);
      const prices = await tenant.prices.read();
      const report = new UsageReport(by, prices);
      for await (const rows of tenant.usageDays.read(daysOf(from, to)))
        for (const row of rows) report.add(row);
      const finished = report.finish();
      const currency = prices === undefined ? {} : { currency: prices.currency };
      if (!(format === undefined ? prefersCsv(request) : format === 'csv'))
        return { from, to, by, ...currency, ...finished };
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="usage-${from}-${to}-by-${by}.csv"`)
        .serializer(String)
        .send(formatUsageCsv(by, finished.rows, prices?.currency) as never);
    },
  );
}

/** Errors: `invalid_arguments` naming the parameter. */
function daysOf(from: string, to: string): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (count < 1)
    throw new BatonError('invalid_arguments', `from: ${from} is after ${to}, the last day`, {
      field: 'from',
    });
  if (count > MAX_DAYS) {
    const message = `from: ${from} to ${to} is ${count} days; a report covers ${MAX_DAYS} at most, so ask for parts`;
    throw new BatonError('invalid_arguments', message, { field: 'from' });
  }
  return utcDaysBetween(from, to);
}

function prefersCsv({ headers }: FastifyRequest): boolean {
  return /^\s*text\/csv\b/i.test(headers.accept ?? '');
}

const COLUMNS = [
  'calls',
  'failedCalls',
  'inputTokens',
  'outputTokens',
  'durationMs',
  'cost',
  'unpricedCalls',
] as const;

/** A report as CSV (RFC 4180): a header, and a line for each row. */
function formatUsageCsv(
  by: UsageGrouping,
  rows: readonly UsageReportRow[],
  currency: string | undefined,
): string {
  const header = [by, ...COLUMNS, 'currency'];
  const lines = rows.map((row) => [
    csvText(row.key),
    ...COLUMNS.map((column) => String(row[column] ?? '')),
    currency ?? '',
  ]);
  return [header, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/**
 * A name of agents' and models' own choosing as a field of CSV. One that a spreadsheet would take for a formula gets an
 * apostrophe in front, which shows it as text.
 */
function csvText(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
