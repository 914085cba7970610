import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteContent } from '../kernel/api/implement.ts'
import { AppError } from '../kernel/errors.ts'

const OK = 200
const PARTIAL = 206
const NOT_MODIFIED = 304

/** Sends the bytes, a range of the bytes, or 304. Throws `range_not_satisfiable` if the range starts beyond the end. */
export function sendBytes(request: FastifyRequest, reply: FastifyReply, content: ByteContent): FastifyReply {
  const { sizeBytes } = content
  const etag = `"${content.version}"`
  const { headers } = request
  reply.header('accept-ranges', 'bytes').header('etag', etag).header('cache-control', 'private, no-cache')
  if (matchesEtag(headers['if-none-match'], etag)) return reply.status(NOT_MODIFIED).send()
  const ifRange = headers['if-range']
  // If the content has changed since the client received its first part, the client receives all of it.
  const rangeHeader = ifRange === undefined || ifRange === etag ? headers.range : undefined
  const range = parseByteRange(rangeHeader, sizeBytes)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${sizeBytes}`)
    throw new AppError('range_not_satisfiable', `The file has ${sizeBytes} bytes: request a range within it.`)
  }
  const { start, length } = range ?? { start: 0, length: sizeBytes }
  reply
    .status(range === null ? OK : PARTIAL)
    .header('content-type', content.contentType)
    .header('content-length', length)
    .header('content-disposition', `inline; filename="${content.filename}"`)
  if (range !== null) reply.header('content-range', `bytes ${start}-${start + length - 1}/${sizeBytes}`)
  // An empty stream keeps the content length header.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  return reply.send(Readable.from(content.read(start, length), { objectMode: false }))
}

function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}

/** A byte range of content with a known size. */
interface ByteRange {
  readonly start: number
  readonly length: number
}

/**
 * Parses a `Range` header. Returns null to send everything if the header is absent, unknown or has several ranges. Returns
 * `unsatisfiable` if the range starts beyond the end.
 */
export function parseByteRange(header: string | undefined, sizeBytes: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes\s*=\s*(?:(\d{1,15})\s*)?-\s*(\d{0,15})$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, firstByte = '', lastByte = ''] = match
  if (firstByte === '') return lastByte === '' ? null : toSuffixRange(Number(lastByte), sizeBytes)
  const start = Number(firstByte)
  const end = lastByte === '' ? sizeBytes - 1 : Number(lastByte)
  if (lastByte !== '' && end < start) return null
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, length: Math.min(end, sizeBytes - 1) - start + 1 }
}

function toSuffixRange(length: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || sizeBytes === 0) return 'unsatisfiable'
  const start = Math.max(0, sizeBytes - length)
  return { start, length: sizeBytes - start }
}
