import type { Clock } from '@parley/engine/ports'
import type { TimedWord } from '@parley/engine/voice/ports'

/** Time for the message with timestamps to follow the message without. */
const TIMESTAMPS_WAIT_MS = 150

/** A committed text that waits for its timestamps. */
interface HeldText {
  readonly text: string
  readonly cancelTimeout: () => void
}

/** Reports each committed text once. The vendor sends it with timestamps, without them, or both in either order. */
export class CommittedTexts {
  readonly #clock: Clock
  readonly #onText: (text: string, words: readonly TimedWord[]) => void
  #heldText: HeldText | null = null
  /** The last reported text and how it was received, to recognize its repetition. */
  #lastText: { readonly text: string; hasTimed: boolean; hasPlain: boolean } | null = null

  /** `onText` receives no words for a text without timestamps. */
  constructor(clock: Clock, onText: (text: string, words: readonly TimedWord[]) => void) {
    this.#clock = clock
    this.#onText = onText
  }

  /** Handles a message with a committed text. `words` is null if the message has no timestamps. */
  receive(text: string, words: readonly TimedWord[] | null): void {
    if (this.#isRepetition(text, words !== null)) return
    if (words !== null) {
      const hasPlain = this.#heldText !== null
      this.#heldText?.cancelTimeout()
      this.#heldText = null
      this.#onText(text, words)
      this.#lastText = { text, hasTimed: true, hasPlain }
      return
    }
    this.#reportHeldText()
    // Its timestamps repeat this text, not the one before.
    this.#lastText = null
    this.#heldText = { text, cancelTimeout: this.#clock.after(TIMESTAMPS_WAIT_MS, () => this.#reportHeldText()) }
  }

  /** The next committed text is a new one, even if it has the same words. */
  expectNewText(): void {
    this.#lastText = null
  }

  /** Ends a connection. A text that waits for its timestamps is reported without them. */
  endConnection(): void {
    this.#reportHeldText()
    this.expectNewText()
  }

  #reportHeldText(): void {
    if (this.#heldText === null) return
    const { text, cancelTimeout } = this.#heldText
    cancelTimeout()
    this.#heldText = null
    this.#onText(text, [])
    this.#lastText = { text, hasTimed: false, hasPlain: true }
  }

  #isRepetition(text: string, isTimed: boolean): boolean {
    const lastText = this.#lastText
    if (lastText === null || lastText.text !== text) return false
    if (isTimed ? lastText.hasTimed : lastText.hasPlain) return false
    lastText.hasTimed = true
    lastText.hasPlain = true
    return true
  }
}
