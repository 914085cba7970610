import type { ServerMessage } from '@parley/contract/live'

type Counted = Extract<ServerMessage, { readonly seq: number }>

/** Messages of a call that come again after its connection broke. */
export interface MessageHistory {
  /** Gives it its number, from 1, and remembers it; returns it as text. */
  add(message: Counted): string
  /** Texts of those after this number, oldest first. */
  after(seq: number): readonly string[]
}

/** Far more than is said in the time that a call waits for its caller. */
const MAX_MESSAGES = 1_000
const MAX_CHARACTERS = 512 * 1024

/** Remembers the newest messages within fixed bounds. */
export function createMessageHistory(): MessageHistory {
  const texts: string[] = []
  let characters = 0
  let lastSeq = 0

  return {
    add(message) {
      lastSeq += 1
      const text = JSON.stringify({ ...message, seq: lastSeq })
      texts.push(text)
      characters += text.length
      while (texts.length > MAX_MESSAGES || (characters > MAX_CHARACTERS && texts.length > 1)) {
        characters -= texts.shift()?.length ?? 0
      }
      return text
    },
    after(seq) {
      const firstSeq = lastSeq - texts.length + 1
      return texts.slice(Math.max(0, seq + 1 - firstSeq))
    },
  }
}

/** Whether messages of this type are counted, and so come again. */
export function isCounted(message: ServerMessage): message is Counted {
  return 'seq' in message
}
