import type { AnyJson } from '../../harness/mcp-client.ts';
import type { RetryingClient } from '../clients/retrying-client.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { conversationOf, dialogOf, differenceOf, imageBlock } from './conversation-oracle.ts';
import { answersOf, type PlannedAnswer, type PlannedTurn } from './planned-turn.ts';

/** Answers the requests of a conversation as its plan says, and checks what each request shows. */
export class ScriptedTeam {
  readonly violations: string[] = [];
  /** The interactions of each primary's turn and of each question to a specialist, in the order in which they came. */
  private readonly seen = new Map<string, string[]>();
  private readonly answered = new Set<string>();
  private readonly turns: readonly PlannedTurn[];
  private readonly client: RetryingClient;
  private readonly random: SeededRandom;

  constructor(turns: readonly PlannedTurn[], client: RetryingClient, random: SeededRandom) {
    this.turns = turns;
    this.client = client;
    this.random = random;
  }

  /** Answers what a task waits for, all at once, in any order; true when there was something. */
  async answerPending(turn: PlannedTurn, taskId: string): Promise<boolean> {
    const { interactions } = await this.client.call('pending_interactions', { requests: true });
    const open = interactions.filter(
      ({ interactionId, llmRequestForAgent, ...of }: AnyJson) =>
        of.taskId === taskId && llmRequestForAgent !== undefined && !this.answered.has(interactionId),
    );
    for (let at = open.length - 1; at > 0; at--) {
      const other = this.random.below(at + 1);
      [open[at], open[other]] = [open[other], open[at]];
    }
    await Promise.all(open.map((pending: AnyJson) => this.answer(turn, pending)));
    return open.length > 0;
  }

  private async answer(turn: PlannedTurn, pending: AnyJson): Promise<void> {
    const { interactionId, llmRequestForAgent: request } = pending;
    this.answered.add(interactionId);
    const planned = this.plannedFor(turn, interactionId, request);
    if (planned === undefined) {
      this.violations.push(
        `turn ${turn.number} has an unplanned request: ${JSON.stringify(request.messages.slice(-2))}`,
      );
      return;
    }
    const waitMs = this.random.chance(0.5) ? 0 : 10_000;
    const reply = await this.client.call('agent_llm', {
      interactionId,
      agentLLMResponse: responseOf(planned),
      waitMs,
    });
    if (reply.warning !== undefined) this.violations.push(`${planned.key}: ${reply.warning}`);
  }

  private plannedFor(turn: PlannedTurn, interactionId: string, request: AnyJson): PlannedAnswer | undefined {
    const messages: AnyJson[] = request.messages;
    const isPrimary = request.tools !== undefined;
    const about = isPrimary ? `turn ${turn.number}` : String(messages.at(-1)?.content);
    const order = this.seen.get(about) ?? [];
    this.seen.set(about, order);
    const at = order.push(interactionId) - 1;
    if (!isPrimary) return this.specialistAnswer(turn, about, at, messages);
    this.checkDialog(turn, at, messages);
    return turn.primary[at];
  }

  private specialistAnswer(turn: PlannedTurn, question: string, at: number, messages: readonly AnyJson[]) {
    const calls = turn.calls.filter(({ arguments: args }) => args['message'] === question);
    if (messages.length !== 2 || messages[0]?.content !== `You are ${calls[0]?.name}.`)
      this.violations.push(`a specialist was shown ${JSON.stringify(messages)}`);
    return calls.flatMap(({ answers }) => answers)[at];
  }

  /** The conversation so far, the message, and what was called and answered; behind a blank answer also what is said of it. */
  private checkDialog(turn: PlannedTurn, at: number, messages: readonly AnyJson[]): void {
    const expected = [
      { role: 'system', content: 'You help.' },
      ...conversationOf(this.turns.slice(0, turn.number - 1)),
      ...dialogOf(turn, at),
    ];
    const isAfterBlank =
      turn.primary.slice(0, at).findLast(({ kind }) => kind !== 'overloaded')?.kind === 'blank';
    const shown = isAfterBlank ? messages.slice(0, expected.length) : messages;
    const difference = differenceOf(shown, expected);
    if (difference !== undefined) this.violations.push(`turn ${turn.number}, request ${at}: ${difference}`);
  }

  /** Answers of the plan that were never asked for. */
  get unasked(): string[] {
    const asked = [...this.seen.values()].reduce((sum, order) => sum + order.length, 0);
    const planned = this.turns.flatMap(answersOf).length;
    return asked === planned ? [] : [`${asked} requests were made instead of ${planned}`];
  }
}

function responseOf({ kind, text, calls, image, usage }: PlannedAnswer): object {
  if (kind === 'overloaded' || kind === 'refused') {
    const type = kind === 'overloaded' ? 'overloaded_error' : 'refused';
    return { status: 'error', errorDetails: { type, message: text, usage } };
  }
  const toolCalls = calls?.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  return {
    status: 'success',
    data: {
      ...(text === undefined ? {} : { text }),
      ...(toolCalls ? { toolCalls } : {}),
      ...(image === undefined ? {} : { content: [imageBlock(image)] }),
      usage,
    },
  };
}
