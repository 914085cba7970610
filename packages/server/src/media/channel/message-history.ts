import type { ServerMessage } from '@parley/contract/live'

type Counted = Extract<ServerMessage, { readonly seq: number }>

/** Messages of a call kept for replay after a reconnect. */
export interface MessageHistory {
  /** Numbers a message from 1 and keeps it; returns its JSON. */
  add(message: Counted): string
  /** Messages after `seq`, oldest first. */
  after(seq: number): readonly string[]
}

/** Far more than is said while a call waits for its caller. */
const MAX_MESSAGES = 1_000
const MAX_CHARACTERS = 512 * 1024

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

/** Whether messages of this type are numbered and replayed. */
export function isCounted(message: ServerMessage): message is Counted {
  return 'seq' in message
}
