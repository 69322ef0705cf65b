import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface Document {
  readonly openapi: string;
  readonly components: { readonly schemas: Record<string, object> };
  readonly paths: Record<string, Record<string, Operation>>;
}

interface ObservedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

/** Holds answers against an OpenAPI document: their status is described, and their body fits its schema. */
export class OpenApiResponseChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<object, ValidateFunction>();
  private readonly document: Document;

  constructor(document: unknown) {
    this.document = document as Document;
  }

  /** Throws when an answer is not as described; says nothing of paths that are not in the document. */
  check(method: string, path: string, { status, headers, text, body }: ObservedResponse): void {
    const operation = this.operation(method, path);
    if (operation === undefined) return;
    const what = `${method} ${path} answered ${status}`;
    const response = operation.responses[status];
    if (response === undefined) throw new Error(`${what}, which is not described: ${text}`);
    const [type] = (headers.get('content-type') ?? '').split(';');
    if (response.content === undefined) {
      if (text !== '') throw new Error(`${what} with a body that is not described`);
      return;
    }
    const schema = response.content[type ?? '']?.schema;
    if (schema === undefined) throw new Error(`${what} as '${type}', which is not described`);
    // Named schemas are found from the root of what is compiled.
    const { components } = this.document;
    const validate = this.compiled.get(schema) ?? this.ajv.compile({ ...schema, components });
    this.compiled.set(schema, validate);
    if (!validate(type?.endsWith('json') ? body : text))
      throw new Error(`${what}, which does not fit: ${this.ajv.errorsText(validate.errors)}`);
  }

  private operation(method: string, path: string): Operation | undefined {
    const [plain = ''] = path.split('?');
    const candidates = Object.keys(this.document.paths)
      .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]*')}$`).test(plain))
      .sort((a, b) => a.split('{').length - b.split('{').length);
    const found = candidates[0];
    return found === undefined ? undefined : this.document.paths[found]?.[method.toLowerCase()];
  }
}
