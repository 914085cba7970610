import { z } from 'zod'
import { namedObject } from './named-object.ts'

/** Building blocks of resource schemas. Their bounds guarantee that every accepted value fits into every database. */

const INT32_MAX = 2_147_483_647

export const PROMPT_LIMIT_BYTES = 128 * 1024
export const MESSAGE_LIMIT_BYTES = 32 * 1024
export const METADATA_LIMIT_BYTES = 50 * 1024

/** Checks the UTF-8 length, without encoding the string if its length already decides. */
function fitsUtf8Bytes(text: string, limitBytes: number): boolean {
  if (text.length * 3 <= limitBytes) return true
  return text.length <= limitBytes && new TextEncoder().encode(text).length <= limitBytes
}

/** A string of at most `limitBytes` UTF-8 bytes. The server refuses requests that contain NUL. */
export const text = (limitBytes: number): z.ZodString =>
  z
    .string()
    .refine((value) => fitsUtf8Bytes(value, limitBytes), { error: `must be at most ${limitBytes} bytes of UTF-8` })

/** A short text such as a name or title, of at most 200 characters. */
export const label = (): z.ZodString => z.string().max(200)

/** A resource ID. Malformed IDs are unknown IDs, so only the length is limited. */
export const id = (): z.ZodString => z.string().min(1).max(200)

/** Workspace ID in a body. */
export const WorkspaceId = z.int().min(1).max(INT32_MAX)

/** 32-bit integer within bounds. */
export const integer = (minimum = -INT32_MAX, maximum = INT32_MAX): z.ZodInt => z.int().min(minimum).max(maximum)

/** Integer in a query, in decimal digits. */
export const queryInteger = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,10}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))

/** Workspace ID in a query. */
export const QueryWorkspaceId = queryInteger(1, INT32_MAX)

/** ISO 8601 in UTC with milliseconds. */
export const DateTime = z.iso.datetime({ precision: 3 })

/** Limits the JSON of a value, as arguments of `refine`. */
const jsonLimit = (limitBytes: number) =>
  [
    (value: unknown) => fitsUtf8Bytes(JSON.stringify(value), limitBytes),
    { error: `must be at most ${limitBytes} bytes of JSON` },
  ] as const

/** An object with custom keys, stored and returned unchanged. */
export const freeObject = (limitBytes = METADATA_LIMIT_BYTES) =>
  z.record(z.string(), z.unknown()).refine(...jsonLimit(limitBytes))

const VariableName = z.string().min(1).max(200)
const VariableValue = z.union([z.string(), z.number(), z.boolean()]).transform(String)

/** Dynamic variables by name. Numbers and booleans become strings. */
export const Variables = z.record(VariableName, VariableValue).refine(...jsonLimit(METADATA_LIMIT_BYTES))

/** Variables that take precedence over all others; null clears a variable. */
export const OverrideVariables = z
  .record(VariableName, VariableValue.nullable())
  .refine(...jsonLimit(METADATA_LIMIT_BYTES))

/** Selects a version in a query: an integer from 1, `latest` or `active`. */
export const VersionSelector = z.union([
  z.literal(['latest', 'active']),
  z
    .string()
    .regex(/^\d{1,10}$/, 'must be an integer >= 1, "latest" or "active"')
    .transform(Number)
    .pipe(z.int().min(1).max(INT32_MAX)),
])
export type VersionSelector = z.output<typeof VersionSelector>

/**
 * The workspace in a query or a body. Optional in both schemas: the server checks that they agree and that a required
 * one is given.
 */
const WORKSPACE_DESCRIPTION = 'ID of the workspace.'
export const queryWorkspace = () => QueryWorkspaceId.optional().describe(WORKSPACE_DESCRIPTION)
export const bodyWorkspace = () => WorkspaceId.optional().describe(WORKSPACE_DESCRIPTION)

/** Query of operations that take only the workspace. */
export const WorkspaceQuery = z.object({ workspaceId: queryWorkspace() })

/** Query of reads that can select a version. */
export const VersionQuery = z.object({
  workspaceId: queryWorkspace(),
  version: VersionSelector.optional().describe('Version number, `latest` or `active`.'),
})

