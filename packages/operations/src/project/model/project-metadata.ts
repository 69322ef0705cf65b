import { z } from 'zod';

/** A project beside its tasks: name, requirements and tech stack; rules; connected files. */

export const METADATA_LIMITS = {
  nameLength: 200,
  textLength: 20_000,
  rules: 100,
  ruleLength: 4_000,
  files: 50,
  fileLength: 500_000,
  /** Of all files together: every read of the project moves them. */
  filesLength: 1_000_000,
} as const;

const text = z.string().max(METADATA_LIMITS.textLength).optional();

/** The name of a language, such as Español or "Deutsch (Schweiz)": too short and plain for a sentence to an LLM. */
export const languageSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(60)
  .refine(
    (name) => /^[\p{L}\p{M}\p{N} ()_,/-]*$/u.test(name),
    'must be the name of a language: letters, digits, blanks or ( ) _ , / -',
  );

export const projectMetadataSchema = z.object({
  name: z.string().min(1).max(METADATA_LIMITS.nameLength).optional(),
  requirements: text,
  techStack: text,
  /** In which operations are answered; without one, in that of their data. */
  language: languageSchema.optional(),
  created: z.string().optional(),
});
export type ProjectMetadata = Readonly<z.infer<typeof projectMetadataSchema>>;

export interface ConnectedFile {
  readonly text: string;
  /** ISO 8601: when this text was connected. */
  readonly updated: string;
}

export const fileNameSchema = z
  .string()
  .min(1)
  .max(300)
  .refine((name) => /^[^\p{Cc}\p{Cs}]*$/u.test(name), 'must not hold control or half characters');

export const projectRulesSchema = z
  .array(z.string().trim().min(1, 'must not be empty').max(METADATA_LIMITS.ruleLength))
  .max(METADATA_LIMITS.rules);
