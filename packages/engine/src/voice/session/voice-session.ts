import type { Clock, JsonObject } from '../../ports.ts'
import type { LegEvents } from '../ports.ts'
import { advance } from '../turn-machine/advance.ts'
import type { EndReason, TimerName, VoiceEffect, VoiceEvent } from '../turn-machine/events.ts'
import type { TurnSettings } from '../turn-machine/settings.ts'
import { createInitialState } from '../turn-machine/state.ts'
import { ActiveConversation } from './active-conversation.ts'
import { CallHistory } from './call-history.ts'
import { CallRecord } from './call-record.ts'
import { createTurnTimes } from './generation.ts'
import { Generations } from './generations.ts'
import { LatencyTracker } from './latency-tracker.ts'
import type { CallOutcome, VoiceAgent, VoiceSession, VoiceSessionOptions } from './session-ports.ts'
import { CallerTurns, SpeechInput } from './speech-input.ts'
import { SpeechOutput } from './speech-output.ts'

/** Creates a call over one leg. Call `start` to run it. */
export function createVoiceSession(options: VoiceSessionOptions): VoiceSession {
  return openVoiceSession(options, { createInitialState, advance })
}

/** Creates a call like `createVoiceSession`, but with a different turn machine. */
export function openVoiceSession<State>(options: VoiceSessionOptions, machine: TurnMachine<State>): VoiceSession {
  let finish: (outcome: CallOutcome) => void = () => {}
  const ended = new Promise<CallOutcome>((resolve) => {
    finish = resolve
  })
  const loop = new SessionLoop(options, machine, finish)
  return {
    start: () => loop.start(),
    pump: (nowMs) => loop.pump(nowMs),
    say: (text, interruptible) => loop.post({ type: 'say', text, interruptible }),
    inject: (text, respond) => loop.inject(text, respond),
    end: (reason, drain) => loop.post({ type: 'end-requested', reason, drain }),
    ended,
    getTranscript: () => loop.getTranscript(),
  }
}

/** Makes turn decisions as a pure function of events. */
export interface TurnMachine<State> {
  createInitialState(settings: TurnSettings, nowMs: number): State
  advance(
    state: State,
    event: VoiceEvent,
    nowMs: number,
  ): { readonly state: State; readonly effects: readonly VoiceEffect[] }
}

type EffectHandlers = {
  readonly [Type in VoiceEffect['type']]: (effect: Extract<VoiceEffect, { type: Type }>) => void
}

/** Time for which recently sent audio may still be in flight when the agent hangs up. */
const FINAL_AUDIO_MS = 300

/** A call's event queue and loop. All input arrives as events, and only their effects change anything outside. */
export class SessionLoop<State> {
  readonly #options: VoiceSessionOptions
  readonly #clock: Clock
  readonly #machine: TurnMachine<State>
  readonly #finish: (outcome: CallOutcome) => void
  readonly #effectHandlers: EffectHandlers
  readonly #inbox: VoiceEvent[] = []
  readonly #startedAtMs: number
  readonly #record: CallRecord
  readonly #history: CallHistory
  readonly #activeConversation: ActiveConversation
  readonly #timers: CallTimers
  readonly #latencyTracker: LatencyTracker
  readonly #generations: Generations
  readonly #callerTurns = new CallerTurns()
  readonly #speechInput: SpeechInput
  readonly #speechOutput: SpeechOutput
  /** Sends due audio. */
  readonly pump = this.#guard((nowMs: number) => this.#speechOutput.audioOutput.pump(nowMs))
  #state: State
  #isRunning = false
  #isEnded = false
  #utteranceCount = 0

