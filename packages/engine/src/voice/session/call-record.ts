import type { CallEventEntry } from '@parley/contract/call-event'
import type { DialogueEvent } from '../../dialogue/conversation.ts'
import type { Clock } from '../../ports.ts'
import type { CallObserver, CallUpdate, SpeechFailure } from '../ports.ts'
import { computeTurnLatency, type Generation, type TurnTimes } from './generation.ts'
import type { CallJournal, VoiceSessionOptions } from './session-ports.ts'

interface CallRecordOptions extends Pick<VoiceSessionOptions, 'observer' | 'journal' | 'onVendorFailed'> {
  readonly clock: Clock
}

/** Records a call's events and notifies its observer. */
export class CallRecord {
  readonly #observer: CallObserver | null
  readonly #journal: CallJournal
  readonly #clock: Clock
  readonly #startedAtMs: number
  readonly #onVendorFailed: (sentence: string) => void
  #isClosed = false

  constructor({ observer, journal, clock, onVendorFailed = () => {} }: CallRecordOptions) {
    this.#onVendorFailed = onVendorFailed
    this.#observer = observer
    this.#journal = journal
    this.#clock = clock
    this.#startedAtMs = clock.now()
  }

  write(entry: CallEventEntry, atMs: number = this.#clock.now()): void {
    if (!this.#isClosed) this.#journal.append(entry, atMs)
  }

  /** Stops recording. */
  close(): void {
    this.#isClosed = true
  }

  /** Returns the time since the start of the call in whole milliseconds. */
  getTimeSinceStart(timeMs: number): number {
    return Math.max(0, Math.round(timeMs - this.#startedAtMs))
  }

  toCallWord({ word, startMs, endMs }: { word: string; startMs: number; endMs: number }) {
    return { word, startMs: this.getTimeSinceStart(startMs), endMs: this.getTimeSinceStart(endMs) }
  }

  notify(update: CallUpdate): void {
    this.#observer?.notify(update)
  }

  sendCaption(caption: Omit<Extract<CallUpdate, { type: 'caption' }>, 'type'>): void {
    this.notify({ type: 'caption', ...caption })
  }

  warn(code: string, message: string): void {
    this.write({ type: 'warning', code, message })
  }

  /** Records a speech vendor's failure. */
  recordVendorFailure(
    code: 'recogniser-failed' | 'voice-failed',
    model: string,
    { kind, message }: SpeechFailure,
  ): void {
    const sentence = `${model} (${kind}): ${message}`
    this.warn(code, sentence)
    this.#onVendorFailed(sentence)
  }

  /** Records the dialogue engine's events other than speech. */
  recordDialogueEvent(generation: Generation, event: DialogueEvent): void {
    const turnId = generation.times?.turnId ?? null
    switch (event.type) {
      case 'message-end':
        for (const { id, name, argumentsText } of event.toolCalls) {
          this.write({ type: 'tool-call', turnId, toolCallId: id, name, arguments: argumentsText })
          this.notify({ type: 'tool-start', name })
        }
        return
      case 'tool-result': {
        const { toolCallId, name, fullContent, ok, durationMs } = event
        this.write({ type: 'tool-result', turnId, toolCallId, name, content: fullContent, successful: ok, durationMs })
        this.notify({ type: 'tool-end', name })
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
        this.notify({ type: 'node-transition', ...event.to })
        return
      case 'state-transition':
        this.write({ type: 'state-transition', turnId, from: event.from, to: event.to })
        return
      case 'variables-collected':
        this.write({ type: 'variables', variables: { ...event.variables } })
        return
      case 'usage':
        this.#recordUsage(event)
        return
      case 'action':
        this.#recordAction(event.action)
        return
      default:
        return
    }
  }

  /** Records that an answer's first audio was sent. */
  recordAnswer(times: TurnTimes): void {
    const latency = computeTurnLatency(times)
    if (latency !== null) this.notify({ type: 'turn-latency', turnId: times.turnId, latency })
  }

  /** Records a finished turn. */
  recordTurn(times: TurnTimes): void {
    if (times.isRecorded) return
    times.isRecorded = true
    const { turnId, decisions } = times
    this.write({
      type: 'turn',
      turnId,
      latency: computeTurnLatency(times),
      decisions: decisions.flat().map((decision) => ({ ...decision })),
    })
  }

  #recordUsage({ model, usage }: Extract<DialogueEvent, { type: 'usage' }>): void {
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

  #recordAction(action: Extract<DialogueEvent, { type: 'action' }>['action']): void {
    if (action.type === 'agent-swap') this.write({ type: 'agent-swap', ...action.agent, ...action.settings })
    if (action.type !== 'send-sms') return
    const { message, outcome } = action
    this.write({ type: 'sms', content: message.text, status: outcome.status, reason: outcome.reason })
  }
}
