import { copyDefaults, toEngineOptions } from '@parley/contract/agent-settings/setting'
import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import { type AdvanceResult, advance } from './advance.ts'
import type { GenerationInput, TimerName, VoiceEffect, VoiceEvent } from './events.ts'
import type { TurnSettings } from './settings.ts'
import { createInitialState, type TurnState } from './state.ts'

/** Default settings of the simulated calls. */
const SETTINGS: TurnSettings = {
  ...toEngineOptions(TURN_SETTINGS, copyDefaults(TURN_SETTINGS)),
  responsivenessFactor: 0.5,
  interruptionAfterMs: 500,
  interruptible: true,
  transcriberP99Ms: 350,
  endCallAfterSilenceMs: 60_000,
  beginAfterUserSilenceMs: null,
  allowDtmf: true,
  dtmf: { digitLimit: null, terminationKey: '#', timeoutMs: 2_000 },
  backchannel: null,
  language: 'en-US',
  agentName: 'Ada',
  fallbackSentence: 'Sorry, please say that again.',
}

export interface TimedEvent {
  readonly afterMs: number
  readonly event: VoiceEvent
}

export interface StartedGeneration {
  readonly id: number
  readonly input: GenerationInput
  readonly speculative: boolean
  readonly attempt: number
}

export interface WorldOptions {
  readonly settings?: Partial<TurnSettings>
  /** Returns the model's events for a generation. Events with side effects wait for the commit. */
  readonly answer?: (generation: StartedGeneration) => readonly TimedEvent[]
  /** Returns an utterance's duration and the delay of its first audio (`null` for never). `attempt` counts voices. */
  readonly voice?: (text: string, attempt: number) => { readonly readyMs: number | null; readonly durationMs: number }
  /** Returns the turn detector's answer for a pause, or `null` for none. The default is no turn detector. */
  readonly detect?: (pauseId: number) => { readonly afterMs: number; readonly probability: number } | null
  /** Called after every step. */
  readonly watch?: (step: WatchedStep) => void
}

export interface WatchedStep extends AdvanceResult {
  readonly event: VoiceEvent
  readonly nowMs: number
  readonly world: World
}

interface EmittedEffect {
  readonly atMs: number
  readonly effect: VoiceEffect
}

interface Scheduled extends Pick<TimedEvent, 'event'> {
  readonly atMs: number
  readonly order: number
  readonly isStillValid: () => boolean
}

interface SimulatedSpeech {
  readonly id: string
  readonly text: string
  readonly generation: number | null
  attempt: number
  isReady: boolean
  remainingMs: number
  startedAtMs: number | null
}

/** Maximum number of steps per call, which detects endless loops. */
const MAX_STEPS = 20_000

/** Simulates models, voices and playback around the turn machine in virtual time. */
export class World {
  readonly timers = new Map<TimerName, number>()
  readonly emitted: EmittedEffect[] = []
  state: TurnState
  nowMs = 0
  steps = 0
  queuedSpeech: SimulatedSpeech[] = []
  isPaused = false
  readonly #voice: NonNullable<WorldOptions['voice']>
  readonly #answer: NonNullable<WorldOptions['answer']>
  readonly #detect: NonNullable<WorldOptions['detect']>
  readonly #watch: WorldOptions['watch']
  readonly #canceledGenerations = new Set<number>()
  readonly #awaitingCommit = new Map<number, readonly TimedEvent[]>()
  #scheduled: Scheduled[] = []
  #order = 0

  constructor({ settings, voice, answer, detect, watch }: WorldOptions = {}) {
    this.#voice = voice ?? (() => ({ readyMs: 100, durationMs: 2_000 }))
    this.#answer = answer ?? (() => [])
    this.#detect = detect ?? (() => null)
    this.#watch = watch
    this.state = createInitialState({ ...SETTINGS, ...settings }, 0)
  }

  schedule(afterMs: number, event: VoiceEvent, isStillValid = () => true): void {
    this.#scheduled.push({ atMs: this.nowMs + afterMs, order: this.#order++, event, isStillValid })
  }

  send(event: VoiceEvent): void {
    this.steps += 1
    if (this.steps > MAX_STEPS)
      throw new Error(`The machine loops endlessly at ${this.nowMs} ms: ${JSON.stringify(event)}`)
    const advanced = advance(this.state, event, this.nowMs)
    this.state = advanced.state
    for (const effect of advanced.effects) {
      this.emitted.push({ atMs: this.nowMs, effect })
      this.#perform(effect)
    }
    this.#watch?.({ ...advanced, event, nowMs: this.nowMs, world: this })
    this.#play()
  }

