import { BatonError } from '@baton/protocol';
import type { Seal, Store } from '@baton/store';
import { z } from 'zod';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import type { Continuation } from '../../../workflows/continue-workflow.ts';

/** What event ids are sealed for. */
const PURPOSE = 'event id';

/** Of an event id, which comes back in a header. A position of as many requests as a task asks at once is far shorter. */
const MAX_SEALED_LENGTH = 6_000;

const positionSchema = z.object({
  tenant: z.string(),
  principal: z.string(),
  session: z.string(),
  /** The JSON-RPC id and the method of the request whose stream it is. */
  request: z.union([z.string(), z.number()]),
  method: z.string(),
  /** The tool that was called. */
  tool: z.string().optional(),
  progressToken: z.union([z.string(), z.number()]).optional(),
  taskId: z.string(),
  operation: z.string(),
  /** True where the task is of this call alone, and is cancelled with it. */
  isOfThisCall: z.boolean().optional(),
  dialect: z.enum(['tool', 'sampling']),
  /** The numbers of the interactions that its client was asked, and was not told to leave. */
  shown: z.array(z.int()),
  /** What became of the call in the workflow that it was made for. */
  continuation: z.custom<Continuation>().optional(),
});
type SealedPosition = z.infer<typeof positionSchema>;

/** Where the stream of a request stands: the task that it waits for, and what its client was asked on it. */
export type StreamPosition = Omit<SealedPosition, 'tenant' | 'principal' | 'session'>;

/**
 * The ids of the events of streams that wait for a task. Each is the position behind its event, sealed: a client that lost its stream shows the last one
 * (`Last-Event-ID`), and any replica goes on from there by the task as it is then. Nothing is stored for it.
 */
export class StreamPositions {
  private readonly seal: Seal;

  constructor(store: Pick<Store, 'seal'>) {
    this.seal = store.seal(PURPOSE);
  }

  /** For a call whose caller was admitted. Undefined where the request's own id or progress token makes it too long: its stream cannot be resumed. */
  format(position: StreamPosition, { tenant, caller, sessionId = '' }: Call): string | undefined {
    const { principal } = caller;
    if (principal === undefined) throw new Error('a position has no principal before its caller is admitted');
    const sealed: SealedPosition = { ...position, tenant: tenant.id, principal, session: sessionId };
    const eventId = this.seal.seal(JSON.stringify(sealed), PURPOSE);
    return eventId.length <= MAX_SEALED_LENGTH ? eventId : undefined;
  }

  /** The position behind an event of this session. Errors: `invalid_arguments` for what is none. */
  parse(eventId: string, { tenant, identity, sessionId = '' }: AdmittedCall): StreamPosition {
    const opened = eventId.length <= MAX_SEALED_LENGTH ? this.seal.open(eventId, PURPOSE) : undefined;
    const position = opened && positionSchema.parse(JSON.parse(opened.text));
    if (
      position === undefined ||
      position.tenant !== tenant.id ||
      position.principal !== identity.principal ||
      position.session !== sessionId
    ) {
      throw new BatonError(
        'invalid_arguments',
        `Last-Event-ID: '${eventId.slice(0, 100)}' is no event of this session. Open the stream without it.`,
        { field: 'Last-Event-ID' },
      );
    }
    return position;
  }
}
