import type { ServerMessage } from '@parley/contract/live'
import type { CallObserver, CallUpdate } from '@parley/engine/voice/call-observer'
import { createMessageHistory, isCounted } from './message-history.ts'
import { type MessageOf, toServerMessage } from './server-message.ts'

/** Messages of one call: numbered, kept for replay and sent to subscribers. */
export class MessageFeed implements CallObserver {
  readonly #history = createMessageHistory()
  readonly #subscribers = new Set<(text: string) => void>()
  #state: MessageOf<'state'> | null = null
  #end: MessageOf<'ended'> | null = null
  #isClosed = false

  notify(update: CallUpdate): void {
    this.publish(toServerMessage(update))
  }

  publish(message: ServerMessage): void {
    if (this.#isClosed) return
    if (message.type === 'ended') {
      // Connections send it once all audio was played.
      this.#end ??= message
      return
    }
    if (message.type === 'state') this.#state = message
    const text = isCounted(message) ? this.#history.add(message) : JSON.stringify(message)
    for (const send of this.#subscribers) send(text)
  }

  /** Calls `send` with each further message; the returned function unsubscribes. */
  subscribe(send: (text: string) => void): () => void {
    this.#subscribers.add(send)
    return () => this.#subscribers.delete(send)
  }

  /** Stops publishing. */
  close(): void {
    this.#isClosed = true
    this.#subscribers.clear()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Numbered messages after `seq`, oldest first. */
  after(seq: number): readonly string[] {
    return this.#history.after(seq)
  }

  /** Current activity of agent and caller; `null` before the first one. */
  get state(): MessageOf<'state'> | null {
    return this.#state
  }

  /** The final message of the call. */
  get endedMessage(): MessageOf<'ended'> {
    return this.#end ?? { type: 'ended', reason: 'user_hangup' }
  }
}
