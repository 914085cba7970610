import { synthesizeTones } from '../speech-server/speech-server.ts'
import { toPcm } from '../speech-server/wav-audio.ts'
import type { VendorConnection } from './vendor-connection.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** How alignments and fields are written, because builds of the API differ. */
export interface WireStyle {
  /** Audio per message; 200 ms by default. */
  readonly chunkMs?: number
  /** Spelling of `contextId` and `isFinal`. */
  readonly naming?: 'camel' | 'snake'
  readonly durationsField?: 'charDurationsMs' | 'charsDurationsMs'
  /** Number of characters in each item of an alignment; 1 by default. */
  readonly itemCharacters?: number
  /** Whether audio is aligned with the sent text, only with the normalized text, or not at all. */
  readonly alignment?: 'text' | 'normalized' | 'none'
}

/** The server's reply to one text. */
export type SpeechReply =
  | ({ readonly kind: 'speak' } & WireStyle)
  /** Sends this much audio and breaks the connection. */
  | ({ readonly kind: 'cut'; readonly afterMs: number } & WireStyle)
  /** Sends this much audio and closes the server's side of the connection. */
  | { readonly kind: 'half-close'; readonly afterMs: number }
  /** Sends this much audio and closes the connection. */
  | { readonly kind: 'close'; readonly afterMs: number; readonly code: number }
  /** Sends this much audio and nothing else. */
  | { readonly kind: 'stall'; readonly afterMs: number }
  /** Speaks only when released. */
  | { readonly kind: 'hold' }
  /** Sends these messages with the context's ID, then closes the connection if there is a code. */
  | { readonly kind: 'messages'; readonly messages: readonly JsonFields[]; readonly code?: number }
  /** Sends a message unchanged. */
  | { readonly kind: 'raw'; readonly data: string | Buffer }

interface SpeechSessionOptions {
  readonly nextReply: () => SpeechReply
  readonly onProblem: (problem: string) => void
}

interface Context {
  text: string
  reply: SpeechReply | null
  isClosed: boolean
}

/** Duration of a word's tone, and of a word with its gap, in `synthesizeTones`. */
const TONE_MS = 250
const WORD_MS = 350
const MAX_CONTEXTS = 5
const SINGLE_CONTEXT = 'single'

/** One connection to `multi-stream-input` or `stream-input`. Speaks a tone per word. */
export class SpeechSession {
  readonly #connection: VendorConnection
  readonly #options: SpeechSessionOptions
  readonly #isMulti: boolean
  readonly #rateHz: number
  readonly #contexts = new Map<string, Context>()
  readonly #closedIds = new Set<string>()

  constructor(connection: VendorConnection, options: SpeechSessionOptions) {
    this.#connection = connection
    this.#options = options
    this.#isMulti = connection.path.endsWith('/multi-stream-input')
    const [, rateHz = '0'] = /^pcm_(\d+)$/.exec(connection.query.get('output_format') ?? '') ?? []
    this.#rateHz = Number(rateHz)
  }

  handleMessage(message: JsonFields): void {
    if (message.close_socket === true) {
      this.#connection.close(1000)
      return
    }
    const id = this.#isMulti ? String(message.context_id) : SINGLE_CONTEXT
    const { text } = message
    if (this.#closedIds.has(id)) this.#reportProblem(id, 'text after close_context')
    else if (!this.#contexts.has(id)) this.#openContext(id, message)
    else if (message.close_context === true || (!this.#isMulti && text === '')) this.#closeContext(id)
    else if (typeof text === 'string' && text !== '') this.#appendText(id, text, message.flush === true)
  }

  releaseHeld(): void {
    for (const [id, context] of this.#contexts) {
      if (context.reply?.kind !== 'hold') continue
      context.reply = { kind: 'speak' }
      this.#reply(id, context)
      if (context.isClosed) this.#finish(id)
    }
  }

  expireContexts(): void {
    for (const id of [...this.#contexts.keys()]) this.#finish(id)
  }

  #openContext(id: string, { text, voice_settings: settings }: JsonFields): void {
    if (text !== ' ') this.#reportProblem(id, 'a context starts with a space')
    const speed = (settings as { speed?: number } | undefined)?.speed ?? 1
    if (speed < 0.7 || speed > 1.2) this.#reportProblem(id, 'speed is out of range')
    if (this.#contexts.size < MAX_CONTEXTS) {
      this.#contexts.set(id, { text: '', reply: null, isClosed: false })
      return
    }
    this.#options.onProblem('too many contexts')
    this.#contexts.clear()
    this.#connection.sendJson({ message: 'Too many.', error: 'max_active_conversations', code: 1008 })
    this.#connection.close(1008)
  }

  #appendText(id: string, text: string, isFlushed: boolean): void {
    const context = this.#contexts.get(id)
    if (context === undefined) return
    if (!text.endsWith(' ')) this.#reportProblem(id, 'a text ends with a space')
    context.text += text
    if (!isFlushed) return
    context.reply = this.#options.nextReply()
    this.#reply(id, context)
  }

  #closeContext(id: string): void {
    const context = this.#contexts.get(id)
    this.#closedIds.add(id)
    if (context === undefined) return
    context.isClosed = true
    if (context.reply === null || context.reply.kind === 'speak') this.#finish(id)
  }

  #finish(id: string): void {
    const context = this.#contexts.get(id)
    this.#contexts.delete(id)
    this.#closedIds.add(id)
    const isSnake = context?.reply?.kind === 'speak' && context.reply.naming === 'snake'
    this.#connection.sendJson({
      audio: null,
      ...this.#nameContext(id, isSnake),
      [isSnake ? 'is_final' : 'isFinal']: true,
    })
    if (!this.#isMulti) this.#connection.close(1000)
  }

  #reply(id: string, { text, reply }: Context): void {
    switch (reply?.kind) {
      case 'speak':
        this.#speak(id, text, { ...reply, untilMs: Number.POSITIVE_INFINITY })
        return
      case 'cut':
        this.#speak(id, text, { ...reply, untilMs: reply.afterMs })
        // The audio must arrive before the connection breaks.
        setImmediate(() => setImmediate(() => this.#connection.drop()))
        return
      case 'close':
        this.#speak(id, text, { untilMs: reply.afterMs })
        this.#connection.close(reply.code)
        return
      case 'half-close':
        this.#speak(id, text, { untilMs: reply.afterMs })
        this.#connection.halfClose()
        return
      case 'stall':
        this.#speak(id, text, { untilMs: reply.afterMs })
        return
      case 'messages':
        for (const message of reply.messages) this.#connection.sendJson({ ...this.#nameContext(id, false), ...message })
        if (reply.code !== undefined) this.#connection.close(reply.code)
        return
      case 'raw':
        this.#connection.send(reply.data)
        return
      case 'hold':
      case undefined:
    }
  }

  #speak(id: string, text: string, style: WireStyle & { readonly untilMs: number }): void {
    const isSnake = style.naming === 'snake'
    for (const message of buildAudioMessages(text.trim(), this.#rateHz, style)) {
      this.#connection.sendJson({
        ...message,
        ...this.#nameContext(id, isSnake),
        [isSnake ? 'is_final' : 'isFinal']: null,
      })
    }
  }

