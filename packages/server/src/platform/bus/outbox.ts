interface Waiting {
  readonly text: string
  readonly sizeBytes: number
}

/** Texts that wait to be sent, in order and bounded: the oldest make room. */
export interface Outbox {
  readonly isEmpty: boolean
  /** False when older ones had to go. */
  add(text: string, sizeBytes: number): boolean
  /** The oldest ones, removed: at least one, and no more than fit into `maxBytes`. */
  take(maxBytes: number): string[]
}

export interface OutboxLimits {
  readonly maxTexts: number
  readonly maxBytes: number
}

export function createOutbox({ maxTexts, maxBytes }: OutboxLimits): Outbox {
  let waiting: Waiting[] = []
  let totalBytes = 0

  function drop(count: number): Waiting[] {
    const dropped = waiting.slice(0, count)
    waiting = waiting.slice(count)
    for (const { sizeBytes } of dropped) totalBytes -= sizeBytes
    return dropped
  }

  return {
    get isEmpty() {
      return waiting.length === 0
    },
    add(text, sizeBytes) {
      waiting.push({ text, sizeBytes })
      totalBytes += sizeBytes
      if (waiting.length <= maxTexts && totalBytes <= maxBytes) return true
      // A quarter at once: moving all others for each new one would make an outage expensive.
      drop(Math.max(1, Math.ceil(waiting.length / 4)))
      while (totalBytes > maxBytes && waiting.length > 1) drop(1)
      return false
    },
    take(limitBytes) {
      let count = 0
      let sizeBytes = 0
      for (const one of waiting) {
        if (count > 0 && sizeBytes + one.sizeBytes > limitBytes) break
        count += 1
        sizeBytes += one.sizeBytes
      }
      return drop(count).map(({ text }) => text)
    },
  }
}
