import type { AnyJson } from '../harness/mcp-client.ts';
import type { McpReplyChecker } from './reply-checker.ts';
import {
  mcpRequest,
  type ObservedReply,
  type AbuseEnvironment,
  type GatewayUnderTest,
} from './environment/abuse-environment.ts';
import { sendRawRequest, parseJsonRpcMessages } from './environment/raw-http.ts';

export async function listTools(gateway: GatewayUnderTest): Promise<AnyJson[]> {
  const reply = await sendRawRequest(gateway.url, mcpRequest(gateway.keys.mcp, 'tools/list', {}), 10_000);
  return parseJsonRpcMessages(reply)?.[0]?.result?.tools ?? [];
}

/** How long a call asks to wait, in milliseconds. */
export function requestedWait(tool: AnyJson, args: AnyJson): number {
  const wait = tool?.inputSchema?.properties?.waitMs;
  if (wait === undefined) return 0;
  const asked = args?.waitMs ?? wait.default;
  const given = typeof asked === 'object' ? 0 : Number(asked);
  return given >= 0 && given <= 25_000 ? given : 0;
}

/** Calls a tool on a gateway and checks the reply. */
export async function callToolAndCheck(
  environment: AbuseEnvironment,
  assertions: McpReplyChecker,
  gateway: GatewayUnderTest,
  tool: AnyJson,
  args: unknown,
): Promise<ObservedReply> {
  const params = { name: tool.name, arguments: args };
  const request = mcpRequest(gateway.keys.mcp, 'tools/call', params, 7);
  const { reply, faults } = await environment.send(gateway, request, requestedWait(tool, args));
  const sent = { id: 7, method: 'tools/call', params };
  const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
  return {
    reply,
    faults: [...faults, ...assertions.findFaults(reply, sent), ...leaks].map(
      (fault) => `${gateway.name}: ${fault}`,
    ),
  };
}
