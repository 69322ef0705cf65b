import type { AnyJson } from '../harness/mcp-client.ts';

/** The OpenAPI document of a gateway, with the schema of each body in its place: the document has those of tools behind `$ref`. */
export async function readOpenApiDocument(url: string): Promise<AnyJson> {
  const document = (await (await fetch(`${url}/v1/openapi.json`)).json()) as AnyJson;
  const { schemas } = document.components;
  for (const methods of Object.values<AnyJson>(document.paths)) {
    for (const { requestBody } of Object.values<AnyJson>(methods)) {
      for (const media of Object.values<AnyJson>(requestBody?.content ?? {}))
        media.schema = schemas[media.schema.$ref?.split('/').at(-1)] ?? media.schema;
    }
  }
  return document;
}
