import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseToolSelection, type ToolSelection } from './tool-selection.ts';

const HEADER = 'Baton-Tools';
const description =
  'What of the tools is listed: core, standard (by default), all, or names of tools and tiers with commas between them';

/** As the OpenAPI document describes both ways to select tools in a request. */
export const toolsQueryShape = { tools: z.string().max(2_000).optional().describe(description) };
export const toolsHeaderShape = { 'baton-tools': toolsQueryShape.tools };

/** What a request selects of the tools, in its address (`?tools=`) and in its header. Errors: `invalid_arguments`. */
export function requestedTools(
  { query, headers }: Pick<FastifyRequest, 'query' | 'headers'>,
  isTool: (name: string) => boolean,
): ToolSelection[] {
  const { tools } = (query ?? {}) as { tools?: string | string[] };
  const given = [
    { values: tools, field: 'tools' },
    { values: headers['baton-tools'], field: HEADER },
  ];
  return given.flatMap(({ values, field }) =>
    values === undefined ? [] : [parseToolSelection([values].flat().join(), isTool, field)],
  );
}
