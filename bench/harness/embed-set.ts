import { createQueryEmbedder } from '../../packages/server/src/features/knowledge/retrieval/query-vectors.ts'
import { buildEmbeddingText } from '../../packages/server/src/integrations/documents/embedded-text.ts'
import { createEmbedder } from '../../packages/server/src/integrations/embeddings/embedder.ts'
import { createModelDispatcher } from '../../packages/server/src/integrations/models/model-dispatcher.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import type { LabeledSet } from './labeled-set.ts'
import type { SetVectors } from './measure-quality.ts'

const TIMEOUT_MS = 600_000

/** Embeds the passages of a set with an embedding model. Throws if the model fails. */
export async function embedLabeledSet(
  { sources }: LabeledSet,
  server: { readonly baseUrl: string; readonly apiKey: string | undefined; readonly model: string },
): Promise<SetVectors & AsyncDisposable> {
  const http = createModelDispatcher()
  const embedder = createEmbedder({ ...server, http, clock: systemClock })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const passageVectors = new Map<string, Float32Array[]>()
  for (const { key, passages } of sources) {
    const vectors: Float32Array[] = []
    for (let start = 0; start < passages.length; start += embedder.batchSize) {
      const texts = passages
        .slice(start, start + embedder.batchSize)
        .map((chunk) => buildEmbeddingText(chunk.title, chunk))
      const embedded = await embedder.embed(texts, signal)
      if (!embedded.ok) throw new Error(embedded.message)
      vectors.push(...embedded.vectors)
    }
    passageVectors.set(key, vectors)
  }
  const logError = (name: string, error: unknown): void => console.error(name, error)
  const queryVectors = createQueryEmbedder({ embedder, clock: systemClock, logError })
  return {
    passageVectors,
    embedQuery: (texts) => queryVectors.embedQuery(texts, signal),
    [Symbol.asyncDispose]: () => http.close(),
  }
}
