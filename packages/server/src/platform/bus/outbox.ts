interface WaitingMessage {
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
  readonly maxMessages: number
  readonly maxBytes: number
}

export function createOutbox({ maxMessages, maxBytes }: OutboxLimits): Outbox {
  let pending: WaitingMessage[] = []
  let totalBytes = 0

  function drop(count: number): WaitingMessage[] {
    const dropped = pending.slice(0, count)
    pending = pending.slice(count)
    for (const { sizeBytes } of dropped) totalBytes -= sizeBytes
    return dropped
  }

  return {
    get isEmpty() {
      return pending.length === 0
    },
    add(text, sizeBytes) {
      pending.push({ text, sizeBytes })
      totalBytes += sizeBytes
      if (pending.length <= maxMessages && totalBytes <= maxBytes) return true
      // A quarter at once: moving all others for each new one would make an outage expensive.
      drop(Math.max(1, Math.ceil(pending.length / 4)))
      while (totalBytes > maxBytes && pending.length > 1) drop(1)
      return false
    },
    take(limitBytes) {
      let count = 0
      let sizeBytes = 0
      for (const one of pending) {
        if (count > 0 && sizeBytes + one.sizeBytes > limitBytes) break
        count += 1
        sizeBytes += one.sizeBytes
      }
      return drop(count).map(({ text }) => text)
    },
  }
}
