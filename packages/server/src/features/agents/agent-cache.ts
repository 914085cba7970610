import type { PinnedAgent } from './pinned-agent.ts'

/** Of agents in use at the same time, as JSON: some 100 MB in memory at most. */
const MAX_CHARACTERS = 32_000_000
/** What an entry costs beside its text. */
const ENTRY_CHARACTERS = 1_000

/** Frozen agents by what names them; those that were not used for the longest time go first. */
export interface AgentCache {
  get(key: string): PinnedAgent | undefined
  set(key: string, agent: PinnedAgent): void
}

export function createAgentCache(maxCharacters: number = MAX_CHARACTERS): AgentCache {
  const kept = new Map<string, { readonly agent: PinnedAgent; readonly characters: number }>()
  let total = 0

  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      // Re-inserted, it is the newest: a Map keeps the order of insertion.
      kept.delete(key)
      kept.set(key, found)
      return found.agent
    },

    set(key, agent) {
      total -= kept.get(key)?.characters ?? 0
      kept.delete(key)
      const characters = ENTRY_CHARACTERS + JSON.stringify(agent).length
      kept.set(key, { agent, characters })
      total += characters
      for (const [oldest, entry] of kept) {
        if (total <= maxCharacters) break
        kept.delete(oldest)
        total -= entry.characters
      }
    },
  }
}
