/**
 * What a reply's text holds beside its sentence where `structuredContent` has the data: nothing, what a person would read of it, or the
 * data as JSON.
 */
export type TextForm = 'sentence' | 'outline' | 'json';

/** How replies are written for a client, by its revision of MCP and by what is known of the host behind its name. */
export interface ClientTraits {
  /** Its revision has links to resources (MCP 2025-06-18, server/tools, Resource Links). */
  readonly takesLinks: boolean;
  readonly textForm: TextForm;
  /** False for a host that is known to pass no output schema on to its model. */
  readonly takesOutputSchemas: boolean;
}

/** The first revision with structured content and links. */
const FIRST_STRUCTURED_REVISION = '2025-06-18';

/**
 * Hosts by the name that their clients give in `initialize`. None passes output schemas on: the APIs of models take none with a function's
 * declaration. Those that hand `structuredContent` to the model in place of the text need no more than a sentence:
 * - claude-code: github.com/anthropics/claude-code/issues/79944, with what it passed on in each case;
 * - codex-mcp-client: github.com/openai/codex/pull/2594.
 * Others, such as opencode (github.com/anomalyco/opencode/pull/34505), hand over the text alone, so that it has to say what there is.
 */
const HOSTS: readonly { readonly name: RegExp; readonly readsStructured: boolean }[] = [
  { name: /^claude-code\b/i, readsStructured: true },
  { name: /^codex-mcp-client\b/i, readsStructured: true },
  {
    name: /^(claude-ai|cursor|gemini-cli|opencode|visual[ -]studio[ -]code|windsurf|zed)\b/i,
    readsStructured: false,
  },
];

/** `revision`: undefined for a client that tells none, which is of the first. `clientName`: as its session has it. */
export function clientTraits(revision: string | undefined, clientName = ''): ClientTraits {
  const knowsStructured = revision !== undefined && revision >= FIRST_STRUCTURED_REVISION;
  const host = HOSTS.find(({ name }) => name.test(clientName));
  const textForm = !knowsStructured ? 'json' : host?.readsStructured === true ? 'sentence' : 'outline';
  return { takesLinks: knowsStructured, textForm, takesOutputSchemas: host === undefined };
}
