import { type AnswerParser, type Program, runAgentCall } from '@baton/engine';
import { BatonError, type Json, type ModelRole, type Validation } from '@baton/protocol';
import { calibrate, classProbabilities } from './class-probabilities.ts';
import { CLASSIFY_PARAMETERS, classifyMessages, CONTENT_FREE_TEXT } from './classify-prompt.ts';
import { readClass } from './classes.ts';

/** Some models think before they answer, and endpoints refuse a bound of one token. */
const MAX_TOKENS = 16;

export interface Classification {
  readonly classes: readonly string[];
  readonly text: string;
  /** What decides between the classes; by default what their names say. */
  readonly instructions?: string | undefined;
  readonly role: ModelRole;
  /** Whether a second request, for a text without content, takes the prompt's bias out of the probabilities. */
  readonly calibrated: boolean;
}

export interface ClassifiedText {
  /** The likeliest class where there are probabilities, otherwise the one that was answered. */
  readonly index: number;
  readonly answered: number;
  readonly probabilities?: readonly number[];
  readonly method: 'contextual_calibration' | 'renormalised' | 'none';
}

interface Answer {
  readonly index: number;
  readonly probabilities: readonly number[] | undefined;
}

/**
 * Classifies a text by one token of an agent's answer. Errors: those of `runAgentCall`; one of the request for the bias
 * leaves the probabilities uncalibrated.
 */
export function* classifyText(classification: Classification): Program<ClassifiedText> {
  const { index: answered, probabilities } = yield* ask(
    classification,
    classification.text,
    'Classify a text',
  );
  if (probabilities === undefined) return { index: answered, answered, method: 'none' };
  const bias = classification.calibrated ? yield* askBias(classification) : undefined;
  const end = bias === undefined ? probabilities : calibrate(probabilities, bias);
  const method = bias === undefined ? 'renormalised' : 'contextual_calibration';
  return { index: likeliest(end, answered), answered, probabilities: end, method };
}

/** The answered class where it is as likely as any: the same logprobs for both texts leave all classes equally likely. */
function likeliest(probabilities: readonly number[], answered: number): number {
  const highest = Math.max(...probabilities);
  const isHighest = (probabilities[answered] ?? 0) > highest - 1e-9;
  return isHighest ? answered : probabilities.indexOf(highest);
}

function* askBias(classification: Classification): Program<readonly number[] | undefined> {
  try {
    return (yield* ask(classification, CONTENT_FREE_TEXT, 'Calibrate a classifier')).probabilities;
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return undefined;
  }
}

function* ask(
  { classes, instructions, role }: Classification,
  text: string,
  summary: string,
): Program<Answer> {
  const parser: AnswerParser<Answer> = {
    *read(data: Json): Program<Validation<Answer>> {
      const fit = readClass(classes, data);
      if (!fit.ok) return fit;
      return { ok: true, value: { index: fit.value, probabilities: classProbabilities(classes, data) } };
    },
  };
  const { value } = yield* runAgentCall({
    role,
    messages: classifyMessages(classes, text, instructions),
    summary,
    maxTokens: MAX_TOKENS,
    temperature: 0,
    parameters: { ...CLASSIFY_PARAMETERS },
    parser,
  });
  return value;
}
