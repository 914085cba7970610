import { defaultsOf, optionsOf } from '@parley/contract/agent-settings/setting'
import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import { type Advanced, advance } from './advance.ts'
import type { VoiceEffect } from './effects.ts'
import type { GenerationInput, TimerName, VoiceEvent } from './events.ts'
import type { TurnSettings } from './settings.ts'
import { initialState, type TurnState } from './state.ts'

/** A little world around the machine, in virtual time: models that answer, voices that speak, a loudspeaker that plays. */

export const SETTINGS: TurnSettings = {
  ...optionsOf(TURN_SETTINGS, defaultsOf(TURN_SETTINGS)),
  responsivenessFactor: 0.5,
  interruptionAfterMs: 200,
  interruptible: true,
  recogniserP99Ms: 350,
  cancelsEcho: true,
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
  /** What a model does once it is asked. What has consequences waits for the commit by itself. */
  readonly answer?: (generation: StartedGeneration) => readonly TimedEvent[]
  /** When the first sound of an utterance is there and how long it is; `null`: never. `try` counts other voices. */
  readonly voice?: (text: string, attempt: number) => { readonly readyMs: number | null; readonly durationMs: number }
  /** Sees every step, in its order. */
  readonly watch?: (step: WatchedStep) => void
}

export interface WatchedStep extends Advanced {
  readonly event: VoiceEvent
  readonly nowMs: number
  readonly world: World
}

export interface Told {
  readonly atMs: number
  readonly effect: VoiceEffect
}

interface Scheduled extends Pick<TimedEvent, 'event'> {
  readonly atMs: number
  readonly order: number
  readonly isStillMeant: () => boolean
}

interface Sound {
  readonly id: string
  readonly text: string
  readonly generation: number | null
  attempt: number
  isReady: boolean
  leftMs: number
  startedAtMs: number | null
}

export type World = ReturnType<typeof createWorld>

/** Most steps that a call may take: more means that the machine turns in circles. */
const MOST_STEPS = 20_000

