import { z } from 'zod'
import { DateTime, label, text } from './fields.ts'
import { SourceType } from './knowledge-passage.ts'

/** Sources of knowledge bases: texts, web pages and files. */

export const MAX_SOURCES = 2000
/** One element of a JSON body; larger documents are uploaded. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024
/** Sources in one request. */
export const MAX_SOURCES_PER_REQUEST = 100
/** JSON bodies hold files as base64. */
export const SOURCES_BODY_LIMIT_BYTES = 16 * 1024 * 1024
/** What `multipart/form-data` may bring at once. */
export const UPLOAD_LIMITS = {
  maxFiles: 25,
  maxFileBytes: 50 * 1024 * 1024,
  maxRequestBytes: 100 * 1024 * 1024,
} as const

export const SOURCE_STATUSES = ['processing', 'ready', 'refreshing', 'error'] as const
export const SourceStatus = z.enum(SOURCE_STATUSES).meta({
  id: 'KnowledgeSourceStatus',
  description:
    '`processing`: read for the first time; `ready`: answers come from it; `refreshing`: read again, answers still come ' +
    'from what was read before; `error`: it could not be read, see `error`.',
})
export type SourceStatus = z.infer<typeof SourceStatus>

export const KnowledgeSource = z
  .object({
    source_id: z.string(),
    source_type: SourceType,
    filename: z.string().meta({ description: '"" for texts and pages.' }),
    title: z.string().meta({ description: 'As given, or as the document calls itself; "" without any.' }),
    url: z.string().nullable().meta({ description: 'Of a page; else null.' }),
    contentType: z.string().nullable().meta({ description: 'What the content was recognised as; null until then.' }),
    status: SourceStatus,
    error: z.string().nullable().meta({
      description: 'Why it could not be read, and what helps. Beside `ready`: why the last refresh failed.',
    }),
    size: z.int().nullable().meta({ description: 'Bytes of the original; null until it was fetched.' }),
    characters: z.int().meta({ description: 'Of the text that was read; 0 until then.' }),
    pageCount: z.int().nullable().meta({ description: 'Of a document with pages; else null.' }),
    chunkCount: z.int().meta({ description: 'Passages that it was cut into.' }),
    crawled: z.boolean().meta({ description: 'Found by following links or a sitemap, not named by a caller.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
    refreshedAt: DateTime.nullable().meta({ description: 'When its content was last looked at; null until then.' }),
  })
  .meta({ id: 'KnowledgeSource' })
export type KnowledgeSource = z.infer<typeof KnowledgeSource>

/** Whether a page of this address can be fetched; user and password have no place in what is answered and cited. */
function isWebPageUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value) || /\s/.test(value)) return false
  return url.username === '' && url.password === ''
}

export const PageUrl = z
  .string()
  .max(2000, { abort: true })
  .refine(isWebPageUrl, { error: 'must be an http:// or https:// URL without user and password' })

/** A document to add: exactly one of `text`, `url` and `base64` says of which kind it is. */
export const SourceInput = z
  .object({
    text: text(MAX_TEXT_BYTES).optional().meta({ description: 'The text itself, plain or Markdown.' }),
    title: label().optional().meta({ description: 'What to call it in answers.' }),
    url: PageUrl.optional().meta({
      description: 'A page or document to fetch. Private addresses are refused, unless the operator allows them.',
    }),
    filename: z.string().min(1).max(255).optional().meta({ description: 'Of a file; needed beside `base64`.' }),
    contentType: z.string().max(200).optional().meta({
      description: 'What the file is said to be. Its content decides; this helps where that tells nothing.',
    }),
    base64: z.base64().optional().meta({ description: 'Content of a file. Larger ones: `multipart/form-data`.' }),
  })
  .superRefine((source, context) => {
    const kinds = (['text', 'url', 'base64'] as const).filter((kind) => source[kind] !== undefined)
    if (kinds.length !== 1) {
      context.addIssue({ code: 'custom', message: 'needs exactly one of text, url and base64' })
    }
    if (source.text?.trim() === '') context.addIssue({ code: 'custom', path: ['text'], message: 'must not be blank' })
    if (source.base64 !== undefined && source.filename === undefined) {
      context.addIssue({ code: 'custom', path: ['filename'], message: 'is required beside base64' })
    }
  })
  .meta({ id: 'KnowledgeSourceInput' })
export type SourceInput = z.output<typeof SourceInput>
