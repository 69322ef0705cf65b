import { isRecord } from '@baton/protocol';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { RequestOf2026 } from '../../../call/request-of-2026.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { MISSING_CAPABILITY, TASKS_EXTENSION } from './revision.ts';

type Dialect = RequestOf2026['dialect'];

/** How a client forces the way in which it is shown requests for an LLM. */
const DIALECT_META_KEY = 'baton/dialect';

const SAMPLING = { sampling: {} };
const TASKS = { extensions: { [TASKS_EXTENSION]: {} } };

/** What a client must be able to do to be shown requests in a dialect, and to be shown them so without asking for it. The most native dialect comes first. */
const DIALECTS: readonly { readonly name: Dialect; readonly needs: object; readonly suits: object }[] = [
  { name: 'task', needs: TASKS, suits: { ...TASKS, ...SAMPLING } },
  { name: 'input_required', needs: SAMPLING, suits: SAMPLING },
  { name: 'tool', needs: {}, suits: {} },
];

/** What a request says of its client; an error to refuse it with where it forces a dialect that there is not, or that its client lacks the capabilities for. */
export function readRequestOf2026(
  { params = {} }: JSONRPCRequest,
  meta: Readonly<Record<string, unknown>>,
): RequestOf2026 | RpcError {
  const given = meta[CLIENT_CAPABILITIES_META_KEY];
  const forced = meta[DIALECT_META_KEY];
  const { name: native = 'tool' } = DIALECTS.find(({ suits }) => declares(given, suits)) ?? {};
  const chosen =
    forced === undefined ? { name: native, needs: {} } : DIALECTS.find(({ name }) => name === forced);
  if (chosen === undefined) {
    const names = DIALECTS.map(({ name }) => `"${name}"`).join(', ');
    const one = JSON.stringify(forced)?.slice(0, 100);
    return new RpcError(
      -32602,
      `_meta["${DIALECT_META_KEY}"] is ${one}; it must be one of ${names}, or left out.`,
    );
  }
  if (!declares(given, chosen.needs)) return missingCapability(`The dialect "${chosen.name}"`, chosen.needs);
  return {
    dialect: chosen.name,
    takesSampling: declares(given, SAMPLING),
    takesTools: declares(given, { sampling: { tools: {} } }),
    takesTasks: declares(given, TASKS),
    requestState: params['requestState'],
    inputResponses: params['inputResponses'],
  };
}

/** Refuses what needs the extension for tasks. */
export function requireTasks(of2026: RequestOf2026 | undefined, what: string): void {
  if (of2026?.takesTasks !== true) throw missingCapability(what, TASKS);
}

function missingCapability(what: string, requiredCapabilities: object): RpcError {
  const needs = JSON.stringify(requiredCapabilities);
  const message = `${what} needs a client whose capabilities have ${needs} (_meta["${CLIENT_CAPABILITIES_META_KEY}"]).`;
  return new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities });
}

/** Whether capabilities have each part of those that are needed. */
function declares(given: unknown, needed: object): boolean {
  return Object.entries(needed).every(
    ([name, inner]) => isRecord(given) && isRecord(given[name]) && declares(given[name], inner as object),
  );
}
