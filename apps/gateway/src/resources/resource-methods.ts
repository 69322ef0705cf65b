import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ANY_MCP_CALLER } from '../call/access.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { refuseCursor } from '../json-rpc/parse-request.ts';
import { resourceTemplates } from './catalog.ts';
import { listResources } from './list-resources.ts';
import { readResource } from './read-resource.ts';

/**
 * MCP resources: `catalog` names every kind; `project-resources`, `task-resources` and `prompt-resources` define them by
 * `resource-kind` and `uri-template`; `list-resources` and `read-resource` answer the methods below, `subscribe` has those
 * of sessions; `change-matching` says which resources a change concerns.
 */
export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

/** What a resource's own kind declares is checked by `readResource`, once it is known. */
export const resourceMethods: readonly McpMethod[] = [
  defineEdgeAdmittedMethod('resources/list', ANY_MCP_CALLER, ListResourcesRequestSchema, ({ params }, call) =>
    listResources(params?.cursor, call),
  ),
  defineEdgeAdmittedMethod('resources/read', ANY_MCP_CALLER, ReadResourceRequestSchema, ({ params }, call) =>
    readResource(params.uri, call),
  ),
  defineEdgeAdmittedMethod(
    'resources/templates/list',
    ANY_MCP_CALLER,
    ListResourceTemplatesRequestSchema,
    ({ params }) => {
      refuseCursor(params?.cursor);
      return { resourceTemplates };
    },
  ),
];
