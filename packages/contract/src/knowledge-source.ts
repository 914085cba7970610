import { z } from 'zod'
import { DateTime, label, text } from './fields.ts'
import { SourceType } from './knowledge-passage.ts'
import { defineObject } from './named-object.ts'

/** Sources of knowledge bases: texts, web pages and files. */

export const MAX_SOURCES = 2000
/** Maximum size of a source in a JSON body. Larger documents must be uploaded. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024
/** Maximum number of sources in a request. */
export const MAX_SOURCES_PER_REQUEST = 100
/** Body size limit. JSON bodies contain files in base64. */
export const SOURCES_BODY_LIMIT_BYTES = 16 * 1024 * 1024
/** Limits of a `multipart/form-data` request. */
export const UPLOAD_LIMITS = {
  maxFiles: 25,
  maxFileBytes: 50 * 1024 * 1024,
  maxRequestBytes: 100 * 1024 * 1024,
} as const

export const SOURCE_STATUSES = ['processing', 'ready', 'refreshing', 'error'] as const
export const SourceStatus = z.enum(SOURCE_STATUSES).meta({
  id: 'KnowledgeSourceStatus',
  description:
    '`processing`: being read for the first time; `ready`: available for answers; `refreshing`: being read ' +
    'again, and answers use the previous content; `error`: could not be read, see `error`.',
})
export type SourceStatus = z.infer<typeof SourceStatus>

export const KnowledgeSource = defineObject('KnowledgeSource', {
  source_id: z.string(),
  source_type: SourceType,
  filename: z.string().describe('Name of the file. Empty for texts and pages.'),
  title: z.string().describe('Title from the request, or the title of the document. Empty if there is none.'),
  url: z.string().nullable().describe('URL of the page, or null for other sources.'),
  contentType: z.string().nullable().describe('Detected content type, or null until the source is read.'),
  status: SourceStatus,
  error: z
    .string()
    .nullable()
    .describe(
      'Reason why the source could not be read, and how to fix it. If `status` is `ready`, the reason why the last refresh failed.',
    ),
  size: z.int().nullable().describe('Size of the original in bytes, or null until it is fetched.'),
  characters: z.int().describe('Number of characters in the extracted text, or 0 until the source is read.'),
  pageCount: z.int().nullable().describe('Number of pages, or null for documents without pages.'),
  chunkCount: z.int().describe('Number of passages.'),
  crawled: z.boolean().describe('Whether the page was found by crawling rather than added in a request.'),
  createdAt: DateTime,
  updatedAt: DateTime,
  refreshedAt: DateTime.nullable().describe(
    'Time when the content was last checked, or null if it has not been checked.',
  ),
})
export type KnowledgeSource = z.infer<typeof KnowledgeSource>

/** Whether a page can be fetched. Rejects URLs with credentials, because responses and answers contain the URL. */
function isWebPageUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value) || /\s/.test(value)) return false
  return url.username === '' && url.password === ''
}

export const PageUrl = z
  .string()
  .max(2000, { abort: true })
  .refine(isWebPageUrl, { error: 'must be an http:// or https:// URL without user name and password' })

/** A document to add. Exactly one of `text`, `url` and `base64` is required. */
export const SourceInput = z
  .object({
    text: text(MAX_TEXT_BYTES).optional().describe('Plain or Markdown text.'),
    title: label().optional().describe('Title of the source in answers.'),
    url: PageUrl.optional().describe(
      'URL of a page or document to fetch. Private addresses are rejected unless the operator allows them.',
    ),
    filename: z.string().min(1).max(255).optional().describe('Name of the file. Required with `base64`.'),
    contentType: z
      .string()
      .max(200)
      .optional()
      .describe('Declared content type of the file, used only if it cannot be detected.'),
    base64: z.base64().optional().describe('Content of a file in base64. Send larger files as `multipart/form-data`.'),
  })
  .superRefine((source, context) => {
    const kinds = (['text', 'url', 'base64'] as const).filter((kind) => source[kind] !== undefined)
    if (kinds.length !== 1) {
      context.addIssue({ code: 'custom', message: 'must have exactly one of text, url and base64' })
    }
    if (source.text?.trim() === '') context.addIssue({ code: 'custom', path: ['text'], message: 'must not be blank' })
    if (source.base64 !== undefined && source.filename === undefined) {
      context.addIssue({ code: 'custom', path: ['filename'], message: 'is required with base64' })
    }
  })
  .meta({ id: 'KnowledgeSourceInput' })
export type SourceInput = z.output<typeof SourceInput>
