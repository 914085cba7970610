import type { ServerMessage } from '@parley/contract/live'
import type { CallObserver, CallUpdate } from '@parley/engine/voice/call-observer'
import { createMessageHistory, isCounted } from './message-history.ts'
import { type MessageOf, toServerMessage } from './server-message.ts'

/** What one call shows, as messages of the live channel: numbered, kept to be sent again, and sent to who subscribes. */
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
      // Nothing follows it: connections send it when what was said is played.
      this.#end ??= message
      return
    }
    if (message.type === 'state') this.#state = message
    const text = isCounted(message) ? this.#history.add(message) : JSON.stringify(message)
    for (const send of this.#subscribers) send(text)
  }

  /** Calls `send` with each message from now on; the returned function ends that. */
  subscribe(send: (text: string) => void): () => void {
    this.#subscribers.add(send)
    return () => this.#subscribers.delete(send)
  }

  /** Nothing is published any more. */
  close(): void {
    this.#isClosed = true
    this.#subscribers.clear()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Texts of counted messages after this number, oldest first. */
  after(seq: number): readonly string[] {
    return this.#history.after(seq)
  }

  /** What agent and caller do right now; `null` before anything was said of it. */
  get state(): MessageOf<'state'> | null {
    return this.#state
  }

  /** How the call ended. */
  get endedMessage(): MessageOf<'ended'> {
    return this.#end ?? { type: 'ended', reason: 'user_hangup' }
  }
}
