import { advance } from './advance.ts'
import type { WatchedStep } from './call-world-test-kit.ts'
import type { VoiceEffect, VoiceEvent } from './events.ts'
import { haveSameWords } from './words/split-words.ts'

const MAX_WAIT_MS = 12_000

/** Checks the invariants of every step and collects violations in `problems`. */
export class Invariants {
  readonly problems: string[] = []
  readonly #canceledGenerations = new Set<number>()
  readonly #committed = new Set<number>()
  readonly #consumedWords = new Set<string>()
  readonly #tools = new Set<string>()
  /** User text that each generation answers. */
  readonly #asked = new Map<number, string>()
  #lastTurnText = ''
  #current: number | null = null
  #waitingSinceMs: number | null = null
  #openTurn: number | null = null
  #hasUncommitted = false
  #hasEnded = false
  #isPaused = false

  #check(holds: boolean, what: string, step: WatchedStep): void {
    if (!holds) this.problems.push(`${what} (at ${step.nowMs} ms, after ${JSON.stringify(step.event)})`)
  }

  watch(step: WatchedStep): void {
    this.#check(!this.#hasEnded || step.effects.length === 0, 'nothing follows the end', step)
    this.#recordEvent(step.event)
    for (const effect of step.effects) this.#recordEffect(effect, step)
    if (this.#hasEnded) {
      this.#check(step.world.timers.size === 0, 'no timer is left after the end', step)
      return
    }
    if (this.#waitingSinceMs !== null)
      this.#check(step.nowMs - this.#waitingSinceMs <= MAX_WAIT_MS, 'an answer within 12 s', step)
    if (step.state.generation === null) {
      this.#current = null
      this.#waitingSinceMs = null
    }
    this.#checkState(step)
  }

  #recordEvent(event: VoiceEvent): void {
    if (event.type === 'tool-started' && event.generation === this.#current) {
      this.#tools.add(event.toolCallId)
      this.#openTurn = null
      this.#waitingSinceMs = null
    }
    if (event.type === 'transition' && event.generation === this.#current) this.#openTurn = null
    if (event.type === 'agent-hang-up' && event.generation === this.#current) this.#openTurn = null
    if ((event.type === 'tool-ended' || event.type === 'generation-ended') && event.generation === this.#current) {
      this.#waitingSinceMs = null
      this.#tools.clear()
    }
  }

  #recordEffect(effect: VoiceEffect, step: WatchedStep): void {
    if (effect.type === 'start-generation' && effect.input.type === 'user')
      this.#asked.set(effect.generation, effect.input.text)
    if (effect.type === 'start-generation' && !effect.speculative) this.#startGeneration(effect.generation, step)
    else if (effect.type === 'commit-generation') this.#startGeneration(effect.generation, step)
    else if (effect.type === 'cancel-generation') {
      this.#canceledGenerations.add(effect.generation)
      if (effect.generation === this.#current) this.#current = null
      if (this.#current === null) this.#waitingSinceMs = null
    } else if (effect.type === 'speak') this.#recordSpeech(effect, step)
    else if (effect.type === 'commit-user-turn') {
      this.#check(effect.text.trim() !== '', 'no empty turn', step)
      this.#check(!this.#hasUncommitted, "the agent's turn is in the history before the next of the caller", step)
      for (const word of effect.text.match(/\bw\d+\b/gu) ?? []) {
        this.#check(!this.#consumedWords.has(word), `no word in two turns: ${word}`, step)
        this.#consumedWords.add(word)
      }
      this.#openTurn = effect.turn
      this.#lastTurnText = effect.text
    } else if (effect.type === 'commit-agent-turn') {
      this.#check(this.#hasUncommitted, 'only what was said is settled', step)
      this.#hasUncommitted = false
    } else if (effect.type === 'pause-playout') {
      this.#check(!this.#isPaused, 'only what plays is paused', step)
      this.#isPaused = true
    } else if (effect.type === 'resume-playout') {
      this.#check(this.#isPaused, 'only what was paused is resumed', step)
      this.#isPaused = false
    } else if (effect.type === 'clear-playout') this.#isPaused = false
    else if (effect.type === 'typing-sound' && effect.on)
      this.#check(this.#tools.size > 0, 'work is heard only of tools that count', step)
    else if (effect.type === 'end') this.#end(effect.reason, step)
  }

  #startGeneration(generation: number, step: WatchedStep): void {
    this.#check(!this.#canceledGenerations.has(generation), 'what was cancelled does not come back', step)
    this.#check(!this.#committed.has(generation), 'a generation counts once', step)
    this.#check(this.#current === null || this.#isReplaced(step), 'one answer at a time', step)
    const isReminder = step.effects.some(
      (effect) =>
        effect.type === 'start-generation' && effect.generation === generation && effect.input.type === 'remind',
    )
    this.#check(!isReminder || this.#openTurn === null, 'a turn is answered before the caller is reminded', step)
    const question = this.#asked.get(generation)
    const isSame = question === undefined || haveSameWords(question, this.#lastTurnText)
    this.#check(isSame, 'an answer is to what the caller said in the end', step)
    this.#committed.add(generation)
    this.#current = generation
    this.#waitingSinceMs ??= step.nowMs
  }

  #recordSpeech(effect: Extract<VoiceEffect, { type: 'speak' }>, step: WatchedStep): void {
    if (effect.kind !== 'backchannel') this.#hasUncommitted = true
    if (effect.kind === 'reply' || effect.kind === 'fallback') {
      this.#waitingSinceMs = null
      this.#openTurn = null
    }
    if (effect.generation === null) return
    this.#check(!this.#canceledGenerations.has(effect.generation), 'nothing of a cancelled generation is said', step)
    this.#check(this.#committed.has(effect.generation), 'nothing is said before it counts', step)
    const others = step.world.queuedSpeech.filter(
      ({ generation }) => generation !== null && generation !== effect.generation,
    )
    this.#check(others.length === 0, 'never two generations audible', step)
  }

  #end(reason: string, step: WatchedStep): void {
    this.#check(!this.#hasEnded, 'the end comes once', step)
    this.#check(step.effects.at(-1)?.type === 'end', 'the end comes last', step)
    this.#check(!this.#hasUncommitted, 'what was said is settled at the end', step)
    if (reason === 'inactivity')
      this.#check(this.#openTurn === null, 'a turn is answered before silence ends the call', step)
    this.#hasEnded = true
  }

  #checkState({ state, world, ...step }: WatchedStep): void {
    const at = { state, world, ...step }
    this.#check(
      state.consumed.length <= 64 && state.committed.length <= 8 && state.pendingSays.length <= 16,
      'memory is bounded',
      at,
    )
    this.#check((state.turn?.utterances.length ?? 0) <= 12, 'a turn is bounded', at)
    const { pause, voice, transcriber } = state
    const isIgnored = transcriber !== 'none' || (!voice.isOn && voice.untranscribedSinceMs === null)
    this.#check(isIgnored, 'voice is ignored without speech recognition', at)
    const isPauseBounded = pause === null || pause.resumeAtMs !== null || voice.untranscribedSinceMs !== null
    this.#check(isPauseBounded, 'a pause comes to an end', at)
    this.#check(state.isPlayoutPaused === world.isPaused, 'the machine knows whether the loudspeaker is paused', at)
    this.#checkTrial(at)
  }

  /** Sends a transition of an uncommitted generation, which models never do, and expects no change. */
  #checkTrial(step: WatchedStep): void {
    const { speculation, settings } = step.state
    if (speculation === null) return
    const moved = { type: 'transition', generation: speculation.id, settings: { ...settings } } as const
    const isUnmoved = advance(step.state, moved, step.nowMs).state.settings === settings
    this.#check(isUnmoved, 'nothing is moved by a generation that does not count yet', step)
  }

  /** Whether a generation that has ended may be replaced. */
  #isReplaced({ event }: WatchedStep): boolean {
    return event.type === 'generation-ended' || event.type === 'playout-ended' || event.type === 'speech-failed'
  }
}
