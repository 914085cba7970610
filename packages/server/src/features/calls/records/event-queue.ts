import type { CallEventEntry } from '@parley/contract/call-event'

/** An event that waits to be written. */
export interface PendingEvent<Journal> {
  readonly journal: Journal
  readonly entry: CallEventEntry
  readonly atMs: number
}

/** So many events make room at once, so that a full queue is not searched for each. */
const HEADROOM = 1_000

/** What a call can be without: figures first, then what explains them, and words only when nothing else is left. */
const EXPENDABLE: readonly ReadonlySet<CallEventEntry['type']>[] = [
  new Set(['turn', 'warning']),
  new Set(['variables', 'dtmf', 'node-transition', 'state-transition', 'injected']),
]

/**
 * Makes room in a queue that is full: uses of the same thing become one, then what a call can be without goes, the oldest
 * first. Order stays. `onDropped` hears of each event that is lost.
 */
export function shed<Journal>(
  queue: readonly PendingEvent<Journal>[],
  limit: number,
  onDropped: (event: PendingEvent<Journal>) => void,
): PendingEvent<Journal>[] {
  const targetLength = Math.max(0, limit - Math.min(HEADROOM, limit / 10))
  let rest = mergeUsage(queue)
  for (const types of [...EXPENDABLE, null]) {
    let excess = rest.length - targetLength
    if (excess <= 0) break
    rest = rest.filter((event) => {
      if (excess <= 0 || (types !== null && !types.has(event.entry.type))) return true
      excess -= 1
      onDropped(event)
      return false
    })
  }
  return rest
}

function mergeUsage<Journal>(queue: readonly PendingEvent<Journal>[]): PendingEvent<Journal>[] {
  const indexes = new Map<Journal, Map<string, number>>()
  const merged: PendingEvent<Journal>[] = []
  for (const event of queue) {
    const { journal, entry } = event
    if (entry.type !== 'usage') {
      merged.push(event)
      continue
    }
    const ofJournal = indexes.get(journal) ?? new Map<string, number>()
    indexes.set(journal, ofJournal)
    const key = JSON.stringify([entry.product, entry.model, entry.unit])
    const index = ofJournal.get(key)
    const earlier = index === undefined ? undefined : merged[index]
    if (index === undefined || earlier?.entry.type !== 'usage') {
      ofJournal.set(key, merged.length)
      merged.push(event)
    } else {
      merged[index] = { ...earlier, entry: { ...entry, quantity: entry.quantity + earlier.entry.quantity } }
    }
  }
  return merged
}
