import type { Passage } from '@parley/contract/knowledge-passage'
import type { DialogueEvent } from '../conversation.ts'
import { explain } from '../explanation.ts'
import type { Turn } from '../turn.ts'
import { buildQuery } from './build-query.ts'
import type { KnowledgeUse } from './knowledge-use.ts'

/**
 * Searches a scene's knowledge bases for the user's last message, once per turn and set of knowledge bases. Returns `null` if
 * there is nothing to search or the search fails. An event reports the failure.
 */
export async function* retrieve(
  turn: Turn,
  use: KnowledgeUse,
): AsyncGenerator<DialogueEvent, readonly Passage[] | null> {
  if (use.knowledgeBaseIds.length === 0) return null
  const cachedPassages = turn.getPassages(use)
  if (cachedPassages !== undefined) return cachedPassages
  const query = buildQuery(turn.messages)
  if (query.length === 0) return null
  const { knowledge, clock } = turn.dependencies
  const startedAtMs = clock.now()
  const outcome = await knowledge.search({ ...use, query, signal: turn.signal })
  if (turn.signal.aborted) return null
  if (!outcome.ok) {
    turn.storePassages(use, null)
    yield explain({ type: 'skipped', what: 'knowledge', reason: outcome.message })
    return null
  }
  const { passages, mode, missing } = outcome
  turn.storePassages(use, passages)
  const latencyMs = Math.round(clock.now() - startedAtMs)
  yield explain({ type: 'knowledge-retrieved', mode, latencyMs, passages })
  for (const id of missing) {
    yield explain({ type: 'skipped', what: `knowledge base "${id}"`, reason: 'it no longer exists.' })
  }
  return passages
}
