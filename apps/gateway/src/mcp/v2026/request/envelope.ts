import { isRecord } from '@baton/protocol';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
} from '@modelcontextprotocol/server';
import {
  chooseDialect,
  type DialectChoice,
  declares,
  DIALECT_META_KEY,
  TASKS,
} from '../../../call/dialect-choice.ts';
import { type ClientTraits, clientTraits } from '../../../call/client-traits.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { LOG_LEVELS, type LogLevel } from '../../dispatch/log-messages.ts';
import { MISSING_CAPABILITY, REVISION_OF_2026 } from './revision.ts';

/** What the `_meta` of a request says of its client, most of which is the same in all requests of one. */
export interface Envelope {
  readonly clientName: string;
  readonly client: ClientTraits;
  readonly logLevel: LogLevel | undefined;
  /** Whether the client knows the extension `io.modelcontextprotocol/tasks`. */
  readonly takesTasks: boolean;
  readonly dialectChoice: DialectChoice;
}

/** How a client can be asked without being told of Baton's tools. The most native dialect comes first. */
const NATIVES = ['task', 'input_required'] as const;

/** Of a `_meta` that is well-formed. An error where it forces a dialect that there is not, or that its client lacks the capabilities for. */
export function readEnvelope(meta: Readonly<Record<string, unknown>>): Envelope | RpcError {
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  const dialectChoice = chooseDialect(meta[DIALECT_META_KEY], capabilities, [...NATIVES, 'tool'], NATIVES);
  if ('message' in dialectChoice) {
    const { message, requiredCapabilities } = dialectChoice;
    if (requiredCapabilities === undefined) return new RpcError(-32602, message);
    return new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities });
  }
  const info = meta[CLIENT_INFO_META_KEY];
  const clientName = isRecord(info) && typeof info['name'] === 'string' ? info['name'] : '';
  return {
    clientName,
    client: clientTraits(REVISION_OF_2026, clientName),
    logLevel: LOG_LEVELS.find((level) => level === meta[LOG_LEVEL_META_KEY]),
    takesTasks: declares(capabilities, TASKS),
    dialectChoice,
  };
}
