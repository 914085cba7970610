import type { Clock } from '@parley/engine/ports'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import type { Embedder } from '../knowledge-ports.ts'

export interface QueryVectorsOptions {
  readonly embedder: Embedder
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
}

/** Meaning of what is searched for. */
export interface QueryVectors {
  /** Of length 1; null when the model cannot say it in time: then words have to do. Never rejects. */
  vectorOf(texts: readonly WeightedText[], signal: AbortSignal): Promise<Float32Array | null>
}

/** A person waits for the answer. */
const EMBED_TIMEOUT_MS = 1_500
/** A model that failed is left alone this long, unless it asks for another time. */
const PAUSE_MS = 10_000
const MAX_PAUSE_MS = 60_000
/** Of the vectors of questions that are kept. */
const MAX_CACHED = 500
/** What was said long ago counts too little to be asked for. */
const MAX_TEXTS = 4
/** Of a long text the end is nearest to the question. */
const MAX_TEXT_CHARACTERS = 4000

/** Asks an embedding model for the texts that it was not asked for lately. */
export function createQueryVectors({ embedder, clock, logError }: QueryVectorsOptions): QueryVectors {
  /** The one used last is the last. */
  const cache = new Map<string, Float32Array>()
  let pausedUntilMs = 0

  function readCache(text: string): Float32Array | undefined {
    const vector = cache.get(text)
    if (vector !== undefined) addToCache(text, vector)
    return vector
  }

  function addToCache(text: string, vector: Float32Array): void {
    cache.delete(text)
    cache.set(text, vector)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  }

  async function embedMissing(texts: readonly string[], signal: AbortSignal): Promise<void> {
    if (clock.now() < pausedUntilMs) return
    const embedded = await embedWithTimeout(embedder, texts, { clock, signal })
    if (embedded.ok) {
      for (const [index, vector] of embedded.vectors.entries()) addToCache(texts[index] ?? '', vector)
    } else if (!signal.aborted) {
      pausedUntilMs = clock.now() + Math.min(embedded.retryAfterMs ?? PAUSE_MS, MAX_PAUSE_MS)
      logError('embedding of a question', new Error(embedded.message))
    }
  }

  return {
    async vectorOf(texts, signal) {
      const asked = texts
        .filter(({ text }) => text.trim() !== '')
        .slice(0, MAX_TEXTS)
        .map(({ text, weight }) => ({ text: text.slice(-MAX_TEXT_CHARACTERS), weight }))
      const unknown = [...new Set(asked.map(({ text }) => text))].filter((text) => readCache(text) === undefined)
      if (unknown.length > 0) await embedMissing(unknown, signal)
      return combine(asked.map(({ text, weight }) => ({ vector: cache.get(text), weight })))
    },
  }
}

interface EmbedLimits {
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function embedWithTimeout(
  embedder: Embedder,
  texts: readonly string[],
  { clock, signal }: EmbedLimits,
): ReturnType<Embedder['embed']> {
  const stop = new AbortController()
  const timedOut = Promise.withResolvers<Awaited<ReturnType<Embedder['embed']>>>()
  const giveUp = (): void => {
    stop.abort()
    timedOut.resolve({ ok: false, message: `The model did not answer within ${EMBED_TIMEOUT_MS} ms.`, retryable: true })
  }
  signal.addEventListener('abort', giveUp, { once: true })
  const cancel = clock.after(EMBED_TIMEOUT_MS, giveUp)
  try {
    return await Promise.race([embedder.embed(texts, stop.signal), timedOut.promise])
  } finally {
    cancel()
    signal.removeEventListener('abort', giveUp)
  }
}

interface WeightedVector {
  readonly vector: Float32Array | undefined
  readonly weight: number
}

/** What was said last has to be there; earlier texts add to it by their weight. */
function combine(vectors: readonly WeightedVector[]): Float32Array | null {
  const newest = vectors[0]?.vector
  if (newest === undefined) return null
  const sum = new Float32Array(newest.length)
  for (const { vector, weight } of vectors) {
    if (vector?.length !== sum.length) continue
    for (const [index, number] of vector.entries()) sum[index] = (sum[index] ?? 0) + number * weight
  }
  const length = Math.hypot(...sum)
  return length > 0 ? sum.map((number) => number / length) : null
}
