import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { chooseEncoding } from './accept.ts'

/** Shorter answers fit into a few packets as they are. */
export const LEAST_COMPRESSED_BYTES = 8 * 1024
const JSON_TYPE = /^application\/json\b/
const GZIP: ReadonlySet<'gzip'> = new Set(['gzip'])

const gzipAsync = promisify(gzip)

/**
 * Compresses long JSON for clients that take gzip: lists shrink to a tenth or less. Files, sound and streams of events go as they are.
 * A hook of our own and no plugin, since it works on whole answers and counts for routes that are there already.
 */
export function compressJson(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isText || Buffer.byteLength(payload) < LEAST_COMPRESSED_BYTES) return payload
    const isJson = JSON_TYPE.test(String(reply.getHeader('content-type') ?? ''))
    if (!isJson || request.method === 'HEAD' || reply.hasHeader('content-encoding')) return payload
    reply.header('vary', 'accept-encoding')
    if (chooseEncoding(request.headers['accept-encoding'], GZIP as ReadonlySet<string>) === null) return payload
    reply.removeHeader('content-length').header('content-encoding', 'gzip')
    return await gzipAsync(payload)
  })
}
