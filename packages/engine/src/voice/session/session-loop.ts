import type { Clock, JsonObject } from '../../ports.ts'
import type { LegEvents } from '../ports.ts'
import type { VoiceEffect } from '../turn-machine/effects.ts'
import type { EndReason, VoiceEvent } from '../turn-machine/events.ts'
import type { TurnSettings } from '../turn-machine/settings.ts'
import { AnswerTimes } from './answer-times.ts'
import { CallHistory } from './call-history.ts'
import { CallRecord } from './call-record.ts'
import { CallTimers } from './call-timers.ts'
import { CallerTurns } from './caller-turns.ts'
import { Generations } from './generations.ts'
import { HeldConversation } from './held-conversation.ts'
import { Listening } from './listening.ts'
import type { CallOutcome, SpokenAgent, VoiceSessionOptions } from './session-ports.ts'
import { Talking } from './talking.ts'
import { createTurnTimes } from './turn-clock.ts'

/** Decides about turns: purely, from what happened. */
export interface TurnMachine<State> {
  initialState(settings: TurnSettings, nowMs: number): State
  advance(
    state: State,
    event: VoiceEvent,
    nowMs: number,
  ): { readonly state: State; readonly effects: readonly VoiceEffect[] }
}

type Performers = {
  readonly [Type in VoiceEffect['type']]: (effect: Extract<VoiceEffect, { type: Type }>) => void
}

/** What was sent last may still be on its way when the agent hangs up. */
const LAST_SOUND_MS = 300

/** The inbox of a call and its one loop: everything that happens is an event, and only the effects of events act. */
export class SessionLoop<State> {
  readonly #options: VoiceSessionOptions
  readonly #clock: Clock
  readonly #machine: TurnMachine<State>
  readonly #finish: (outcome: CallOutcome) => void
  readonly #performers: Performers
  readonly #inbox: VoiceEvent[] = []
  readonly #startedAtMs: number
  readonly #record: CallRecord
  readonly #history: CallHistory
  readonly #held: HeldConversation
  readonly #timers: CallTimers
  readonly #times: AnswerTimes
  readonly #generations: Generations
  readonly #callerTurns = new CallerTurns()
  readonly #listening: Listening
  readonly #talking: Talking
  /** Sends what is due. */
  readonly pump = this.#whileLive((nowMs: number) => this.#talking.line.pump(nowMs))
  #state: State
  #isRunning = false
  #isOver = false
  #utteranceCount = 0

  constructor(options: VoiceSessionOptions, machine: TurnMachine<State>, finish: (outcome: CallOutcome) => void) {
    const { clock } = options.dialogue
    this.#options = options
    this.#clock = clock
    this.#machine = machine
    this.#finish = finish
    this.#startedAtMs = clock.now()
    this.#performers = this.#createPerformers()
    this.#record = new CallRecord({ ...options, clock })
    this.#history = new CallHistory((utteranceId) => this.#talking.heard(utteranceId))
    this.#held = new HeldConversation({ ...options, clock, onChange: (to, from) => this.#become(to, from) })
    this.#timers = new CallTimers(clock, (name) => this.post({ type: 'timer', name }))
    this.#times = new AnswerTimes(clock, this.#record, (id) => this.#generations.get(id)?.times ?? null)
    this.#generations = this.#createGenerations()
    this.#listening = this.#createListening()
    this.#talking = this.#createTalking()
    this.#talking.become(options.agent.speaking)
    this.#state = machine.initialState(this.#settings(), this.#startedAtMs)
  }

