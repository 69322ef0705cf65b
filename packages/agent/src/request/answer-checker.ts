import { AnswerValidator } from '@baton/answer-validation';
import { BatonError, type DelegatedCall, isRecord, type Json, readObject, readText } from '@baton/protocol';

/** Whether answers fit what was asked for, by the same rules as Baton's. */
export class AnswerChecker {
  private readonly check = new AnswerValidator();

  /**
   * What is wrong with an answer's data, or undefined. Nothing is wrong with what cannot be checked here: a schema that
   * is of no use, or made to be slow, is left to Baton.
   */
  async findProblem(call: DelegatedCall, data: unknown): Promise<string | undefined> {
    if (isRecord(data) && Array.isArray(data['toolCalls']) && data['toolCalls'].length > 0) return undefined;
    const { schema } = call.request;
    try {
      const fit =
        schema !== undefined
          ? await this.check.readAnswer(schema, data as Json)
          : call.serviceType === 'generateObject'
            ? readObject(data, anyObject)
            : readText(data);
      return fit.ok ? undefined : fit.problem;
    } catch (thrown) {
      if (thrown instanceof BatonError && thrown.code === 'schema_unusable') return undefined;
      throw thrown;
    }
  }

  close(): Promise<void> {
    return this.check.close();
  }
}

/** Without a schema anything fits but words, which may yet be JSON. */
const anyObject = {
  hasObjectField: false,
  check: (value: unknown) =>
    typeof value === 'string'
      ? ({ ok: false, problem: 'an object was asked for' } as const)
      : ({ ok: true, value } as const),
};