  constructor(options: VoiceSessionOptions, machine: TurnMachine<State>, finish: (outcome: CallOutcome) => void) {
    const { clock } = options.dialogue
    this.#options = options
    this.#clock = clock
    this.#machine = machine
    this.#finish = finish
    this.#startedAtMs = clock.now()
    this.#effectHandlers = this.#createEffectHandlers()
    this.#record = new CallRecord({ ...options, clock })
    this.#history = new CallHistory((utteranceId) => this.#speechOutput.getHeard(utteranceId))
    this.#activeConversation = new ActiveConversation({
      ...options,
      clock,
      onChange: (agent, previousAgent) => this.#applySettings(agent, previousAgent),
    })
    this.#timers = new CallTimers(clock, (name) => this.post({ type: 'timer', name }))
    this.#latencyTracker = new LatencyTracker(clock, this.#record, (id) => this.#generations.get(id)?.times ?? null)
    this.#generations = this.#createGenerations()
    this.#speechInput = this.#createSpeechInput()
    this.#speechOutput = this.#createSpeechOutput()
    this.#speechOutput.applySettings(options.agent.speaking)
    this.#state = machine.createInitialState(this.#buildTurnSettings(), this.#startedAtMs)
  }

  start(): void {
    this.#record.write({ type: 'call-started' })
    this.#options.leg.listen(this.#createLegEvents())
    this.post({ type: 'joined', opening: this.#options.opening })
    // The caller may have hung up already.
    if (!this.#isEnded) this.#speechInput.open()
  }

  inject(text: string, respond: boolean): void {
    if (this.#isEnded) return
    this.#history.addSystem(text)
    this.#record.write({ type: 'injected', content: text })
    this.post({ type: 'inject', respond })
  }

  getTranscript(): readonly JsonObject[] {
    return this.#history.getTranscript()
  }

  /** Queues an event. Events are handled in order, one at a time. */
  post(event: VoiceEvent): void {
    if (this.#isEnded) return
    this.#inbox.push(event)
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (
        let nextEvent = this.#inbox.shift();
        nextEvent !== undefined && !this.#isEnded;
        nextEvent = this.#inbox.shift()
      ) {
        const { state, effects } = this.#machine.advance(this.#state, nextEvent, this.#clock.now())
        this.#state = state
        for (const effect of effects) this.#perform(effect)
      }
    } catch (error) {
      this.#handleFault(error)
    } finally {
      this.#isRunning = false
    }
  }

  /** Wraps a handler so that it does nothing after the end and its errors do not affect other calls. */
  #guard<Args extends readonly unknown[]>(handler: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      if (this.#isEnded) return
      try {
        handler(...args)
      } catch (error) {
        this.#handleFault(error)
      }
    }
  }

  /** Ends a call with a broken loop, so that it does not stay open. */
  #handleFault(error: unknown): void {
    this.#options.onFault(error)
    this.#record.warn('internal-error', 'The call ended because of an internal error.')
    this.#end('error_unknown')
  }

  #perform(effect: VoiceEffect): void {
    if (this.#isEnded) return
    // The table maps each effect type to its handler, but TypeScript cannot infer this from an index access.
    const handleEffect = this.#effectHandlers[effect.type] as (effect: VoiceEffect) => void
    handleEffect(effect)
  }

  #createEffectHandlers(): EffectHandlers {
    return {
      'start-generation': ({ generation: id, input, speculative, attempt }) => {
        this.#speechOutput.flush()
        this.#generations.start({ id, input, speculative, attempt })
      },
      'commit-generation': ({ generation }) => this.#generations.commit(generation),
      'cancel-generation': ({ generation }) => this.#generations.cancel(generation),
      'estimate-turn-end': (pause) => this.#speechInput.estimateTurnEnd(pause),
      'commit-user-turn': (effect) => this.#commitUserTurn(effect),
      'commit-agent-turn': ({ interrupted }) => this.#speechOutput.commit(interrupted),
      speak: (effect) => this.#speechOutput.speak(effect, this.#activeConversation.agent.speaking),
      'switch-voice': ({ utteranceId }) => this.#speechOutput.switchVoice(utteranceId),
      'duck-playout': ({ db }) => this.#speechOutput.audioOutput.duck(db),
      'pause-playout': () => this.#speechOutput.audioOutput.pause(),
      'resume-playout': () => this.#speechOutput.audioOutput.resume(),
      'clear-playout': () => this.#speechOutput.clear(),
      'ignore-transcript': ({ utteranceId }) => this.#callerTurns.ignore(utteranceId),
      'typing-sound': ({ on }) => this.#speechOutput.setTyping(on),
      'set-timer': ({ name, atMs }) => this.#timers.set(name, atMs),
      'clear-timer': ({ name }) => this.#timers.clear(name),
      activity: ({ agent, user }) => this.#record.notify({ type: 'activity', agent, user }),
      note: ({ code, message }) => {
        this.#record.warn(code, message)
        if (code === 'backchannel') this.#discardCallerTurn()
      },
      end: ({ reason }) => this.#end(reason),
    }
  }

  #createLegEvents(): LegEvents {
    return {
      frame: this.#guard((frame, startSample) => this.#speechInput.handleFrame(frame, startSample)),
      played: this.#guard((playedSamples, capturedSamples) =>
        this.#speechOutput.handlePlaybackReport(playedSamples, capturedSamples),
      ),
      dtmf: this.#guard((digit) => {
        this.#record.write({ type: 'dtmf', digit })
        this.post({ type: 'dtmf', digit })
      }),
      recognized: this.#guard((event) => this.#speechInput.handleRecognized(event)),
      recognitionFailed: this.#guard(() => this.#speechInput.handleRecognitionFailed()),
      typed: (text) => this.post({ type: 'typed', text }),
      lost: this.#guard(() => {
        this.#speechOutput.audioOutput.suspend()
        this.post({ type: 'connection-lost' })
      }),
      restored: this.#guard(() => {
        this.#speechOutput.audioOutput.restore()
        this.post({ type: 'connection-restored' })
      }),
      hungUp: () => this.post({ type: 'hang-up' }),
      closed: () => undefined,
    }
  }

  #createGenerations(): Generations {
    return new Generations({
      dialogue: this.#options.dialogue,
      history: this.#history,
      activeConversation: this.#activeConversation,
      post: (event) => this.post(event),
      onFault: this.#options.onFault,
      observer: {
        onEvent: (generation, event) => this.#record.recordDialogueEvent(generation, event),
        onCommitted: (generation) => this.#latencyTracker.assignTurn(generation),
        onFirstText: (generation) => this.#latencyTracker.recordModelOutput(generation, 'firstTextAtMs'),
        onFirstClause: (generation) => this.#latencyTracker.recordModelOutput(generation, 'firstClauseAtMs'),
      },
      hasRoom: () => this.#speechOutput.hasRoom,
      makeUtteranceId: () => this.#createId(),
      getLanguage: () => this.#activeConversation.agent.speaking.language,
      getSettings: () => this.#buildTurnSettings(),
    })
  }

  #createSpeechInput(): SpeechInput {
    return new SpeechInput({
      ...this.#options,
      clock: this.#clock,
      record: this.#record,
      turns: this.#callerTurns,
      post: (event) => this.post(event),
      getHints: () => ({
        language: this.#activeConversation.agent.speaking.language,
        keywords: this.#activeConversation.agent.keywords,
        endpointingMs: this.#activeConversation.agent.endpointingMs ?? null,
        transcribers: this.#activeConversation.agent.transcribers ?? [],
      }),
      takePlayedDb: () => this.#speechOutput.audioOutput.takePlayedDb(),
      guard: (handler) => this.#guard(handler),
      onReplaced: () => this.post({ type: 'settings', settings: this.#buildTurnSettings() }),
    })
  }

  #createSpeechOutput(): SpeechOutput {
    return new SpeechOutput({
      ...this.#options,
      clock: this.#clock,
      record: this.#record,
      history: this.#history,
      generations: this.#generations,
      latency: this.#latencyTracker,
      callerClock: this.#speechInput.callerClock,
      post: (event) => this.post(event),
    })
  }

  #commitUserTurn(turn: Extract<VoiceEffect, { type: 'commit-user-turn' }>): void {
    const { text, source, firstVoiceAtMs, lastVoiceAtMs, endOfTurnMs } = turn
    this.#speechOutput.flush()
    if (source === 'speech') this.#speechInput.confirmCaller(lastVoiceAtMs)
    const id = this.#callerTurns.captionId
    const { words, finalTextAtMs } = this.#callerTurns.takeTurn()
    const turnId = this.#options.dialogue.makeId('turn')
    const committedAtMs = this.#clock.now()
    this.#latencyTracker.startTurn(
      createTurnTimes({ turnId, lastVoiceAtMs, endOfTurnMs, committedAtMs, finalTextAtMs }),
    )
    this.#history.addUser(text)
    const record = this.#record
    record.write({
      type: 'user-message',
      turnId,
      content: text,
      source,
      startMs: record.getTimeSinceStart(firstVoiceAtMs),
      endMs: record.getTimeSinceStart(lastVoiceAtMs),
      words: words.map((word) => record.toCallWord({ ...word, word: word.text })),
    })
    record.sendCaption({ id, role: 'user', text, final: true, interrupted: false })
  }

  #applySettings(agent: VoiceAgent, previousAgent: VoiceAgent): void {
    this.#speechOutput.applySettings(agent.speaking)
    const { agentName, speaking } = agent
    if (agent.agentId !== previousAgent.agentId)
      this.#record.notify({ type: 'agent-change', agentName, language: speaking.language })
    this.#speechInput.refreshHints()
  }

  /** Drops a user turn without answering it. The turn's caption stays visible. */
  #discardCallerTurn(): void {
    const { captionId: id, text } = this.#callerTurns
    this.#callerTurns.takeTurn()
    if (text !== '') this.#record.sendCaption({ id, role: 'user', text, final: true, interrupted: false })
  }

  #buildTurnSettings(): TurnSettings {
    const { turns } = this.#activeConversation.agent
    const transcriberP99Ms = this.#speechInput.transcriberP99Ms ?? turns.transcriberP99Ms
    const punctuatesFragments = this.#speechInput.punctuatesFragments
    const transcriberLimitMs = this.#speechInput.transcriberLimitMs ?? transcriberP99Ms
    return { ...turns, transcriberP99Ms, transcriberLimitMs, punctuatesFragments }
  }

  #createId(): string {
    this.#utteranceCount += 1
    return `said-${this.#utteranceCount}`
  }

  #end(reason: EndReason): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#inbox.length = 0
    this.#timers.clearAll()
    this.#speechOutput.close()
    this.#generations.close()
    this.#activeConversation.close()
    this.#speechInput.close()
    this.#latencyTracker.close()
    this.#record.close()
    this.#record.notify({ type: 'end', reason })
    this.#options.leg.close(reason === 'user_hangup' ? 0 : FINAL_AUDIO_MS)
    const { state } = this.#activeConversation
    this.#finish({ reason, state, startedAtMs: this.#startedAtMs, endedAtMs: this.#clock.now() })
  }
}

/** A call's timers, at most one per name. No timer fires early by the call's clock. */
export class CallTimers {
  readonly #clock: Clock
  readonly #onTimer: (name: TimerName) => void
  readonly #cancelByName = new Map<TimerName, () => void>()

  constructor(clock: Clock, onTimer: (name: TimerName) => void) {
    this.#clock = clock
    this.#onTimer = onTimer
  }

  set(name: TimerName, atMs: number): void {
    this.clear(name)
    this.#wait(name, atMs)
  }

  clear(name: TimerName): void {
    this.#cancelByName.get(name)?.()
    this.#cancelByName.delete(name)
  }

  clearAll(): void {
    for (const cancel of this.#cancelByName.values()) cancel()
    this.#cancelByName.clear()
  }

  #wait(name: TimerName, atMs: number): void {
    const cancel = this.#clock.after(Math.ceil(Math.max(0, atMs - this.#clock.now())), () => {
      // System timers use a different clock, which may be ahead of the call's clock.
      if (this.#clock.now() < atMs) {
        this.#wait(name, atMs)
        return
      }
      this.#cancelByName.delete(name)
      this.#onTimer(name)
    })
    this.#cancelByName.set(name, cancel)
  }
}