  #perform(effect: VoiceEffect): void {
    if (effect.type === 'set-timer') this.timers.set(effect.name, effect.atMs)
    else if (effect.type === 'clear-timer') this.timers.delete(effect.name)
    else if (effect.type === 'start-generation') this.#startGeneration(effect.generation, effect)
    else if (effect.type === 'commit-generation') {
      for (const { afterMs, event } of this.#awaitingCommit.get(effect.generation) ?? [])
        this.#scheduleFromModel(effect.generation, afterMs, event)
      this.#awaitingCommit.delete(effect.generation)
    } else if (effect.type === 'cancel-generation') this.#canceledGenerations.add(effect.generation)
    else if (effect.type === 'speak') this.#speak(effect)
    else if (effect.type === 'estimate-turn-end') this.#estimateTurnEnd(effect.pauseId)
    else if (effect.type === 'switch-voice') {
      const speech = this.queuedSpeech.find(({ id }) => id === effect.utteranceId)
      if (speech !== undefined) this.#synthesize(speech, speech.attempt + 1)
    } else if (effect.type === 'clear-playout') {
      this.queuedSpeech = []
      this.isPaused = false
    } else if (effect.type === 'pause-playout') this.#pause()
    else if (effect.type === 'resume-playout') this.isPaused = false
  }

