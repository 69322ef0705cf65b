import type { ConversationReply } from '@baton/gateway/reply-types';
import { plainText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { RelativeTime } from '../../components/time.tsx';

const COLUMNS: readonly Column<ConversationReply>[] = [
  {
    title: 'Begins',
    cell: ({ conversationId, title }) => <RowLink to={['conversations', conversationId]} text={title} />,
  },
  { title: 'Principal', cell: ({ principal }) => plainText(principal) },
  { title: 'Turns', cell: ({ turns }) => turns },
  { title: 'Messages', cell: ({ messages }) => messages },
  { title: 'LLM calls', cell: ({ usage }) => usage.calls },
  { title: 'Tokens', cell: ({ usage }) => `${usage.inputTokens} in, ${usage.outputTokens} out` },
  { title: 'Last used', cell: ({ lastUsedAt }) => <RelativeTime iso={lastUsedAt} /> },
];

/** Conversations with the primary, those used last first. */
export function ConversationList() {
  return (
    <>
      <h1>Conversations</h1>
      <PagedTable
        caption="Conversations"
        path="/conversations"
        field="conversations"
        query={{}}
        columns={COLUMNS}
        rowId={({ conversationId }) => conversationId}
        empty="There is none."
      />
    </>
  );
}
