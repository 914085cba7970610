import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../packages/engine/src/ports.ts'

const MAX_LOG_CHARACTERS = 5 * 1024 * 1024

export interface WireEntry {
  readonly kind: 'check' | 'request' | 'response' | 'event' | 'socket' | 'sent' | 'received' | 'closed' | 'failed'
  readonly [field: string]: unknown
}

/** A log of redacted messages, one JSON object per line. */
export class WireLog {
  readonly file: string
  readonly #clock: Clock
  readonly #startMs: number
  readonly #hiddenTexts: readonly string[]
  #checkName = ''
  #writtenCharacters = 0
  #isClosed = false

  /** `hiddenTexts` are replaced in every line, in addition to the redaction of each message. */
  constructor(options: { readonly file: string; readonly clock: Clock; readonly hiddenTexts: readonly string[] }) {
    this.file = options.file
    this.#clock = options.clock
    this.#startMs = options.clock.now()
    this.#hiddenTexts = options.hiddenTexts.filter((text) => text !== '')
    mkdirSync(path.dirname(this.file), { recursive: true })
    appendFileSync(this.file, '')
  }

  /** Assigns the following messages to a check. */
  startCheck(name: string): void {
    this.#checkName = name
  }

  /** Ignores all further messages. */
  close(): void {
    this.#isClosed = true
  }

  write(entry: WireEntry): void {
    if (this.#isClosed || this.#writtenCharacters > MAX_LOG_CHARACTERS) return
    let line = JSON.stringify({ atMs: this.#clock.now() - this.#startMs, check: this.#checkName, ...entry })
    for (const text of this.#hiddenTexts) line = line.replaceAll(JSON.stringify(text).slice(1, -1), '<hidden>')
    this.#writtenCharacters += line.length
    appendFileSync(this.file, `${line}\n`)
  }
}
