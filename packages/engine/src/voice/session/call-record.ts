import type { CallEventEntry } from '@parley/contract/call-event'
import type { ServerMessage, TurnLatency } from '@parley/contract/live'
import type { DialogueEvent } from '../../dialogue/conversation.ts'
import type { Clock } from '../../ports.ts'
import type { MediaLeg, SpeechFailure } from '../ports.ts'
import type { Generation } from './generation.ts'
import type { CallJournal, VoiceSessionOptions } from './session-ports.ts'
import { type TurnTimes, turnLatency } from './turn-clock.ts'

type Unnumbered<Message> = Message extends { readonly seq: number } ? Omit<Message, 'seq'> : never
/** A message that comes again after a reconnection, before it got its number. */
type NumberedMessage = Unnumbered<ServerMessage>

export interface CallRecordOptions extends Pick<VoiceSessionOptions, 'leg' | 'journal' | 'onProviderFailed'> {
  readonly clock: Clock
}

/** Writes down what happens in a call and shows it to the caller's end. */
export class CallRecord {
  readonly #leg: MediaLeg
  readonly #journal: CallJournal
  readonly #clock: Clock
  readonly #startedAtMs: number
  readonly #onProviderFailed: (sentence: string) => void
  #seq = 0
  #isClosed = false

  constructor({ leg, journal, clock, onProviderFailed = () => {} }: CallRecordOptions) {
    this.#onProviderFailed = onProviderFailed
    this.#leg = leg
    this.#journal = journal
    this.#clock = clock
    this.#startedAtMs = clock.now()
  }

  write(entry: CallEventEntry, atMs: number = this.#clock.now()): void {
    if (!this.#isClosed) this.#journal.append(entry, atMs)
  }

  /** Nothing is written any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Whole milliseconds since the beginning of the call. */
  sinceStart(timeMs: number): number {
    return Math.max(0, Math.round(timeMs - this.#startedAtMs))
  }

  placeWord({ word, startMs, endMs }: { word: string; startMs: number; endMs: number }) {
    return { word, startMs: this.sinceStart(startMs), endMs: this.sinceStart(endMs) }
  }

  tell(message: NumberedMessage): void {
    this.#seq += 1
    this.#leg.tell({ ...message, seq: this.#seq } as ServerMessage)
  }

  tellState(message: Extract<ServerMessage, { type: 'state' | 'ended' }>): void {
    this.#leg.tell(message)
  }

  caption(caption: Omit<Extract<ServerMessage, { type: 'caption' }>, 'type' | 'seq'>): void {
    this.tell({ type: 'caption', ...caption })
  }

  warn(code: string, message: string): void {
    this.write({ type: 'warning', code, message })
  }

  /** A provider of speech failed; what stands in for it is told apart. */
  providerFailed(part: 'recogniser' | 'voice', model: string, { kind, message }: SpeechFailure): void {
    const sentence = `${model} (${kind}): ${message}`
    this.warn(`${part}-failed`, sentence)
    this.#onProviderFailed(sentence)
  }

  /** What the engine did, as far as it is no speech. */
  dialogue(generation: Generation, event: DialogueEvent): void {
    const turnId = generation.times?.turnId ?? null
    switch (event.type) {
      case 'message-end':
        for (const { id, name, argumentsText } of event.toolCalls) {
          this.write({ type: 'tool-call', turnId, toolCallId: id, name, arguments: argumentsText })
          this.tell({ type: 'tool', name, phase: 'started' })
        }
        return
      case 'tool-result': {
        const { toolCallId, name, fullContent, ok, durationMs } = event
        this.write({ type: 'tool-result', turnId, toolCallId, name, content: fullContent, successful: ok, durationMs })
        this.tell({ type: 'tool', name, phase: 'ended' })
        return
      }
      case 'node-transition':
        this.write({
          type: 'node-transition',
          turnId,
          fromNodeId: event.from?.nodeId ?? null,
          fromNodeName: event.from?.nodeName ?? '',
          fromPath: [...(event.from?.path ?? [])],
          toNodeId: event.to.nodeId,
          toNodeName: event.to.nodeName,
          toPath: [...event.to.path],
          transitionType: event.transitionType,
        })
        this.tell({ type: 'node-transition', ...event.to })
        return
      case 'state-transition':
        this.write({ type: 'state-transition', turnId, from: event.from, to: event.to })
        return
      case 'variables-collected':
        this.write({ type: 'variables', variables: { ...event.variables } })
        return
      case 'usage':
        this.#usage(event)
        return
      case 'action':
        this.#action(event.action)
        return
      default:
        return
    }
  }

  /** The agent's first sound in answer to a turn has left. */
  answered(times: TurnTimes): void {
    const latency = turnLatency(times)
    // The same figures under the name of the live protocol.
    if (latency !== null) this.tell({ type: 'latency', turnId: times.turnId, latency: latency satisfies TurnLatency })
  }

  /** Nothing more happens in a turn. */
  turn(times: TurnTimes): void {
    if (times.isTold) return
    times.isTold = true
    const { turnId, decisions } = times
    this.write({
      type: 'turn',
      turnId,
      latency: turnLatency(times),
      decisions: decisions.flat().map((decision) => ({ ...decision })),
    })
  }

  #usage({ model, usage }: Extract<DialogueEvent, { type: 'usage' }>): void {
    const { inputTokens, outputTokens, cachedInputTokens } = usage
    const amounts = [
      ['input-token', inputTokens - cachedInputTokens],
      ['cached-input-token', cachedInputTokens],
      ['output-token', outputTokens],
    ] as const
    for (const [unit, quantity] of amounts) {
      if (quantity > 0) this.write({ type: 'usage', product: 'llm', model, quantity, unit })
    }
  }

  #action(action: Extract<DialogueEvent, { type: 'action' }>['action']): void {
    if (action.type === 'agent-swap') this.write({ type: 'agent-swap', ...action.agent, ...action.settings })
    if (action.type !== 'send-sms') return
    const { message, outcome } = action
    this.write({ type: 'sms', content: message.text, status: outcome.status, reason: outcome.reason })
  }
}
