import {
  type AgentAnswer,
  fromElicitResult,
  fromRootsResult,
  fromSamplingResult,
  isRecord,
} from '@baton/protocol';
import type { z } from 'zod';
import type { ClientRequest } from './client-requests.ts';

type Method = ClientRequest['method'];

const READERS: Readonly<Record<Method, (given: unknown) => ReadResult>> = {
  'sampling/createMessage': fromSamplingResult,
  'elicitation/create': fromElicitResult,
  'roots/list': fromRootsResult,
};

type ReadResult = { ok: true; answer: AgentAnswer } | { ok: false; problem: z.ZodError };

/** The answer that a result of a method is, or what is wrong with it. */
export function readClientResult(method: Method, given: unknown): ReadResult {
  return READERS[method](given);
}

/** The method that a result is of, by its form. */
export function methodOfResult(given: unknown): Method {
  if (isRecord(given) && 'action' in given) return 'elicitation/create';
  return isRecord(given) && 'roots' in given ? 'roots/list' : 'sampling/createMessage';
}
