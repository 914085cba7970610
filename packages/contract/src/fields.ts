import { z } from 'zod'
import { defineObject } from './named-object.ts'

/** Building blocks of resource schemas. Their bounds guarantee that every database can store every accepted value. */

const INT32_MAX = 2_147_483_647

export const PROMPT_LIMIT_BYTES = 128 * 1024
export const MESSAGE_LIMIT_BYTES = 32 * 1024
export const METADATA_LIMIT_BYTES = 50 * 1024

/** Whether a string fits into `limitBytes` of UTF-8. Encodes the string only if its length is inconclusive. */
function fitsUtf8Bytes(text: string, limitBytes: number): boolean {
  if (text.length * 3 <= limitBytes) return true
  return text.length <= limitBytes && new TextEncoder().encode(text).length <= limitBytes
}

/** Returns a schema for strings of at most `limitBytes` UTF-8 bytes. The server rejects requests that contain NUL. */
export const text = (limitBytes: number): z.ZodString =>
  z
    .string()
    .refine((value) => fitsUtf8Bytes(value, limitBytes), { error: `must be at most ${limitBytes} bytes of UTF-8` })

/** Returns a schema for short texts, such as names and titles, of at most 200 characters. */
export const label = (): z.ZodString => z.string().max(200)

/** Returns a schema for resource IDs. Limits only the length, because malformed IDs are handled as unknown IDs. */
export const id = (): z.ZodString => z.string().min(1).max(200)

/** Workspace ID in a body. */
export const WorkspaceId = z.int().min(1).max(INT32_MAX)

/** Returns a schema for 32-bit integers within bounds. */
export const integer = (minimum = -INT32_MAX, maximum = INT32_MAX): z.ZodInt => z.int().min(minimum).max(maximum)

/** Returns a schema for query integers in decimal digits. */
export const queryInteger = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,10}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))

/** Workspace ID in a query. */
export const QueryWorkspaceId = queryInteger(1, INT32_MAX)

export const DateTime = z.iso.datetime({ precision: 3 }).describe('ISO 8601 time in UTC, with milliseconds.')

/** Returns `refine` arguments that limit the JSON size of a value. */
const buildJsonLimit = (limitBytes: number) =>
  [
    (value: unknown) => fitsUtf8Bytes(JSON.stringify(value), limitBytes),
    { error: `must be at most ${limitBytes} bytes of JSON` },
  ] as const

/** Returns a schema for objects with custom keys, which are stored and returned unchanged. */
export const freeObject = (limitBytes = METADATA_LIMIT_BYTES) =>
  z.record(z.string(), z.unknown()).refine(...buildJsonLimit(limitBytes))

const VariableName = z.string().min(1).max(200)
const VariableValue = z.union([z.string(), z.number(), z.boolean()]).transform(String)

/** Dynamic variables by name. Numbers and booleans become strings. */
export const Variables = z.record(VariableName, VariableValue).refine(...buildJsonLimit(METADATA_LIMIT_BYTES))

/** Variables that override all others; null clears a variable. */
export const OverrideVariables = z
  .record(VariableName, VariableValue.nullable())
  .refine(...buildJsonLimit(METADATA_LIMIT_BYTES))

/** Version selector in a query: an integer from 1, `latest` or `active`. */
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
 * Workspace in a query or body. Both schemas are optional because the server checks that the values agree and that a required
 * value is present.
 */
const WORKSPACE_DESCRIPTION = 'ID of the workspace.'
export const queryWorkspace = () => QueryWorkspaceId.optional().describe(WORKSPACE_DESCRIPTION)
export const bodyWorkspace = () => WorkspaceId.optional().describe(WORKSPACE_DESCRIPTION)

/** Query of operations whose only query parameter is the workspace. */
export const WorkspaceQuery = z.object({ workspaceId: queryWorkspace() })

/** Query of read operations that can select a version. */
export const VersionQuery = z.object({
  workspaceId: queryWorkspace(),
  version: VersionSelector.optional().describe('Version number, `latest` or `active`.'),
})

const EDITED_VERSION_DESCRIPTION =
  'Version to edit. Must be the latest version and not frozen. Defaults to the latest version, or to a new version if ' +
  'the latest is frozen.'
/** Returns the body field for the version that a PATCH edits. */
export const bodyEditedVersion = () => integer(1).optional().describe(EDITED_VERSION_DESCRIPTION)
export const EditedVersionQuery = z.object({
  version: queryInteger(1, INT32_MAX).optional().describe(EDITED_VERSION_DESCRIPTION),
})

/** Strings by custom name in a response. */
export const StringMap = z.record(z.string(), z.string())
/** Variable overrides in a response. */
export const OverrideMap = z.record(z.string(), z.string().nullable())

/** Returns a create body field that gets its default if it is omitted or null. */
export const orDefault = <Schema extends z.ZodType>(schema: Schema, createDefault: () => z.output<Schema>) =>
  schema
    .nullable()
    .transform((value) => (value === null ? createDefault() : (value as z.output<Schema>)))
    .default(createDefault as () => never)

/** Returns a PATCH body field that does not change if omitted; null resets the field to its default. */
export const clearable = <Schema extends z.ZodType>(schema: Schema, createDefault: () => z.output<Schema>) =>
  schema
    .nullable()
    .transform((value) => (value === null ? createDefault() : (value as z.output<Schema>)))
    .optional()

/** Returns a schema for one of `choices` or a decimal from 0 to 1 with at most six places. The parsed value is a string. */
export const enumOrDecimal = (choices: readonly string[]) =>
  z.union([
    z.string().regex(new RegExp(`^(${choices.join('|')}|0?\\.\\d{1,6}|0|1(\\.0{1,6})?)$`), {
      error: `must be ${choices.map((choice) => `"${choice}"`).join(', ')} or a decimal from 0 to 1`,
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

/** IANA time zone that the current runtime supports. */
export const Timezone = z
  .string()
  .max(100, { abort: true })
  .refine(isTimezone, { error: 'must be an IANA time zone such as "Europe/Berlin"' })

/** Title and description of a version, or null if they are not set. */
export const versionNotes = {
  version_title: z.string().nullable().describe('Title set when the version was published, or null if there is none.'),
  version_description: z
    .string()
    .nullable()
    .describe('Description set when the version was published, or null if there is none.'),
}

/** Version fields of a resource in a response. */
export const versionFields = {
  is_published: z.boolean().describe('Whether this version is published.'),
  is_frozen: z
    .boolean()
    .describe('Whether this version is used or published. Updating a frozen version creates a new version.'),
  ...versionNotes,
  created_at: DateTime.describe('Time when version 1 was created.'),
  updated_at: DateTime.describe('Time of the last change to this version.'),
}

/** Fields of a version in a version list, besides the resource ID. */
export const versionItem = {
  version: z.int().describe('Version number, starting at 1.'),
  is_published: z.boolean().describe('Whether this version is published.'),
  is_frozen: z.boolean().describe('Whether this version is used or published and therefore can no longer change.'),
  ...versionNotes,
  updated_at: DateTime.describe('Time of the last change to this version.'),
}

/** Body of all publish operations. */
export const PublishBody = defineObject('PublishBody', {
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

/** Warnings about a resource that was stored. */
export const Warnings = z
  .array(z.string())
  .describe('Problems that can cause unexpected behavior. They do not cause the request to fail.')
