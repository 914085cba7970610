import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Smaller responses fit into a few packets and are not compressed. */
export const MIN_COMPRESSED_BYTES = 8 * 1024
const JSON_TYPE = /^application\/json\b/
const GZIP: ReadonlySet<'gzip'> = new Set(['gzip'])

const gzipAsync = promisify(gzip)

/**
 * Compresses long JSON responses with gzip, but not files, audio or event streams. A hook also covers routes that are already
 * registered.
 */
export function compressJson(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isText || Buffer.byteLength(payload) < MIN_COMPRESSED_BYTES) return payload
    const isJson = JSON_TYPE.test(String(reply.getHeader('content-type') ?? ''))
    if (!isJson || request.method === 'HEAD' || reply.hasHeader('content-encoding')) return payload
    reply.header('vary', 'accept-encoding')
    if (chooseEncoding(request.headers['accept-encoding'], GZIP as ReadonlySet<string>) === null) return payload
    reply.removeHeader('content-length').header('content-encoding', 'gzip')
    return await gzipAsync(payload)
  })
}

/** Available encodings, best first. */
const ENCODINGS = ['br', 'gzip'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** Whether the client is a browser that requests a page. API clients accept any type or JSON. */
export function acceptsHtml(accept: string | undefined): boolean {
  return (parseWeights(accept).get('text/html') ?? 0) > 0
}

/** Returns the available encoding that the client prefers, or null if none is acceptable. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  availableEncodings: Pick<ReadonlySet<Encoding>, 'has'>,
): Encoding | null {
  const weights = parseWeights(acceptEncoding)
  const getWeight = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0
  let bestEncoding: Encoding | null = null
  // Identity is always acceptable, but is only preferred if it is listed.
  let bestWeight = weights.get('identity') ?? 0
  for (const encoding of ENCODINGS) {
    const weight = getWeight(encoding)
    const isBetter = bestEncoding === null ? weight >= bestWeight : weight > bestWeight
    if (!availableEncodings.has(encoding) || weight === 0 || !isBetter) continue
    bestEncoding = encoding
    bestWeight = weight
  }
  return bestEncoding
}

/** Parses a header such as `Accept` into lower-case values and their `q` weights. A missing weight counts as 1. */
function parseWeights(header = ''): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((token) => token.trim().toLowerCase())
      const qualityParameter = parameters.find((parameter) => parameter.startsWith('q='))
      const weight = qualityParameter === undefined ? 1 : Number(qualityParameter.slice(2))
      return [name, Number.isFinite(weight) ? weight : 0]
    }),
  )
}
