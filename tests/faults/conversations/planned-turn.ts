import type { AnyJson } from '../../harness/mcp-client.ts';

export interface AnsweredUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One answer to a request: `overloaded` is asked again after a pause, `blank` at once, `refused` ends the call. */
export interface PlannedAnswer {
  readonly kind: 'words' | 'calls' | 'blank' | 'overloaded' | 'refused';
  readonly key: string;
  readonly text: string | undefined;
  readonly calls?: readonly PlannedCall[];
  /** A picture beside its words, in base64. */
  readonly image?: string | undefined;
  readonly usage: AnsweredUsage;
}

/** A function that the primary calls. */
export interface PlannedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly [name: string]: string };
  /** How its specialist answers, one request after another; none where it is not asked. */
  readonly answers: readonly PlannedAnswer[];
  readonly end:
    | { readonly kind: 'words'; readonly text: string; readonly image?: string | undefined }
    | { readonly kind: 'failed'; readonly text: string }
    | { readonly kind: 'unknown' | 'unfit' | 'repeated' };
}

export interface PlannedTurn {
  readonly number: number;
  readonly message: string;
  /** It is sent while the turn before is open. */
  readonly joins: boolean;
  /** Its last answer ends it with an error, which leaves the conversation as it was. */
  readonly fails: boolean;
  /** The answers to the primary's requests, in order. */
  readonly primary: readonly PlannedAnswer[];
  readonly calls: readonly PlannedCall[];
}

/** A turn, with the task that answered it and how that stands. */
export interface RunTurn {
  readonly plan: PlannedTurn;
  readonly taskId: string;
  readonly status: AnyJson;
}

/** Every answer of a turn, with the agent whose it is. */
export function answersOf({ primary, calls }: PlannedTurn): { agent: string; answer: PlannedAnswer }[] {
  return [
    ...primary.map((answer) => ({ agent: 'assistant', answer })),
    ...calls.flatMap(({ name, answers }) => answers.map((answer) => ({ agent: name, answer }))),
  ];
}