const EDITED_VERSION_DESCRIPTION =
  'Version to edit, which must be the latest and not frozen. Defaults to the latest version, or the next one if ' +
  'the latest is frozen.'
/** Version that a PATCH edits, in its body or query. */
export const bodyEditedVersion = () => integer(1).optional().describe(EDITED_VERSION_DESCRIPTION)
export const EditedVersionQuery = z.object({
  version: queryInteger(1, INT32_MAX).optional().describe(EDITED_VERSION_DESCRIPTION),
})

/** Strings by custom names in a response. */
export const StringMap = z.record(z.string(), z.string())
/** Variable overrides in a response. */
export const OverrideMap = z.record(z.string(), z.string().nullable())

/** Field of a create body: if it is omitted or null, the default applies. */
export const orDefault = <Schema extends z.ZodType>(schema: Schema, makeDefault: () => z.output<Schema>) =>
  schema
    .nullable()
    .transform((given) => (given === null ? makeDefault() : (given as z.output<Schema>)))
    .default(makeDefault as () => never)

/** Field of a PATCH body: if omitted, it is unchanged; null resets it to its default. */
export const clearable = <Schema extends z.ZodType>(schema: Schema, makeDefault: () => z.output<Schema>) =>
  schema
    .nullable()
    .transform((given) => (given === null ? makeDefault() : (given as z.output<Schema>)))
    .optional()

/** One of the words, or a decimal from 0 to 1 rounded to six places. Parsed as a string. */
export const enumOrDecimal = (words: readonly string[]) =>
  z.union([
    z.string().regex(new RegExp(`^(${words.join('|')}|0?\\.\\d{1,6}|0|1(\\.0{1,6})?)$`), {
      error: `must be ${words.map((word) => `"${word}"`).join(', ')} or a decimal from 0 to 1`,
    }),
    z
      .number()
      .min(0)
      .max(1)
      .transform((value) => String(Math.round(value * 1e6) / 1e6)),
  ])

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** IANA time zone that this runtime supports. */
export const Timezone = z
  .string()
  .max(100, { abort: true })
  .refine(isTimezone, { error: 'must be an IANA time zone such as "Europe/Berlin"' })

/** Title and description of a version; null if it has none. */
export const versionNotes = {
  version_title: z.string().nullable().describe('Title given when the version was published, or null.'),
  version_description: z.string().nullable().describe('Description given when the version was published, or null.'),
}

/** Version fields of a resource in a response. */
export const versionFields = {
  is_published: z.boolean().describe('Whether this version is published.'),
  is_frozen: z
    .boolean()
    .describe('Whether this version is used or published. If so, the next PATCH creates a new version.'),
  ...versionNotes,
  created_at: DateTime.describe('Time when version 1 was created.'),
  updated_at: DateTime.describe('Time of the last change to this version.'),
}

/** Fields of a version in a list of versions, besides the ID of its resource. */
export const versionItem = {
  version: z.int().describe('Version number, starting at 1.'),
  is_published: z.boolean().describe('Whether this version is published.'),
  is_frozen: z.boolean().describe('Whether this version is used or published, so that it never changes again.'),
  ...versionNotes,
  updated_at: DateTime.describe('Time of the last change to this version.'),
}

/** Body of every publish operation. */
export const PublishBody = namedObject('PublishBody', {
  workspaceId: bodyWorkspace(),
  version: integer(1).optional().describe('Version to publish. Defaults to the latest.'),
  title: label()
    .nullable()
    .optional()
    .describe(
      'Title, returned as `version_title`, such as "Spring menu". If omitted, an existing title is kept; null ' +
        'removes it.',
    ),
  description: text(8 * 1024)
    .nullable()
    .optional()
    .describe(
      'Description of the changes, returned as `version_description`, at most 8 KiB. If omitted, an existing ' +
        'description is kept; null removes it.',
    ),
})

/** Problems of a resource that was stored anyway. */
export const Warnings = z
  .array(z.string())
  .describe('Problems that can cause unexpected behavior. The request succeeded.')
