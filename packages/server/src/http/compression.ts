import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

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

/** Encodings in which files are kept, best first. */
const ENCODINGS = ['br', 'gzip'] as const

/** How the bytes of an answer are encoded. */
export type Encoding = (typeof ENCODINGS)[number]

/** Whether a request wants a page, as browsers do that go to an address: programs that take anything want the API. */
export function acceptsHtml(accept: string | undefined): boolean {
  return (readWeights(accept).get('text/html') ?? 0) > 0
}

/** The encoding that the client likes best among those there are; null for none. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  available: Pick<ReadonlySet<Encoding>, 'has'>,
): Encoding | null {
  const weights = readWeights(acceptEncoding)
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0
  let best: Encoding | null = null
  // What is not encoded is always acceptable, but only preferred when somebody says so.
  let bestWeight = weights.get('identity') ?? 0
  for (const encoding of ENCODINGS) {
    const weight = weightOf(encoding)
    const isBetter = best === null ? weight >= bestWeight : weight > bestWeight
    if (!available.has(encoding) || weight === 0 || !isBetter) continue
    best = encoding
    bestWeight = weight
  }
  return best
}

/** The parts of a header such as `Accept` in small letters, with their `q`, which is 1 where none is given. */
function readWeights(header = ''): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
      const given = parameters.find((each) => each.startsWith('q='))
      const weight = given === undefined ? 1 : Number(given.slice(2))
      return [name, Number.isFinite(weight) ? weight : 0]
    }),
  )
}
