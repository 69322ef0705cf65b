import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import {
  askableOf,
  type ClientDelegation,
  declares,
  DIALECT_META_KEY,
  SAMPLING,
  unknownDialect,
} from '../../../call/client-delegation.ts';
import type { RequestOf2026 } from '../../../call/request-of-2026.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { MISSING_CAPABILITY, TASKS_EXTENSION } from './revision.ts';

const TASKS = { extensions: { [TASKS_EXTENSION]: {} } };

interface Dialect {
  readonly name: Exclude<ClientDelegation['dialect'], 'sampling'>;
  readonly needs: object;
  readonly suits: object;
}

/** What a client must be able to do to be shown requests in a dialect, and to be shown them so without asking for it. The most native dialect comes first. */
const DIALECTS: readonly Dialect[] = [
  { name: 'task', needs: TASKS, suits: { ...TASKS, ...SAMPLING } },
  { name: 'input_required', needs: SAMPLING, suits: SAMPLING },
  { name: 'tool', needs: {}, suits: {} },
];

/** What a request says, and how its client is shown requests for an LLM. */
export interface ReadRequestOf2026 {
  readonly of2026: RequestOf2026;
  readonly delegation: ClientDelegation & { readonly dialect: Dialect['name'] };
}

/** An error to refuse a request with where it forces a dialect that there is not, or that its client lacks the capabilities for. */
export function readRequestOf2026(
  { params = {} }: JSONRPCRequest,
  meta: Readonly<Record<string, unknown>>,
): ReadRequestOf2026 | RpcError {
  const given = meta[CLIENT_CAPABILITIES_META_KEY];
  const forced = meta[DIALECT_META_KEY];
  const { name: native = 'tool' } = DIALECTS.find(({ suits }) => declares(given, suits)) ?? {};
  const chosen =
    forced === undefined ? { name: native, needs: {} } : DIALECTS.find(({ name }) => name === forced);
  if (chosen === undefined) {
    const known = DIALECTS.map(({ name }) => name);
    return new RpcError(-32602, unknownDialect(forced, known));
  }
  if (!declares(given, chosen.needs)) return missingCapability(`The dialect "${chosen.name}"`, chosen.needs);
  return {
    delegation: { dialect: chosen.name, ...askableOf(given) },
    of2026: {
      takesTasks: declares(given, TASKS),
      requestState: params['requestState'],
      inputResponses: params['inputResponses'],
    },
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
