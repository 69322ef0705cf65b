import { CallerSchemaValidator } from '@baton/answer-validation';
import {
  anyObjectSchema,
  BatonError,
  type DelegatedCall,
  type ErrorCode,
  type Json,
  extractObject,
  extractText,
  readToolCalls,
} from '@baton/protocol';

const UNDECIDED: ReadonlySet<ErrorCode> = new Set(['schema_unusable', 'limit_checks']);

/** Checks answers by the rules by which Baton checks them, so that the agent can repair one before it posts it. */
export class AnswerChecker {
  private readonly validator = new CallerSchemaValidator();

  /**
   * What is wrong with an answer's data, or undefined. Undefined too when the schema cannot be compiled, or checked, in
   * time: Baton then decides. Principals have turns, so that no request delays those of others.
   */
  async findProblem(
    call: DelegatedCall & { readonly principal: string },
    data: unknown,
  ): Promise<string | undefined> {
    if (readToolCalls(data).length > 0) return undefined;
    const { schema } = call.request;
    try {
      const fit =
        schema !== undefined
          ? await this.validator.validateAnswer(call.principal, schema, data as Json)
          : call.serviceType === 'generateObject'
            ? extractObject(data, anyObjectSchema)
            : extractText(data);
      return fit.ok ? undefined : fit.problem;
    } catch (thrown) {
      if (thrown instanceof BatonError && UNDECIDED.has(thrown.code)) return undefined;
      throw thrown;
    }
  }

  close(): Promise<void> {
    return this.validator.close();
  }
}
