import type { PinnedAgent } from './pinned-agent.ts'

/** Of agents in use at the same time, as JSON: some 100 MB in memory at most. */
const MAX_CHARACTERS = 32_000_000
/** What an entry costs beside its text. */
const ENTRY_OVERHEAD = 1_000

/** Frozen agents by what names them; those that were not used for the longest time go first. */
export interface AgentCache {
  get(key: string): PinnedAgent | undefined
  set(key: string, agent: PinnedAgent): void
}

export function createAgentCache(maxCharacters: number = MAX_CHARACTERS): AgentCache {
  const cache = new Map<string, { readonly agent: PinnedAgent; readonly characters: number }>()
  let total = 0

  return {
    get(key) {
      const found = cache.get(key)
      if (found === undefined) return undefined
      // Re-inserted, it is the newest: a Map keeps the order of insertion.
      cache.delete(key)
      cache.set(key, found)
      return found.agent
    },

    set(key, agent) {
      total -= cache.get(key)?.characters ?? 0
      cache.delete(key)
      const characters = ENTRY_OVERHEAD + JSON.stringify(agent).length
      cache.set(key, { agent, characters })
      total += characters
      for (const [oldest, entry] of cache) {
        if (total <= maxCharacters) break
        cache.delete(oldest)
        total -= entry.characters
      }
    },
  }
}
