import { z } from 'zod';

export const scopeSchema = z.enum(['mcp', 'agent', 'admin']);
export type Scope = z.infer<typeof scopeSchema>;

/** `bt_<tenant>_<id>_<secret><crc32>`: the key's public parts. The checksum detects typing errors without a look-up. */
export interface ApiKeyParts {
  readonly tenant: string;
  readonly id: string;
  /** The whole key, which is what is hashed. */
  readonly text: string;
}

const FORM = /^bt_([a-z0-9-]{1,63})_([A-Za-z0-9]{12})_([A-Za-z0-9]{32})([0-9a-f]{8})$/;

export function formatApiKey(tenant: string, id: string, secret: string): string {
  const body = `bt_${tenant}_${id}_${secret}`;
  return body + crc32(body);
}

/** The parts of a well-formed key with a right checksum, otherwise undefined. */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  const match = FORM.exec(text);
  const [, tenant, id] = match ?? [];
  if (tenant === undefined || id === undefined || crc32(text.slice(0, -8)) !== text.slice(-8))
    return undefined;
  return { tenant, id, text };
}

/** CRC-32 (ISO 3309, as in zlib) of an ASCII text, eight hex digits. */
function crc32(text: string): string {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

export const keyToolsSchema = z
  .string()
  .max(2_000)
  .describe(
    'Which tools are listed to it: core, standard (the default), all, or names of tools and tiers with commas between them',
  );

/** How the clients that call with a key are shown requests, where their calls do not say. */
export const keyDialectSchema = z
  .enum(['tool', 'sampling', 'input_required', 'task'])
  .describe(
    'The dialect in which requests for an LLM are shown to its clients, where a call does not name one and its client has what that needs',
  );
export type KeyDialect = z.infer<typeof keyDialectSchema>;

export const keyInputSchema = z.strictObject({
  name: z.string().min(1).max(200),
  principal: z
    .string()
    .regex(/^[A-Za-z0-9._@+-]{1,128}$/, 'must be 1 to 128 letters, digits or . _ @ + -')
    .optional()
    .describe('Who calls with this key; by default the key is its own principal'),
  scopes: z.array(scopeSchema).min(1).max(3).default(['mcp']),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  tools: keyToolsSchema.optional(),
  dialect: keyDialectSchema.optional(),
});
export type KeyInput = z.infer<typeof keyInputSchema>;
