import { z } from 'zod'

/** Building blocks of the resource schemas: the bounds that keep any accepted value storable on every database. */

const INT32_MAX = 2_147_483_647

export const PROMPT_LIMIT_BYTES = 128 * 1024
export const MESSAGE_LIMIT_BYTES = 32 * 1024
export const METADATA_LIMIT_BYTES = 50 * 1024

/** UTF-8 length without encoding the string when its length alone decides. */
function fitsUtf8Bytes(text: string, limitBytes: number): boolean {
  if (text.length * 3 <= limitBytes) return true
  return text.length <= limitBytes && new TextEncoder().encode(text).length <= limitBytes
}

/** A string of at most `limitBytes` UTF-8 bytes. NUL is refused for the whole request by the server. */
export const text = (limitBytes: number): z.ZodString =>
  z
    .string()
    .refine((value) => fitsUtf8Bytes(value, limitBytes), { error: `must be at most ${limitBytes} bytes of UTF-8` })

/** A short label such as a name or title: at most 200 characters. */
export const label = (): z.ZodString => z.string().max(200)

/** A resource id in a path, query or body. Any other spelling is an unknown id, so only its length is bounded. */
export const id = (): z.ZodString => z.string().min(1).max(200)

/** Integer workspace id, as a body carries it. */
export const WorkspaceId = z.int().min(1).max(INT32_MAX)

/** 32-bit integer within bounds. */
export const integer = (minimum = -INT32_MAX, maximum = INT32_MAX): z.ZodInt => z.int().min(minimum).max(maximum)

/** Integer in a query: decimal digits only. */
export const queryInteger = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,10}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))

/** Integer workspace id, as a query carries it. */
export const QueryWorkspaceId = queryInteger(1, INT32_MAX)

/** ISO 8601 UTC with milliseconds. */
export const DateTime = z.iso.datetime({ precision: 3 })

/** An object whose keys are the customer's own: stored and answered as given. */
export const freeObject = (limitBytes = METADATA_LIMIT_BYTES) =>
  z.record(z.string(), z.unknown()).refine((value) => fitsUtf8Bytes(JSON.stringify(value), limitBytes), {
    error: `must be at most ${limitBytes} bytes of JSON`,
  })

/** Dynamic variables: strings by name; numbers and booleans are accepted and become strings. */
export const Variables = z
  .record(z.string().min(1).max(200), z.union([z.string(), z.number(), z.boolean()]).transform(String))
  .refine((value) => fitsUtf8Bytes(JSON.stringify(value), METADATA_LIMIT_BYTES), {
    error: `must be at most ${METADATA_LIMIT_BYTES} bytes of JSON`,
  })

/** Variables that win over all others; null leaves a name without a value, whatever else sets it. */
export const OverrideVariables = z
  .record(z.string().min(1).max(200), z.union([z.string(), z.number(), z.boolean()]).transform(String).nullable())
  .refine((value) => fitsUtf8Bytes(JSON.stringify(value), METADATA_LIMIT_BYTES), {
    error: `must be at most ${METADATA_LIMIT_BYTES} bytes of JSON`,
  })

/** A version selector of a query: an integer from 1, `latest` or `active`. */
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
 * The workspace in a query or a body. Optional here, because it may stand in either: the server takes it from where it
 * is, checks that both agree and answers one clear error when an operation that needs it has none.
 */
const WORKSPACE_DESCRIPTION = 'Workspace that the request is about, from the list of workspaces.'
export const queryWorkspace = () => QueryWorkspaceId.optional().meta({ description: WORKSPACE_DESCRIPTION })
export const bodyWorkspace = () => WorkspaceId.optional().meta({ description: WORKSPACE_DESCRIPTION })

/** Query of an operation that takes only the workspace. */
export const WorkspaceQuery = z.object({ workspaceId: queryWorkspace() })

/** Query of a read that may pin a version. */
export const VersionQuery = z.object({
  workspaceId: queryWorkspace(),
  version: VersionSelector.optional().meta({ description: 'A version from 1, `latest` or `active`.' }),
})

const EDITED_VERSION_DESCRIPTION =
  'Version to edit: refused unless it is the newest and not frozen. Absent: the newest, or the next one when that is frozen.'
/** Names the version that a PATCH edits, in its body or in its query. */
export const bodyEditedVersion = () => integer(1).optional().meta({ description: EDITED_VERSION_DESCRIPTION })
export const EditedVersionQuery = z.object({
  version: queryInteger(1, INT32_MAX).optional().meta({ description: EDITED_VERSION_DESCRIPTION }),
})

/** Strings by the customer's own names, as answers carry them. */
export const StringMap = z.record(z.string(), z.string())
/** Overrides as answers carry them. */
export const OverrideMap = z.record(z.string(), z.string().nullable())

/** A field of a create body: absent and `null` both become the default. */
export const orDefault = <Schema extends z.ZodType>(schema: Schema, makeDefault: () => z.output<Schema>) =>
  schema
    .nullable()
    .transform((given) => (given === null ? makeDefault() : (given as z.output<Schema>)))
    .default(makeDefault as () => never)

/** A field of a PATCH body: absent stays absent (unchanged), `null` becomes the default (cleared). */
export const clearable = <Schema extends z.ZodType>(schema: Schema, makeDefault: () => z.output<Schema>) =>
  schema
    .nullable()
    .transform((given) => (given === null ? makeDefault() : (given as z.output<Schema>)))
    .optional()

/** One of a few words or a decimal 0..1; always a string afterwards. Numbers are rounded to six places. */
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

/** Name of an IANA time zone that this runtime knows. */
export const Timezone = z
  .string()
  .max(100, { abort: true })
  .refine(isTimezone, { error: 'must be an IANA time zone such as "Europe/Berlin"' })

/** A title or description of a version; `null` when there is none. */
export const versionNotes = {
  version_title: z.string().nullable().meta({ description: 'Given when it was published; null without one.' }),
  version_description: z.string().nullable().meta({ description: 'Given when it was published; null without one.' }),
}

/** What answers tell of the version that they carry. */
export const versionFields = {
  is_published: z.boolean().meta({ description: 'This version was published.' }),
  is_frozen: z.boolean().meta({ description: 'Used or published: the next PATCH makes a new version.' }),
  ...versionNotes,
  created_at: DateTime.meta({ description: 'When version 1 was made.' }),
  updated_at: DateTime.meta({ description: 'Last change of this version.' }),
}

/** What every list of versions tells of one, beside the id of its resource. */
export const versionItem = {
  version: z.int().meta({ description: 'Counts from 1.' }),
  is_published: z.boolean().meta({ description: 'It was published.' }),
  is_frozen: z.boolean().meta({ description: 'Used or published: it never changes again.' }),
  ...versionNotes,
  updated_at: DateTime.meta({ description: 'Last change of this version.' }),
}

/** Body of every publish operation. Without `version` the newest one is published. */
export const PublishBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: integer(1).optional().meta({ description: 'Version to publish; the newest when absent.' }),
    title: label().nullable().optional().meta({
      description: 'Answered as `version_title`, such as "Spring menu". Absent keeps an earlier one, null removes it.',
    }),
    description: text(8 * 1024)
      .nullable()
      .optional()
      .meta({
        description:
          'Answered as `version_description`, such as what is new; at most 8 KiB. Absent keeps an earlier one, null removes it.',
      }),
  })
  .meta({ id: 'PublishBody' })

/** Sentences about what will not work as it stands, although it was stored. */
export const Warnings = z
  .array(z.string())
  .meta({ description: 'What may not work as expected, although the write was done.' })
