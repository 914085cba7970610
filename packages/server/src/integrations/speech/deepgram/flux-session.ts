import type {
  RecognitionHints,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberSession,
} from '@parley/engine/voice/ports'
import { buildSocketUrl } from '../vendor-socket.ts'
import { toErrorFailure } from './deepgram-wire.ts'
import { FluxConfiguration, type FluxSettings, toFluxParameters } from './flux-configuration.ts'
import { ListenConnection, type ListenTarget } from './listen-connection.ts'
import { type FluxTurnInfo, readTurnInfo, toTimedWords } from './transcript-parts.ts'

/** The vendor recommends messages of 80 ms and processes audio in steps of this length. */
const FRAMES_PER_MESSAGE = 4
/** Time without audio after which silence is sent during a turn. Without audio, no turn would end. */
const TURN_SILENCE_MS = 500
/** Time without messages after which silence is sent between turns. The protocol has no other way to keep a connection. */
const KEEP_ALIVE_MS = 4_000
/** Three messages. */
const SILENCE_STEP_MS = 240
/** Audio before a turn that is kept for another connection. */
const PRE_ROLL_SECONDS = 1
interface Turn {
  readonly id: string
  /** The vendor's number, or null after a reconnection. */
  index: number | null
  latestInfo: FluxTurnInfo
  emittedText: string
  isEmittedStable: boolean
}

/** A stream to a Flux model, which detects the end of turns. Every message contains the text of the whole turn. */
export class FluxSession implements TranscriberSession {
  readonly #session: TranscriberOptions
  readonly #configuration: FluxConfiguration
  readonly #connection: ListenConnection
  #turn: Turn | null = null
  #turnCount = 0
  /** The vendor's number of the last ended turn of this connection. */
  #endedIndex = -1
  #isClosed = false

  constructor(target: ListenTarget, session: TranscriberOptions) {
    this.#session = session
    const configuration = new FluxConfiguration({
      model: target.model,
      hints: session,
      clock: target.clock,
      send: (message) => this.#connection.sendCommand(message),
    })
    this.#configuration = configuration
    this.#connection = new ListenConnection({
      ...target,
      getUrl: () => buildFluxUrl(target, session.rateHz, configuration.startConnection()),
      rateHz: session.rateHz,
      framesPerMessage: FRAMES_PER_MESSAGE,
      onMessage: (message, offsetSeconds) => this.#handleMessage(message, offsetSeconds),
      onOpen: () => configuration.sendChange(),
      onReconnect: () => this.#prepareReconnect(),
      onIdleCheck: (...idleTimes) => {
        configuration.sendChange()
        this.#sendSilence(...idleTimes)
      },
      onFailed: (failure) => this.#emit({ type: 'failed', failure }),
    })
  }

  push(frame: Int16Array): void {
    if (!this.#isClosed) this.#connection.push(frame)
  }

  voiceStarted(): void {
    if (!this.#isClosed) this.#connection.voiceStarted()
  }

  voiceEnded(): void {
    if (!this.#isClosed) this.#connection.voiceEnded()
  }

  changeHints(hints: RecognitionHints): void {
    if (!this.#isClosed) this.#configuration.changeHints(hints)
  }

  close(): void {
    this.#isClosed = true
    this.#connection.close()
  }

  #sendSilence(sinceAudioMs: number, sinceSendMs: number): void {
    const isMissingAudio = this.#turn !== null && sinceAudioMs >= TURN_SILENCE_MS
    if (isMissingAudio || sinceSendMs >= KEEP_ALIVE_MS) this.#connection.pushSilence(SILENCE_STEP_MS)
  }

  #handleMessage(message: Readonly<Record<string, unknown>>, offsetSeconds: number): void {
    if (message.type === 'Error') {
      // The vendor documents errors as fatal.
      this.#connection.abandon(toErrorFailure(message))
      return
    }
    if (message.type === 'ConfigureSuccess' || message.type === 'ConfigureFailure') this.#configuration.handleAnswer()
    const info = message.type === 'TurnInfo' ? readTurnInfo(message, offsetSeconds) : null
    if (info !== null && info.turnIndex > this.#endedIndex) this.#handleTurnInfo(info)
  }

  #handleTurnInfo(info: FluxTurnInfo): void {
    const { event, turnIndex, text } = info
    if (this.#turn !== null && (this.#turn.index ?? turnIndex) !== turnIndex) this.#endTurn(this.#turn, null)
    if (this.#turn === null && (text !== '' || event !== 'Update')) this.#turn = this.#startTurn(info)
    const turn = this.#turn
    if (turn === null) {
      if (info.endSeconds !== null) this.#connection.confirmUntil(info.endSeconds - PRE_ROLL_SECONDS)
      return
    }
    turn.index = turnIndex
    turn.latestInfo = info
    if (event === 'EndOfTurn') {
      this.#endedIndex = turnIndex
      this.#endTurn(turn, info.endOfTurn)
    } else this.#emitInterim(turn, event === 'EagerEndOfTurn')
  }

  #startTurn(info: FluxTurnInfo): Turn {
    this.#turnCount += 1
    const id = `turn-${this.#turnCount}`
    return { id, index: info.turnIndex, latestInfo: info, emittedText: '', isEmittedStable: false }
  }

  #emitInterim(turn: Turn, stable: boolean): void {
    const { text } = turn.latestInfo
    // Another connection starts the turn again, without words.
    if (text === '' && turn.emittedText !== '') return
    if (text === turn.emittedText && stable === turn.isEmittedStable) return
    turn.emittedText = text
    turn.isEmittedStable = stable
    this.#emit({ type: 'interim', utteranceId: turn.id, text, stable })
  }

  #endTurn({ id, latestInfo }: Turn, endOfTurn: number | null): void {
    this.#turn = null
    const { text, words, endSeconds } = latestInfo
    if (endSeconds !== null) this.#connection.confirmUntil(endSeconds)
    this.#emit({ type: 'final', utteranceId: id, text, endOfTurn, words: toTimedWords(words) })
  }

  /** The next connection transcribes the whole turn again, unless its start is no longer available. */
  #prepareReconnect(): void {
    this.#endedIndex = -1
    const turn = this.#turn
    if (turn === null) return
    turn.index = null
    if (this.#connection.hasLostAudio) this.#endTurn(turn, null)
  }

  /** Emits an event asynchronously, so that no method calls the listener synchronously. */
  #emit(event: TranscriberEvent): void {
    queueMicrotask(() => {
      if (this.#isClosed) return
      if (event.type === 'failed') this.close()
      this.#session.onEvent(event)
    })
  }
}

function buildFluxUrl({ baseUrl, model }: ListenTarget, rateHz: number, settings: FluxSettings): URL {
  return buildSocketUrl(baseUrl, '/v2/listen', {
    model,
    encoding: 'linear16',
    sample_rate: rateHz,
    mip_opt_out: true,
    ...toFluxParameters(settings),
  })
}