export function createWorld(options: WorldOptions = {}) {
  const settings = { ...SETTINGS, ...options.settings }
  const voice = options.voice ?? (() => ({ readyMs: 100, durationMs: 2_000 }))
  const answer = options.answer ?? (() => [])
  const timers = new Map<TimerName, number>()
  const told: Told[] = []
  const stopped = new Set<number>()
  const waitsForCommit = new Map<number, readonly TimedEvent[]>()
  let state: TurnState = initialState(settings, 0)
  let nowMs = 0
  let order = 0
  let steps = 0
  let scheduled: Scheduled[] = []
  let sounds: Sound[] = []
  let isPaused = false

  function later(afterMs: number, event: VoiceEvent, isStillMeant = () => true): void {
    scheduled.push({ atMs: nowMs + afterMs, order: order++, event, isStillMeant })
  }

  function send(event: VoiceEvent): void {
    steps += 1
    if (steps > MOST_STEPS) throw new Error(`The machine turns in circles at ${nowMs} ms: ${JSON.stringify(event)}`)
    const advanced = advance(state, event, nowMs)
    state = advanced.state
    for (const effect of advanced.effects) {
      told.push({ atMs: nowMs, effect })
      perform(effect)
    }
    options.watch?.({ ...advanced, event, nowMs, world })
    play()
  }

  function perform(effect: VoiceEffect): void {
    if (effect.type === 'set-timer') timers.set(effect.name, effect.atMs)
    else if (effect.type === 'clear-timer') timers.delete(effect.name)
    else if (effect.type === 'start-generation') ask(effect.generation, effect)
    else if (effect.type === 'commit-generation') {
      for (const { afterMs, event } of waitsForCommit.get(effect.generation) ?? [])
        fromModel(effect.generation, afterMs, event)
      waitsForCommit.delete(effect.generation)
    } else if (effect.type === 'cancel-generation') stopped.add(effect.generation)
    else if (effect.type === 'speak') speak(effect)
    else if (effect.type === 'speak-otherwise') {
      const sound = sounds.find(({ id }) => id === effect.utteranceId)
      if (sound !== undefined) synthesise(sound, sound.attempt + 1)
    } else if (effect.type === 'clear-playout') {
      sounds = []
      isPaused = false
    } else if (effect.type === 'pause-playout') pause()
    else if (effect.type === 'resume-playout') isPaused = false
  }

  function ask(id: number, { input, speculative, attempt }: Omit<StartedGeneration, 'id'>): void {
    const script = answer({ id, input, speculative, attempt })
    const free = script.findIndex(({ event }) => HAS_CONSEQUENCES.has(event.type))
    const held = speculative && free !== -1 ? free : script.length
    for (const { afterMs, event } of script.slice(0, held)) fromModel(id, afterMs, event)
    if (held < script.length) waitsForCommit.set(id, script.slice(held))
  }

  function fromModel(id: number, afterMs: number, event: VoiceEvent): void {
    later(afterMs, event, () => !stopped.has(id))
  }

  function speak({ utteranceId, text, generation }: Extract<VoiceEffect, { type: 'speak' }>): void {
    const sound = { id: utteranceId, text, generation, attempt: 0, isReady: false, leftMs: 0, startedAtMs: null }
    sounds.push(sound)
    synthesise(sound, 0)
  }

  function synthesise(sound: Sound, attempt: number): void {
    sound.attempt = attempt
    const { readyMs, durationMs } = voice(sound.text, attempt)
    const isMeant = () => sounds.includes(sound) && sound.attempt === attempt
    if (!sound.isReady) sound.leftMs = durationMs
    if (readyMs === null) return
    later(readyMs, { type: 'speech-ready', utteranceId: sound.id }, isMeant)
    later(readyMs + 50, { type: 'speech-complete', utteranceId: sound.id }, isMeant)
  }

  /** Lets the first sound begin. */
  function play(): void {
    const first = sounds[0]
    if (first === undefined || !first.isReady || isPaused || first.startedAtMs !== null) return
    const startedAtMs = nowMs
    first.startedAtMs = startedAtMs
    later(0, { type: 'playout-started', utteranceId: first.id }, () => sounds[0] === first)
    const isMeant = () => sounds[0] === first && first.startedAtMs === startedAtMs
    later(first.leftMs, { type: 'playout-ended', utteranceId: first.id }, isMeant)
  }

  function pause(): void {
    isPaused = true
    const first = sounds[0]
    if (first === undefined || first.startedAtMs === null) return
    first.leftMs = Math.max(0, first.leftMs - (nowMs - first.startedAtMs))
    first.startedAtMs = null
  }

  /** The next thing that happens: scheduled events before timers of the same time. */
  function nextAtMs(): number {
    const events = scheduled.reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY)
    return [...timers.values()].reduce((least, atMs) => Math.min(least, atMs), events)
  }

  function takeNext(): void {
    const due = scheduled.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0]
    if (due !== undefined) {
      scheduled = scheduled.filter((one) => one !== due)
      if (!due.isStillMeant()) return
      const { event } = due
      if (event.type === 'speech-ready') {
        const sound = sounds.find(({ id }) => id === event.utteranceId)
        if (sound !== undefined) sound.isReady = true
      }
      if (event.type === 'playout-ended') sounds.shift()
      send(event)
      return
    }
    for (const [name, atMs] of timers) {
      if (atMs > nowMs) continue
      timers.delete(name)
      send({ type: 'timer', name })
      return
    }
  }

  /** Lets time pass up to this moment. */
  function until(atMs: number): void {
    for (let next = nextAtMs(); next <= atMs; next = nextAtMs()) {
      nowMs = Math.max(nowMs, next)
      takeNext()
    }
    nowMs = Math.max(nowMs, atMs)
  }

  const world = {
    send,
    later,
    until,
    pass: (durationMs: number) => until(nowMs + durationMs),
    /** The caller speaks from now on for so long; the final text comes `finalMs` after. */
    says(text: string, { durationMs = 800, finalMs = 100, id = `u${order++}` } = {}): void {
      send({ type: 'voice-started', sinceMs: nowMs - 50, level: 'normal' })
      const half = Math.round(durationMs / 2)
      later(half, { type: 'transcript', utteranceId: id, text, stage: 'interim', endOfTurn: null })
      later(durationMs + 200, { type: 'voice-ended', lastVoiceAtMs: nowMs + durationMs })
      later(durationMs + finalMs, { type: 'transcript', utteranceId: id, text, stage: 'final', endOfTurn: null })
    },
    /** Voice without words. */
    makesNoise(durationMs: number): void {
      send({ type: 'voice-started', sinceMs: nowMs - 50, level: 'normal' })
      later(durationMs + 200, { type: 'voice-ended', lastVoiceAtMs: nowMs + durationMs })
    },
    effects: <Type extends VoiceEffect['type']>(
      type: Type,
    ): (Extract<VoiceEffect, { type: Type }> & { atMs: number })[] =>
      told.flatMap(({ atMs, effect }) =>
        effect.type === type ? [{ ...(effect as Extract<VoiceEffect, { type: Type }>), atMs }] : [],
      ),
    /** What was told since the beginning, one word each. */
    story: () => told.map(({ effect }) => effect.type),
    spoken: () => told.flatMap(({ effect }) => (effect.type === 'speak' ? [effect.text] : [])),
    notes: () => told.flatMap(({ effect }) => (effect.type === 'note' ? [effect.code] : [])),
    told,
    timers,
    get state() {
      return state
    },
    get nowMs() {
      return nowMs
    },
    get sounds(): readonly Readonly<Sound>[] {
      return sounds
    },
    get isPaused() {
      return isPaused
    },
    get steps() {
      return steps
    },
  }
  return world
}

const HAS_CONSEQUENCES: ReadonlySet<VoiceEvent['type']> = new Set([
  'tool-started',
  'tool-ended',
  'transition',
  'end-asked',
])

/** A model that says these clauses and is done. */
export function replies(id: number, clauses: readonly string[], afterMs = 300): TimedEvent[] {
  const said = clauses.map((text, index) => ({
    afterMs: afterMs + index * 50,
    event: { type: 'clause', generation: id, utteranceId: `g${id}-${index}`, text } as const,
  }))
  const ended = { type: 'generation-ended', generation: id, outcome: 'completed' } as const
  return [...said, { afterMs: afterMs + clauses.length * 50, event: ended }]
}