  start(): void {
    this.#record.write({ type: 'call-started' })
    this.#options.leg.listen(this.#legEvents())
    this.post({ type: 'joined', opening: this.#options.opening })
    // Whoever calls may be gone by now.
    if (!this.#isOver) this.#listening.open()
  }

  inject(text: string, respond: boolean): void {
    if (this.#isOver) return
    this.#history.addSystem(text)
    this.#record.write({ type: 'injected', content: text })
    this.post({ type: 'inject', respond })
  }

  transcript(): readonly JsonObject[] {
    return this.#history.transcript()
  }

  /** Puts an event into the inbox; those that wait are handled in their order, one at a time. */
  post(event: VoiceEvent): void {
    if (this.#isOver) return
    this.#inbox.push(event)
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (let next = this.#inbox.shift(); next !== undefined && !this.#isOver; next = this.#inbox.shift()) {
        const { state, effects } = this.#machine.advance(this.#state, next, this.#clock.now())
        this.#state = state
        for (const effect of effects) this.#perform(effect)
      }
    } catch (error) {
      this.#breakDown(error)
    } finally {
      this.#isRunning = false
    }
  }

  /** One call's fault must not reach the wheel or the line that others share. */
  #whileLive<Given extends readonly unknown[]>(act: (...given: Given) => void): (...given: Given) => void {
    return (...given) => {
      if (this.#isOver) return
      try {
        act(...given)
      } catch (error) {
        this.#breakDown(error)
      }
    }
  }

  /** A call that nobody steers must not stay open. */
  #breakDown(error: unknown): void {
    this.#options.onFault(error)
    this.#record.warn('internal-error', 'The call was ended because of a fault of the server.')
    this.#end('error_unknown')
  }

  #perform(effect: VoiceEffect): void {
    if (this.#isOver) return
    // The table pairs each type with its performer; the compiler cannot follow that through an index.
    const perform = this.#performers[effect.type] as (effect: VoiceEffect) => void
    perform(effect)
  }

  #createPerformers(): Performers {
    return {
      'start-generation': ({ generation: id, input, speculative, attempt }) => {
        this.#talking.flush()
        this.#generations.start({ id, input, speculative, attempt })
      },
      'commit-generation': ({ generation }) => this.#generations.commit(generation),
      'cancel-generation': ({ generation }) => this.#generations.cancel(generation),
      'commit-user-turn': (effect) => this.#commitUserTurn(effect),
      'commit-agent-turn': ({ interrupted }) => this.#talking.commit(interrupted),
      speak: (effect) => this.#talking.speak(effect, this.#held.agent.speaking),
      'speak-otherwise': ({ utteranceId }) => this.#talking.speakOtherwise(utteranceId),
      'pause-playout': () => this.#talking.line.pause(),
      'resume-playout': () => this.#talking.line.resume(),
      'clear-playout': () => this.#talking.clear(),
      'typing-sound': ({ on }) => this.#talking.setTyping(on),
      'set-timer': ({ name, atMs }) => this.#timers.set(name, atMs),
      'clear-timer': ({ name }) => this.#timers.clear(name),
      activity: ({ agent, user }) => this.#record.notify({ type: 'activity', agent, user }),
      note: ({ code, message }) => {
        this.#record.warn(code, message)
        if (code === 'backchannel') this.#passOver()
      },
      end: ({ reason }) => this.#end(reason),
    }
  }

  #legEvents(): LegEvents {
    return {
      frame: this.#whileLive((frame, startSample) => this.#listening.frame(frame, startSample)),
      played: this.#whileLive((playedSamples, capturedSamples) => this.#talking.played(playedSamples, capturedSamples)),
      dtmf: this.#whileLive((digit) => {
        this.#record.write({ type: 'dtmf', digit })
        this.post({ type: 'dtmf', digit })
      }),
      recognised: this.#whileLive((event) => this.#listening.recognised(event)),
      recognitionFailed: this.#whileLive(() => this.#listening.recognitionFailed()),
      typed: (text) => this.post({ type: 'typed', text }),
      lost: this.#whileLive(() => {
        this.#talking.line.lose()
        this.post({ type: 'line-lost' })
      }),
      restored: this.#whileLive(() => {
        this.#talking.line.restore()
        this.post({ type: 'line-restored' })
      }),
      hungUp: () => this.post({ type: 'hang-up' }),
      closed: () => undefined,
    }
  }

  #createGenerations(): Generations {
    return new Generations({
      dialogue: this.#options.dialogue,
      history: this.#history,
      held: this.#held,
      post: (event) => this.post(event),
      onFault: this.#options.onFault,
      observer: {
        take: (generation, event) => this.#record.dialogue(generation, event),
        committed: (generation) => this.#times.committed(generation),
        firstText: (generation) => this.#times.written(generation, 'firstTextAtMs'),
        firstClause: (generation) => this.#times.written(generation, 'firstClauseAtMs'),
      },
      hasRoom: () => this.#talking.hasRoom,
      makeUtteranceId: () => this.#nextId(),
      language: () => this.#held.agent.speaking.language,
      settings: () => this.#settings(),
    })
  }

  #createListening(): Listening {
    return new Listening({
      ...this.#options,
      clock: this.#clock,
      record: this.#record,
      turns: this.#callerTurns,
      post: (event) => this.post(event),
      expects: () => ({ language: this.#held.agent.speaking.language, keywords: this.#held.agent.keywords }),
      playedDb: () => this.#talking.line.playedDb,
      onReplaced: () => this.post({ type: 'settings', settings: this.#settings() }),
    })
  }

  #createTalking(): Talking {
    return new Talking({
      ...this.#options,
      clock: this.#clock,
      record: this.#record,
      history: this.#history,
      generations: this.#generations,
      times: this.#times,
      callerClock: this.#listening.callerClock,
      post: (event) => this.post(event),
    })
  }

  #commitUserTurn(turn: Extract<VoiceEffect, { type: 'commit-user-turn' }>): void {
    const { text, source, firstVoiceAtMs, lastVoiceAtMs, endOfTurnMs } = turn
    this.#talking.flush()
    const id = this.#callerTurns.captionId
    const { words, finalTextAtMs } = this.#callerTurns.take()
    const turnId = this.#options.dialogue.makeId('turn')
    const committedAtMs = this.#clock.now()
    this.#times.beginTurn(createTurnTimes({ turnId, lastVoiceAtMs, endOfTurnMs, committedAtMs, finalTextAtMs }))
    this.#history.addUser(text)
    const record = this.#record
    record.write({
      type: 'user-message',
      turnId,
      content: text,
      source,
      startMs: record.sinceStart(firstVoiceAtMs),
      endMs: record.sinceStart(lastVoiceAtMs),
      words: words.map((word) => record.placeWord({ ...word, word: word.text })),
    })
    record.caption({ id, role: 'user', text, final: true, interrupted: false })
  }

  #become(to: SpokenAgent, from: SpokenAgent): void {
    this.#talking.become(to.speaking)
    const { agentName, speaking } = to
    if (to.agentId !== from.agentId)
      this.#record.notify({ type: 'agent-change', agentName, language: speaking.language })
    const isExpected =
      to.speaking.language === from.speaking.language && to.keywords.join('\n') === from.keywords.join('\n')
    if (!isExpected) this.#listening.expectOtherwise()
  }

  /** What the caller said is no turn: it stays on the screen and is not told with what follows. */
  #passOver(): void {
    const { captionId: id, text } = this.#callerTurns
    this.#callerTurns.take()
    if (text !== '') this.#record.caption({ id, role: 'user', text, final: true, interrupted: false })
  }

  #settings(): TurnSettings {
    const { turns } = this.#held.agent
    const recogniserP99Ms = this.#listening.recogniserP99Ms ?? turns.recogniserP99Ms
    return { ...turns, recogniserP99Ms, cancelsEcho: this.#options.leg.capabilities.cancelsEcho }
  }

  #nextId(): string {
    this.#utteranceCount += 1
    return `said-${this.#utteranceCount}`
  }

  #end(reason: EndReason): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#inbox.length = 0
    this.#timers.clearAll()
    this.#talking.close()
    this.#generations.close()
    this.#held.close()
    this.#listening.close()
    this.#times.close()
    this.#record.close()
    this.#record.notify({ type: 'end', reason })
    this.#options.leg.close(reason === 'user_hangup' ? 0 : LAST_SOUND_MS)
    const { state } = this.#held
    this.#finish({ reason, state, startedAtMs: this.#startedAtMs, endedAtMs: this.#clock.now() })
  }
}
