import type { BatonError } from '@baton/protocol';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { httpErrorOf } from '../json-rpc/rpc-error.ts';

/** A reply that is nothing but refusals of one HTTP status, as the JSON that leaves. */
export interface Refusal {
  readonly error: BatonError;
  readonly json: string;
}

/**
 * What is sent to the requests of a body. As long as it is refusals of one HTTP status, the reply need not begin: where all of
 * the requests are refused, and alike, it has that status. Several other replies share one response, whose status is 200.
 */
export class RefusedMessages {
  /** The refusal, once every request was refused; undefined as soon as anything else is sent. */
  readonly decision: Promise<Refusal | undefined>;
  private readonly requests: number;
  private readonly isBatch: boolean;
  private readonly responses: JSONRPCErrorResponse[] = [];
  private error: BatonError | undefined;
  private decide: (refusal: Refusal | undefined) => void = () => {};

  constructor(body: unknown) {
    this.isBatch = Array.isArray(body);
    this.requests = [body].flat().filter((message) => isJSONRPCRequest(message)).length;
    this.decision = new Promise((resolve) => {
      this.decide = resolve;
    });
  }

  add(message: JSONRPCMessage): void {
    const error = isJSONRPCErrorResponse(message) ? httpErrorOf(message.error.data) : undefined;
    if (error === undefined || (this.error !== undefined && this.error.row.http !== error.row.http))
      return this.decide(undefined);
    this.responses.push(message as JSONRPCErrorResponse);
    // Whoever repeats them all waits for the latest.
    if (this.error === undefined || waitOf(error) > waitOf(this.error)) this.error = error;
    if (this.responses.length < this.requests) return;
    this.decide({
      error: this.error,
      json: JSON.stringify(this.isBatch ? this.responses : this.responses[0]),
    });
  }
}

function waitOf({ details }: BatonError): number {
  return Number(details['retryAfterMs'] ?? 0);
}
