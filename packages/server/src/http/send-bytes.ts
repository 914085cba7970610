import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteContent } from '../kernel/api/implement.ts'
import { AppError } from '../kernel/errors.ts'
import { readByteRange } from './byte-range.ts'

const OK = 200
const PARTIAL = 206
const NOT_MODIFIED = 304

/**
 * Answers with bytes: all of them or the range that was asked for, or nothing where the caller has them already. Throws
 * `range_not_satisfiable` where there are fewer.
 */
export function sendBytes(request: FastifyRequest, reply: FastifyReply, content: ByteContent): FastifyReply {
  const { sizeBytes } = content
  const etag = `"${content.version}"`
  const { headers } = request
  reply.header('accept-ranges', 'bytes').header('etag', etag).header('cache-control', 'private, no-cache')
  if (names(headers['if-none-match'], etag)) return reply.status(NOT_MODIFIED).send()
  const ifRange = headers['if-range']
  // What was asked for is a part of something else by now: all of it answers both.
  const asked = ifRange === undefined || ifRange === etag ? headers.range : undefined
  const range = readByteRange(asked, sizeBytes)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${sizeBytes}`)
    throw new AppError('range_not_satisfiable', `There are only ${sizeBytes} bytes: ask for a range within them.`)
  }
  const { start, length } = range ?? { start: 0, length: sizeBytes }
  reply
    .status(range === null ? OK : PARTIAL)
    .header('content-type', content.contentType)
    .header('content-length', length)
    .header('content-disposition', `inline; filename="${content.filename}"`)
  if (range !== null) reply.header('content-range', `bytes ${start}-${start + length - 1}/${sizeBytes}`)
  // A stream without anything in it: an answer without a body would tell its own length.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  return reply.send(Readable.from(content.read(start, length), { objectMode: false }))
}

function names(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
