import type { Clock } from '@parley/engine/ports'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import type { Embedder } from '../knowledge-ports.ts'

interface QueryEmbedderOptions {
  readonly embedder: Embedder
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
}

/** Embeds search queries. */
export interface QueryEmbedder {
  /**
   * Returns a normalized vector, or null if the model does not respond in time. The search then uses keywords only. Never rejects.
   */
  embedQuery(texts: readonly WeightedText[], signal: AbortSignal): Promise<Float32Array | null>
}

/** Short, because a caller waits for the answer. */
const EMBED_TIMEOUT_MS = 1_500
/** Pause after a model failure, unless the model requests another duration. */
const PAUSE_MS = 10_000
const MAX_PAUSE_MS = 60_000
/** Maximum number of cached query vectors. */
const MAX_CACHED = 500
/** Maximum number of texts. The weight of older texts is negligible. */
const MAX_TEXTS = 4
/** Maximum length of a text. Longer texts are truncated at the start, because the end is closest to the question. */
const MAX_TEXT_CHARACTERS = 4000

/** Creates a query embedder that caches recent vectors. */
export function createQueryEmbedder({ embedder, clock, logError }: QueryEmbedderOptions): QueryEmbedder {
  /** Ordered from least to most recently used. */
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
    const [oldestText] = cache.keys()
    if (cache.size > MAX_CACHED && oldestText !== undefined) cache.delete(oldestText)
  }

  async function embedMissing(texts: readonly string[], signal: AbortSignal): Promise<void> {
    if (clock.now() < pausedUntilMs) return
    const result = await embedWithTimeout(embedder, texts, { clock, signal })
    if (result.ok) {
      for (const [index, vector] of result.vectors.entries()) addToCache(texts[index] ?? '', vector)
    } else if (!signal.aborted) {
      pausedUntilMs = clock.now() + Math.min(result.retryAfterMs ?? PAUSE_MS, MAX_PAUSE_MS)
      logError('embed a question', new Error(result.message))
    }
  }

  return {
    async embedQuery(texts, signal) {
      const queryTexts = texts
        .filter(({ text }) => text.trim() !== '')
        .slice(0, MAX_TEXTS)
        .map(({ text, weight }) => ({ text: text.slice(-MAX_TEXT_CHARACTERS), weight }))
      const uncachedTexts = [...new Set(queryTexts.map(({ text }) => text))].filter(
        (text) => readCache(text) === undefined,
      )
      if (uncachedTexts.length > 0) await embedMissing(uncachedTexts, signal)
      return combineVectors(queryTexts.map(({ text, weight }) => ({ vector: cache.get(text), weight })))
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
  const controller = new AbortController()
  const timedOut = Promise.withResolvers<Awaited<ReturnType<Embedder['embed']>>>()
  const abortEmbedding = (): void => {
    controller.abort()
    timedOut.resolve({
      ok: false,
      message: `The model did not respond within ${EMBED_TIMEOUT_MS} ms.`,
      retryable: true,
    })
  }
  signal.addEventListener('abort', abortEmbedding, { once: true })
  const cancel = clock.after(EMBED_TIMEOUT_MS, abortEmbedding)
  try {
    return await Promise.race([embedder.embed(texts, controller.signal), timedOut.promise])
  } finally {
    cancel()
    signal.removeEventListener('abort', abortEmbedding)
  }
}

interface WeightedVector {
  readonly vector: Float32Array | undefined
  readonly weight: number
}

/** Returns the normalized weighted sum of the vectors, or null if the latest text has no vector. */
function combineVectors(vectors: readonly WeightedVector[]): Float32Array | null {
  const latestVector = vectors[0]?.vector
  if (latestVector === undefined) return null
  const sum = new Float32Array(latestVector.length)
  for (const { vector, weight } of vectors) {
    if (vector?.length !== sum.length) continue
    for (const [index, component] of vector.entries()) sum[index] = (sum[index] ?? 0) + component * weight
  }
  const length = Math.hypot(...sum)
  return length > 0 ? sum.map((component) => component / length) : null
}
