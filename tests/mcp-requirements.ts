/**
 * What MCP requires of tools and resources, as data: each sentence is cited by at least one test over the wire, by its
 * id in brackets at the end of the test's name, and `mcp-requirements.test.ts` fails on one that no test cites. A citing test that
 * sends no request over a socket fails (`harness/guards/citations.ts`). The list is seed 5's ("MCP Input/Output Format
 * Specification"), by its sections; "spec" are pages of MCP 2025-11-25.
 */
export interface Requirement {
  readonly says: string;
  readonly source: string;
}

export const MCP_REQUIREMENTS = {
  'tools-capability': {
    says: 'A server that has tools declares the capability.',
    source: 'seed 5, 1.1; spec server/tools, Capabilities',
  },
  'tools-list': {
    says: 'tools/list gives each tool its name, title, description, inputSchema and outputSchema, in a stable order.',
    source: 'seed 5, 1.2; recommendation 2',
  },
  'tool-annotations': {
    says: 'Annotations mark each tool as read-only or destructive.',
    source: 'seed 5, recommendation 4; spec server/tools, Tool',
  },
  'tool-structured': {
    says: 'Results carry structuredContent that fits the outputSchema, and a text for clients that read nothing else.',
    source: 'seed 5, 1.3, recommendation 5; spec server/tools, Structured Content',
  },
  'tool-unknown': {
    says: 'An unknown tool is a protocol error, -32602.',
    source: 'seed 5, 1.5; spec server/tools, Error Handling',
  },
  'tool-error': {
    says: 'A failed tool, or one with invalid arguments, answers with isError and a text with the reason.',
    source: 'seed 5, 1.5; spec server/tools, Error Handling',
  },
  'content-types': {
    says: 'Text, images, audio, resource links and embedded resources pass through answers and results unchanged.',
    source: 'seed 5, 1.4, recommendation 6 of the roadmap',
  },
  'content-in-results': {
    says: 'Content blocks of an answer stand in the content of the result that carries it, as clients show them.',
    source: 'seed 5, 1.4; spec server/tools, Tool Result',
  },
  'results-are-data': {
    says: 'Tools return structured data that a client can process, not messages for people.',
    source: 'seed 5, recommendations 1 and 5',
  },
  'prompts-apart': {
    says: 'Prompt texts are generated apart from results, by resources or by a tool of their own.',
    source: 'seed 5, recommendation 6',
  },
  'resources-capability': {
    says: 'A server that has resources declares the capability, with only the options that it implements.',
    source: 'seed 5, 2.1; spec server/resources, Capabilities',
  },
  'resources-list': {
    says: 'resources/list returns the existing resources in a stable order, and each can be read.',
    source: 'seed 5, 2.2',
  },
  'resource-metadata': {
    says: 'Resources have uri, name, title, description, mimeType, size where known, and annotations.',
    source: 'seed 5, 2.2; spec server/resources, Annotations',
  },
  'resource-contents': {
    says: 'resources/read gives the contents under the URI that was asked for, with name, title, type and annotations.',
    source: 'seed 5, 2.3',
  },
  'resource-text-binary': {
    says: 'Texts are given as text, binary data as base64 in blob.',
    source: 'seed 5, 2.5',
  },
  'resource-templates': {
    says: 'resources/templates/list gives URI templates (RFC 6570) whose expansions can be read.',
    source: 'seed 5, 2.4; spec server/resources, Resource Templates',
  },
  'resources-of-project': {
    says: "A project's tasks, rules, status and files are resources; what they show is what the tools show.",
    source: 'seed 5, roadmap, phase 2',
  },
  'resource-delegation': {
    says: 'Tasks and delegated requests are resources; what they show is what the tools show.',
    source: 'contract, Tools, resources, content',
  },
  'resource-not-found': {
    says: 'An unknown resource is refused with -32002 and its URI in data.',
    source: 'spec server/resources, Error Handling',
  },
  'resource-tenancy': {
    says: 'A resource of another tenant or principal is answered exactly as one that never existed.',
    source: 'contract, HTTP',
  },
  'resource-scopes': {
    says: "Resources outside of a key's scopes are not listed, and are refused with the name of the scope.",
    source: 'contract, HTTP',
  },
  'opaque-cursors': {
    says: 'Lists are paged by opaque cursors, each entry once; a cursor that was not given out is refused with -32602.',
    source: 'seed 5, 1.2 and 2.2; spec server/utilities/pagination',
  },
  'invalid-params': {
    says: 'Params that do not fit their method are refused with -32602.',
    source: 'spec server/resources, Error Handling; JSON-RPC 2.0, 5.1',
  },
  'subscriptions-capability': {
    says: 'A server whose resources can be subscribed to, and whose list changes, declares both.',
    source: 'spec server/resources, Capabilities',
  },
  'subscription-updated': {
    says: 'A subscriber is notified when its resource changes, whichever replicas the stream, the subscription and the change were made at.',
    source: 'spec server/resources, Subscriptions; contract, Tools, resources, content',
  },
  'list-changed': {
    says: 'A change of the list of resources is notified to the clients whose list changes.',
    source: 'spec server/resources, List Changed Notification',
  },
  unsubscribe: {
    says: 'A client is not notified of a resource after it has unsubscribed.',
    source: 'spec server/resources, Subscriptions',
  },
  'subscription-tenancy': {
    says: 'Nobody is notified of a resource that they may not read.',
    source: 'contract, HTTP',
  },
  'subscription-refused': {
    says: 'A resource that cannot be read cannot be subscribed to, and the error is the same; subscriptions are bounded.',
    source: 'spec server/resources, Error Handling',
  },
  'subscription-survives': {
    says: 'Changes while a stream was disconnected are not lost: its client is notified of every resource that may have changed.',
    source: 'contract, Tools, resources, content',
  },
  'one-stream': {
    says: 'No notification is sent on several streams of one session.',
    source: 'spec basic/transports, Multiple Connections',
  },
  'stream-admission': {
    says: 'A stream ends with its key, its tenant, its session and its replica.',
    source: 'contract, HTTP',
  },
  'stream-limit': {
    says: 'The streams of a tenant are bounded, and a client that opens its own anew is never refused for it.',
    source: 'contract, Limits',
  },
  'session-id': {
    says: 'initialize gives a session id in visible ASCII; every replica knows its client by it, without a session store.',
    source: 'spec basic/transports, Session Management; contract, Dialects of the same interaction',
  },
  'session-unknown': {
    says: 'A session id that is invalid, of another principal or ended is refused with 404 and a hint to initialize.',
    source: 'spec basic/transports, Session Management; contract, Dialects of the same interaction',
  },
  'session-none': {
    says: 'A client without a session is served, except for streams and DELETE, which are refused.',
    source:
      'contract, HTTP; spec basic/transports, Listening for Messages from the Server, Session Management',
  },
  'session-ended': {
    says: 'DELETE ends a session on every replica.',
    source: 'spec basic/transports, Session Management; contract, HTTP',
  },
  completion: {
    says: 'completion/complete offers at most 100 values for each variable of each template.',
    source: 'spec server/utilities/completion',
  },
  'tasks-capability': {
    says: 'A server that supports tasks declares tasks/list, tasks/cancel and the requests that may be tasks, to clients of 2025-11-25.',
    source: 'spec basic/utilities/tasks, Capabilities; contract, Tasks',
  },
  'tasks-tool-support': {
    says: 'Operations declare execution.taskSupport "optional", other tools "forbidden", and calling those as a task is refused with -32601.',
    source: 'spec basic/utilities/tasks, Tool-Level Negotiation; contract, Tasks',
  },
  'tasks-undeclared': {
    says: 'A task parameter that no task was declared for is ignored.',
    source: 'spec basic/utilities/tasks, Task Support and Handling',
  },
  'tasks-create': {
    says: 'A call with a task is answered at once with a task that begins working.',
    source: 'spec basic/utilities/tasks, Creating Tasks; contract, Dialects of the same interaction',
  },
  'tasks-status': {
    says: 'A task whose operation fails is failed, and every task tells createdAt, lastUpdatedAt and ttl.',
    source: 'spec basic/utilities/tasks, Task Status; contract, Tasks',
  },
  'tasks-result': {
    says: 'tasks/result waits until the task ends, on any replica, and returns what the call would have returned.',
    source: 'spec basic/utilities/tasks, Result Retrieval; contract, Tasks',
  },
  'request-cancelled': {
    says: 'A request that its client cancels, at any replica, is not worked on any longer and not answered; a call as a task goes on.',
    source:
      'spec basic/utilities/cancellation, Behavior Requirements, and basic/utilities/tasks, Task Cancellation',
  },
  'tasks-list': {
    says: "tasks/list has every task that tasks/get shows its caller, once, in pages, and no other's.",
    source: 'spec basic/utilities/tasks, Task Listing; contract, Tasks',
  },
  'tasks-cancel': {
    says: 'tasks/cancel ends a task before it replies; one that has ended is refused with -32602, saying how it ended.',
    source: 'spec basic/utilities/tasks, Task Cancellation; contract, Tasks',
  },
  'tasks-complete': {
    says: 'tasks/cancel with a result, and complete_task, complete the task of a workflow with that result.',
    source: 'seed 2, completion by the client; contract, Tasks',
  },
  'tasks-related': {
    says: 'Replies of a task carry its id in _meta, except where their result names it; in a request the parameter counts.',
    source: 'spec basic/utilities/tasks, Associating Task-Related Messages',
  },
  'tasks-tenancy': {
    says: 'A task of another is refused with -32602, exactly as one that never existed.',
    source: 'spec basic/utilities/tasks, Protocol Errors, Task Isolation; contract, HTTP',
  },
} as const satisfies Record<string, Requirement>;
