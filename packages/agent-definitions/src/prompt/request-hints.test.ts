import { expect, test } from 'vitest';
import { requestHintsOf } from './request-hints.ts';

const server = { name: 'docs', url: 'https://docs.example/mcp', allowedTools: ['read'] };

test('web search is an option of chat completions, and a tool of the other two', () => {
  const { chatCompletions, responses, messages } = requestHintsOf({ webSearch: true });
  expect(chatCompletions).toEqual({ body: { web_search_options: {} } });
  expect(responses).toEqual({ tools: [{ type: 'web_search' }] });
  expect(messages).toEqual({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
});

test('computer use has the display in the fields of each, and the beta of Anthropic', () => {
  const computerUse = { displayWidth: 1280, displayHeight: 800, environment: 'browser' } as const;
  const { chatCompletions, responses, messages } = requestHintsOf({ computerUse });
  expect(chatCompletions).toEqual({ unsupported: ['computerUse'] });
  const size = { display_width: 1280, display_height: 800 };
  expect(responses.tools).toEqual([{ type: 'computer_use_preview', ...size, environment: 'browser' }]);
  expect(messages).toEqual({
    tools: [{ type: 'computer_20250124', name: 'computer', display_width_px: 1280, display_height_px: 800 }],
    betas: ['computer-use-2025-01-24'],
  });
});

test('an MCP server is a tool of responses; of messages a server and a toolset, its tools allowed by name', () => {
  const { chatCompletions, responses, messages } = requestHintsOf({ mcpServers: [server], api: 'responses' });
  expect(chatCompletions).toEqual({ unsupported: ['mcpServers'] });
  expect(responses.tools).toEqual([
    {
      type: 'mcp',
      server_label: 'docs',
      server_url: server.url,
      allowed_tools: ['read'],
      require_approval: 'never',
    },
  ]);
  expect(messages).toEqual({
    tools: [
      {
        type: 'mcp_toolset',
        mcp_server_name: 'docs',
        default_config: { enabled: false },
        configs: { read: { enabled: true } },
      },
    ],
    body: { mcp_servers: [{ type: 'url', name: 'docs', url: server.url }] },
    betas: ['mcp-client-2025-11-20'],
  });
});

test('no hints are nothing in any shape', () => {
  expect(requestHintsOf({})).toEqual({ chatCompletions: {}, responses: {}, messages: {} });
});