  #startGeneration(id: number, { input, speculative, attempt }: Omit<StartedGeneration, 'id'>): void {
    const script = this.#answer({ id, input, speculative, attempt })
    const firstEffectIndex = script.findIndex(({ event }) => EVENTS_WITH_EFFECTS.has(event.type))
    const immediateCount = speculative && firstEffectIndex !== -1 ? firstEffectIndex : script.length
    for (const { afterMs, event } of script.slice(0, immediateCount)) this.#scheduleFromModel(id, afterMs, event)
    if (immediateCount < script.length) this.#awaitingCommit.set(id, script.slice(immediateCount))
  }

  #estimateTurnEnd(pauseId: number): void {
    const answer = this.#detect(pauseId)
    if (answer === null) return
    this.schedule(answer.afterMs, { type: 'turn-end-estimated', pauseId, probability: answer.probability })
  }

  #scheduleFromModel(id: number, afterMs: number, event: VoiceEvent): void {
    this.schedule(afterMs, event, () => !this.#canceledGenerations.has(id))
  }

  #speak({ utteranceId, text, generation }: Extract<VoiceEffect, { type: 'speak' }>): void {
    const speech = { id: utteranceId, text, generation, attempt: 0, isReady: false, remainingMs: 0, startedAtMs: null }
    this.queuedSpeech.push(speech)
    this.#synthesize(speech, 0)
  }

  #synthesize(speech: SimulatedSpeech, attempt: number): void {
    speech.attempt = attempt
    const { readyMs, durationMs } = this.#voice(speech.text, attempt)
    const isValid = () => this.queuedSpeech.includes(speech) && speech.attempt === attempt
    if (!speech.isReady) speech.remainingMs = durationMs
    if (readyMs === null) return
    this.schedule(readyMs, { type: 'speech-ready', utteranceId: speech.id }, isValid)
    this.schedule(readyMs + 50, { type: 'speech-complete', utteranceId: speech.id }, isValid)
  }

  /** Starts to play the first utterance. */
  #play(): void {
    const firstSpeech = this.queuedSpeech[0]
    if (firstSpeech === undefined || !firstSpeech.isReady || this.isPaused || firstSpeech.startedAtMs !== null) return
    const startedAtMs = this.nowMs
    firstSpeech.startedAtMs = startedAtMs
    this.schedule(
      0,
      { type: 'playout-started', utteranceId: firstSpeech.id },
      () => this.queuedSpeech[0] === firstSpeech,
    )
    const isValid = () => this.queuedSpeech[0] === firstSpeech && firstSpeech.startedAtMs === startedAtMs
    this.schedule(firstSpeech.remainingMs, { type: 'playout-ended', utteranceId: firstSpeech.id }, isValid)
  }

  #pause(): void {
    this.isPaused = true
    const firstSpeech = this.queuedSpeech[0]
    if (firstSpeech === undefined || firstSpeech.startedAtMs === null) return
    firstSpeech.remainingMs = Math.max(0, firstSpeech.remainingMs - (this.nowMs - firstSpeech.startedAtMs))
    firstSpeech.startedAtMs = null
  }

  /** Returns the time of the next event or timer. */
  #getNextTime(): number {
    const events = this.#scheduled.reduce((earliest, { atMs }) => Math.min(earliest, atMs), Number.POSITIVE_INFINITY)
    return [...this.timers.values()].reduce((earliest, atMs) => Math.min(earliest, atMs), events)
  }

  #runNext(): void {
    const dueEvent = this.#scheduled
      .filter(({ atMs }) => atMs <= this.nowMs)
      .sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0]
    if (dueEvent !== undefined) {
      this.#scheduled = this.#scheduled.filter((event) => event !== dueEvent)
      if (!dueEvent.isStillValid()) return
      const { event } = dueEvent
      if (event.type === 'speech-ready') {
        const speech = this.queuedSpeech.find(({ id }) => id === event.utteranceId)
        if (speech !== undefined) speech.isReady = true
      }
      if (event.type === 'playout-ended') this.queuedSpeech.shift()
      this.send(event)
      return
    }
    for (const [name, atMs] of this.timers) {
      if (atMs > this.nowMs) continue
      this.timers.delete(name)
      this.send({ type: 'timer', name })
      return
    }
  }

  /** Advances time to `atMs`. */
  advanceTo(atMs: number): void {
    for (let next = this.#getNextTime(); next <= atMs; next = this.#getNextTime()) {
      this.nowMs = Math.max(this.nowMs, next)
      this.#runNext()
    }
    this.nowMs = Math.max(this.nowMs, atMs)
  }

  advance(durationMs: number): void {
    this.advanceTo(this.nowMs + durationMs)
  }

  /** Simulates caller speech that starts now. The final text arrives `finalMs` after the end. */
  callerSays(text: string, { durationMs = 800, finalMs = 100, id = `u${this.#order++}` } = {}): void {
    this.send({ type: 'voice-started', startedAtMs: this.nowMs - 50, level: 'normal' })
    const middleMs = Math.round(durationMs / 2)
    this.schedule(middleMs, { type: 'transcript', utteranceId: id, text, stage: 'interim', endOfTurn: null })
    this.schedule(durationMs + 200, { type: 'voice-ended', lastVoiceAtMs: this.nowMs + durationMs })
    this.schedule(durationMs + finalMs, { type: 'transcript', utteranceId: id, text, stage: 'final', endOfTurn: null })
  }

  /** Adds voice without words. */
  makeNoise(durationMs: number): void {
    this.send({ type: 'voice-started', startedAtMs: this.nowMs - 50, level: 'normal' })
    this.schedule(durationMs + 200, { type: 'voice-ended', lastVoiceAtMs: this.nowMs + durationMs })
  }

  findEffects<Type extends VoiceEffect['type']>(
    type: Type,
  ): (Extract<VoiceEffect, { type: Type }> & { atMs: number })[] {
    return this.emitted.flatMap(({ atMs, effect }) =>
      effect.type === type ? [{ ...(effect as Extract<VoiceEffect, { type: Type }>), atMs }] : [],
    )
  }

  getEffectTypes() {
    return this.emitted.map(({ effect }) => effect.type)
  }

  getSpokenTexts() {
    return this.emitted.flatMap(({ effect }) => (effect.type === 'speak' ? [effect.text] : []))
  }

  getNoteCodes() {
    return this.emitted.flatMap(({ effect }) => (effect.type === 'note' ? [effect.code] : []))
  }
}

export function createWorld(options: WorldOptions = {}): World {
  return new World(options)
}

const EVENTS_WITH_EFFECTS: ReadonlySet<VoiceEvent['type']> = new Set([
  'tool-started',
  'tool-ended',
  'transition',
  'agent-hang-up',
])

/** Creates a model's events for an answer with these clauses. */
export function createReplyEvents(id: number, clauses: readonly string[], afterMs = 300): TimedEvent[] {
  const clauseEvents = clauses.map((text, index) => ({
    afterMs: afterMs + index * 50,
    event: { type: 'clause', generation: id, utteranceId: `g${id}-${index}`, text } as const,
  }))
  const endEvent = { type: 'generation-ended', generation: id, outcome: 'completed' } as const
  return [...clauseEvents, { afterMs: afterMs + clauses.length * 50, event: endEvent }]
}

/** Creates a call in which the caller speaks first and every turn is answered. */
export function createListeningWorld(options: WorldOptions = {}): World {
  const world = createWorld({ answer: ({ id }) => createReplyEvents(id, ['Fine.']), ...options })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  return world
}
