import { type DelegatedCall, isTaskId, type Message, type UsageSums } from '@baton/protocol';
import { formatCursor, parseCursor, parseMembersWithScores, withoutPrincipal } from '../cursors/cursor.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { type Identity, maySee } from '../identity/identity.ts';
import { taskIdFromRef, taskRef } from '../records/keys.ts';
import type { Page } from '../records/page.ts';
import { refusalError } from '../records/refusal-error.ts';
import { DELETE_CONVERSATION } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { parseUsageSums } from '../records/usage-sums.ts';
import { type TenantContext, TenantPart } from '../tenant/tenant-context.ts';

/** A conversation as lists show it. Times are milliseconds by Redis's clock. */
export interface ConversationSummary {
  readonly conversationId: string;
  readonly principal: string;
  /** How its first message begins. */
  readonly title: string;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly turns: number;
  readonly messages: number;
  /** The messages of its oldest turns, which have left it. */
  readonly droppedMessages: number;
  readonly bytes: number;
  /** What the LLM calls of its turns used, those of failed turns included. */
  readonly usage: UsageSums;
}

const NO_USAGE: UsageSums = { calls: 0, failedCalls: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };
const PAGE_SIZE = 20;
const MESSAGES_PER_PAGE = 100;
/** Entries of the index that one page looks at. */
const MAX_SCANNED = 500;

/** A tenant's conversations. Each is its principal's; who has the scope `agent` sees all. */
export class Conversations extends TenantPart {
  /** In pages, those used last first. Errors: `invalid_arguments` naming the cursor. */
  async page(identity: Identity, cursor?: string): Promise<Page<ConversationSummary>> {
    const { connection, keys } = this.context;
    const cursors = this.context.cursors.of('conversations', identity);
    const before = cursor === undefined ? undefined : parseCursor(cursors, cursor);
    const rows = await connection.command((client) =>
      client.zrange(
        keys.conversations,
        before === undefined ? '+inf' : before.score,
        '-inf',
        'BYSCORE',
        'REV',
        'LIMIT',
        0,
        MAX_SCANNED,
        'WITHSCORES',
      ),
    );
    const members = parseMembersWithScores(rows);
    // Redis sorts members of one score by their bytes, here in reverse; a ref is ASCII.
    const after = members.filter(
      ({ member, score }) =>
        before === undefined || score !== before.score || withoutPrincipal(member) < before.member,
    );
    const own = after.filter(({ member }) => maySee(identity, member.slice(member.indexOf('|') + 1)));
    const shown = own.slice(0, PAGE_SIZE);
    const found = await Promise.all(
      shown.map(({ member }) => this.summary(taskIdFromRef(withoutPrincipal(member)))),
    );
    const items = found.flatMap((one) => one ?? []);
    const last =
      own.length > PAGE_SIZE ? shown.at(-1) : members.length === MAX_SCANNED ? after.at(-1) : undefined;
    if (last === undefined) return { items };
    return { items, nextCursor: formatCursor(cursors, { ...last, member: withoutPrincipal(last.member) }) };
  }

  /** One of them with a page of its messages from number `from` on. Errors: `conversation_not_found`. */
  async read(
    identity: Identity,
    id: string,
    from = 0,
  ): Promise<{ summary: ConversationSummary; first: number; messages: Message[]; next?: number }> {
    const summary = isTaskId(id) ? await this.summary(id) : undefined;
    if (summary === undefined || !maySee(identity, summary.principal))
      throw refusalError(['conversation_not_found'], { conversationId: id });
    const first = Math.max(from, summary.droppedMessages);
    const end = summary.droppedMessages + summary.messages;
    const to = Math.min(first + MESSAGES_PER_PAGE, end);
    const messages = await this.messages(id, first, to);
    return { summary, first, messages, ...(to < end ? { next: to } : {}) };
  }

  /** Its owner's or an admin's to do. Tasks in its queue end with `conversation_not_found`. Errors: `conversation_not_found`, `insufficient_scope`, those of an admission that ended. */
  async delete(identity: Identity, id: string): Promise<void> {
    const { connection, keys } = this.context;
    if (!isTaskId(id)) throw refusalError(['conversation_not_found'], { conversationId: id });
    const reply = await runScript(
      this.context,
      DELETE_CONVERSATION,
      { credential: credentialOf(identity, keys), conversation: keys.conversation(id) },
      { ...admissionRecheckArgs(identity), ref: taskRef(id) },
    );
    if (reply[0] !== 'deleted') throw refusalError(reply, { conversationId: id });
    await connection.command((client) => client.unlink(keys.messages(id)));
  }

  /** A call with the messages of its conversation in their place: behind its system messages. They are empty where it was deleted. */
  async withHistory(call: DelegatedCall): Promise<DelegatedCall> {
    const { history, ...rest } = call;
    if (history === undefined) return call;
    const earlier = await this.messages(history.conversation, history.from, history.to);
    const { messages } = call.request;
    const firstOther = messages.findIndex(({ role }) => role !== 'system');
    const at = firstOther === -1 ? messages.length : firstOther;
    const all = [...messages.slice(0, at), ...earlier, ...messages.slice(at)];
    return { ...rest, request: { ...call.request, messages: all } };
  }

  private async messages(id: string, from: number, to: number): Promise<Message[]> {
    if (from >= to) return [];
    const { connection, keys } = this.context;
    // In one transaction: its oldest messages may leave meanwhile.
    const [first, texts] = await connection.command(async (client) => {
      const replies = await client
        .multi()
        .hget(keys.conversation(id), 'from')
        .lrange(keys.messages(id), 0, -1)
        .exec();
      const [[, begin], [, list]] = replies as [[unknown, string | null], [unknown, string[]]];
      return [Number(begin ?? 0), list] as const;
    });
    return texts
      .slice(Math.max(0, from - first), Math.max(0, to - first))
      .map((text) => JSON.parse(text.slice(1)) as Message);
  }

  private async summary(id: string): Promise<ConversationSummary | undefined> {
    const { connection, keys } = this.context;
    const fields = await connection.command((client) => client.hgetall(keys.conversation(id)));
    if (fields['by'] === undefined) return undefined;
    const number = (name: string) => Number(fields[name] ?? 0);
    return {
      conversationId: id,
      principal: fields['by'],
      title: fields['title'] ?? '',
      createdAt: number('at'),
      usedAt: number('used'),
      turns: number('turns'),
      messages: number('to') - number('from'),
      droppedMessages: number('from'),
      bytes: number('bytes'),
      usage: parseUsageSums(fields['usage']) ?? NO_USAGE,
    };
  }
}

/** Deletes the records of conversations that a script has taken out of the index. */
export async function forgetConversations(
  { connection, keys }: TenantContext,
  refs: readonly string[],
): Promise<void> {
  const ids = refs.map(taskIdFromRef);
  await connection.command((client) =>
    client.unlink(...ids.flatMap((id) => [keys.conversation(id), keys.messages(id)])),
  );
}
