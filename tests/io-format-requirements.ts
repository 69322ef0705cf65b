import type { Requirement } from './mcp-requirements.ts';

/**
 * What seed 5 ("MCP Input/Output Format Specification") asks beside the protocol itself, whose entries are in
 * `mcp-requirements.ts`, as data: each sentence is cited by at least one test over the wire. `source` names the seed's section, and
 * its item; `io-format-requirements.test.ts` holds that each row of its tables and lists is the source of an entry of either list.
 */
export const IO_FORMAT_REQUIREMENTS = {
  'tools-list-changed': {
    says: 'tools.listChanged is declared, and clients hear when what their sessions may call changes, on every replica.',
    source: 'seed 5, 1.1',
  },
  'tool-request': {
    says: 'A call names a tool and its arguments, which are held against its inputSchema before anything runs.',
    source: 'seed 5, 1.3; correct 1; correct 2; correct 4',
  },
  'content-text': { says: 'Text is content.', source: 'seed 5, 1.4 1; correct 3' },
  'content-image': { says: 'An image is content, with its annotations.', source: 'seed 5, 1.4 2' },
  'content-audio': { says: 'Audio is content.', source: 'seed 5, 1.4 3' },
  'content-link': { says: 'A link to a resource is content, with its annotations.', source: 'seed 5, 1.4 4' },
  'content-embedded': {
    says: 'An embedded resource is content, with its title and annotations.',
    source: 'seed 5, 1.4 5',
  },
  'results-fit-schemas': {
    says: 'Each result has data that fits the outputSchema of its tool beside its text, to the official client.',
    source:
      'seed 5, 1.2; recommendation 3; recommendation 5; partial 3; roadmap 2; roadmap 4; testing 1; testing 3',
  },
  'work-apart-from-texts': {
    says: 'Tools do their work and return data, and texts for people are made on request.',
    source: 'seed 5, recommendation 1; recommendation 6; gap 1; gap 3; roadmap 1',
  },
  'project-resources': {
    says: "A project's tasks as JSON, its rules as Markdown, how it stands and its files are resources, with the data of the tools.",
    source: 'seed 5, recommendation 2; gap 2; roadmap 3; file changes 1; file changes 2; testing 2',
  },
  'resource-updates': {
    says: 'Who subscribed to a resource hears of its changes as they come.',
    source: 'seed 5, 2.1; roadmap 7',
  },
  'task-template': {
    says: 'A template leads to any task of any project, and its variables are completed.',
    source: 'seed 5, 2.4; roadmap 8',
  },
  'rest-as-mcp': {
    says: 'REST and MCP give the same data of the same work.',
    source: 'seed 5, gap 4',
  },
  'tool-metadata': {
    says: "Each tool has a title, annotations, and beside MCP's hints its category and whether to confirm it, under _meta.",
    source: 'seed 5, recommendation 4; roadmap 5; partial 1',
  },
  'init-shape': {
    says: 'initialize_project returns its workspace, the tasks that it created with id, title and status, its rules and next steps.',
    source: 'seed 5, recommendation 1; recommendation 3; recommendation 5; file changes 3',
  },
  'content-of-operations': {
    says: 'Images, audio, links and embedded resources of an answer stand in the result of every operation.',
    source: 'seed 5, partial 2; roadmap 6',
  },
  attachments: {
    says: 'Files are attached to the task that they belong to, within bounds, and are read as resources.',
    source: 'seed 5, roadmap 6; 2.5',
  },
  'complexity-chart': {
    says: 'A complexity report is a chart too where one asks for it, as an image of the result and as a resource.',
    source: 'seed 5, roadmap 6',
  },
  'changed-links': {
    says: 'The result of each tool that makes or changes resources links them, a bounded number, for clients that know links.',
    source: 'seed 5, 1.4; partial 2; roadmap 6',
  },
  'prompt-texts': {
    says: 'The text for people of each tool that has one is a resource, and is made by a tool of its own; init-success is one.',
    source: 'seed 5, recommendation 6; gap 1; gap 3',
  },
} as const satisfies Readonly<Record<string, Requirement>>;