  #nameContext(id: string, isSnake: boolean): JsonFields {
    return this.#isMulti ? { [isSnake ? 'context_id' : 'contextId']: id } : {}
  }

  #reportProblem(id: string, problem: string): void {
    this.#options.onProblem(problem)
    this.#connection.sendJson({ error: 'invalid_request', code: 1008, ...this.#nameContext(id, true) })
  }
}

/** Builds messages with audio and alignments, which are relative to the start of their message. */
function buildAudioMessages(
  text: string,
  rateHz: number,
  {
    untilMs,
    chunkMs = 200,
    itemCharacters = 1,
    alignment = 'text',
    ...style
  }: WireStyle & { readonly untilMs: number },
): JsonFields[] {
  const samples = synthesizeTones(text, rateHz)
  const endMs = Math.min(untilMs, (samples.length * 1_000) / rateHz)
  const items = joinItems(alignCharacters(text), itemCharacters)
  const messages: JsonFields[] = []
  for (let startMs = 0; startMs < endMs; startMs += chunkMs) {
    const chunkEndMs = Math.min(startMs + chunkMs, endMs)
    const chunk = samples.slice((startMs * rateHz) / 1_000, (chunkEndMs * rateHz) / 1_000)
    const chunkItems = items.filter((item) => item.startMs >= startMs && item.startMs < chunkEndMs)
    const fields = {
      chars: chunkItems.map((item) => item.text),
      charStartTimesMs: chunkItems.map((item) => item.startMs - startMs),
      [style.durationsField ?? 'charDurationsMs']: chunkItems.map((item) => item.durationMs),
    }
    messages.push({
      audio: toPcm(chunk).toString('base64'),
      alignment: alignment === 'text' ? fields : null,
      normalizedAlignment: alignment === 'none' ? null : fields,
    })
  }
  return messages
}

interface AlignedItem {
  readonly text: string
  readonly startMs: number
  readonly durationMs: number
}

/** Returns the characters of a text. A word's characters share its tone, and a space lasts as long as the gap. */
function alignCharacters(text: string): AlignedItem[] {
  return text.split(/\s+/).flatMap((word, index) => {
    const startMs = index * WORD_MS
    const durationMs = TONE_MS / word.length
    const letters = [...word].map((letter, letterIndex) => ({
      text: letter,
      startMs: startMs + letterIndex * durationMs,
      durationMs,
    }))
    return [...letters, { text: ' ', startMs: startMs + TONE_MS, durationMs: WORD_MS - TONE_MS }]
  })
}

function joinItems(items: readonly AlignedItem[], size: number): readonly AlignedItem[] {
  if (size === 1) return items
  const joinedItems: AlignedItem[] = []
  for (let index = 0; index < items.length; index += size) {
    const parts = items.slice(index, index + size)
    joinedItems.push({
      text: parts.map((part) => part.text).join(''),
      startMs: parts[0]?.startMs ?? 0,
      durationMs: parts.reduce((sum, part) => sum + part.durationMs, 0),
    })
  }
  return joinedItems
}
