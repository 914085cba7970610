import type { SearchKnowledgeBaseBody } from '@parley/contract/knowledge-base'
import type { Passage } from '@parley/contract/knowledge-passage'
import type { Clock, KnowledgeSearch } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'

/** Longer than a search gives itself. */
const DEADLINE_MS = 15_000
const RETRY_AFTER_MS = 2000

/** Passages of one knowledge base, the best first; null when it does not exist any more. */
export async function searchBase(
  search: KnowledgeSearch,
  options: {
    readonly clock: Pick<Clock, 'after'>
    readonly knowledgeBaseId: string
    readonly body: SearchKnowledgeBaseBody
  },
): Promise<Passage[] | null> {
  const { clock, knowledgeBaseId, body } = options
  const abort = new AbortController()
  const late = Promise.withResolvers<{ ok: false; message: string }>()
  const cancel = clock.after(DEADLINE_MS, () => {
    abort.abort()
    late.resolve({ ok: false, message: 'The search took too long.' })
  })
  const { query, topK, filterScore } = body
  try {
    const found = search.search({
      knowledgeBaseIds: [knowledgeBaseId],
      query: [{ text: query, weight: 1 }],
      topK,
      filterScore,
      signal: abort.signal,
    })
    const outcome = await Promise.race([found, late.promise])
    if (!outcome.ok) throw new AppError('unavailable', outcome.message, { retryAfterMs: RETRY_AFTER_MS })
    return outcome.missing.includes(knowledgeBaseId) ? null : [...outcome.passages]
  } finally {
    cancel()
  }
}
