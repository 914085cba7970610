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
  readonly #inputTexts = new Map<number, string>()
  #lastTurnText = ''
  #lastPauseId = 0
  #current: number | null = null
  #waitingSinceMs: number | null = null
  #openTurn: number | null = null
  #hasUncommitted = false
  #hasEnded = false
  #isPaused = false

  #check(isSatisfied: boolean, rule: string, step: WatchedStep): void {
    if (!isSatisfied) this.problems.push(`${rule} (at ${step.nowMs} ms, after ${JSON.stringify(step.event)})`)
  }

  watch(step: WatchedStep): void {
    this.#check(!this.#hasEnded || step.effects.length === 0, 'nothing follows the end', step)
    this.#recordEvent(step.event)
    for (const effect of step.effects) this.#recordEffect(effect, step)
    if (this.#hasEnded) {
      this.#check(step.world.timers.size === 0, 'no timer runs after the end', step)
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
      this.#inputTexts.set(effect.generation, effect.input.text)
    if (effect.type === 'start-generation' && !effect.speculative) this.#startGeneration(effect.generation, step)
    else if (effect.type === 'commit-generation') this.#startGeneration(effect.generation, step)
    else if (effect.type === 'cancel-generation') {
      this.#canceledGenerations.add(effect.generation)
      if (effect.generation === this.#current) this.#current = null
      if (this.#current === null) this.#waitingSinceMs = null
    } else if (effect.type === 'speak') this.#recordSpeech(effect, step)
    else if (effect.type === 'commit-user-turn') {
      this.#check(effect.text.trim() !== '', 'no empty turn', step)
      this.#check(!this.#hasUncommitted, "the agent's turn is committed before the caller's next turn", step)
      for (const word of effect.text.match(/\bw\d+\b/gu) ?? []) {
        this.#check(!this.#consumedWords.has(word), `no word in two turns: ${word}`, step)
        this.#consumedWords.add(word)
      }
      this.#openTurn = effect.turn
      this.#lastTurnText = effect.text
    } else if (effect.type === 'commit-agent-turn') {
      this.#check(this.#hasUncommitted, 'only spoken text is committed', step)
      this.#hasUncommitted = false
    } else if (effect.type === 'pause-playout') {
      this.#check(!this.#isPaused, 'only running playback is paused', step)
      this.#isPaused = true
    } else if (effect.type === 'resume-playout') {
      this.#check(this.#isPaused, 'only paused playback is resumed', step)
      this.#isPaused = false
    } else if (effect.type === 'clear-playout') this.#isPaused = false
    else if (effect.type === 'estimate-turn-end') {
      this.#check(effect.pauseId > this.#lastPauseId, 'the turn detector is asked once for each pause', step)
      this.#lastPauseId = effect.pauseId
    } else if (effect.type === 'typing-sound' && effect.on)
      this.#check(this.#tools.size > 0, 'the typing sound plays only for the current tools', step)
    else if (effect.type === 'end') this.#end(effect.reason, step)
  }

  #startGeneration(generation: number, step: WatchedStep): void {
    this.#check(!this.#canceledGenerations.has(generation), 'a canceled generation does not restart', step)
    this.#check(!this.#committed.has(generation), 'a generation is committed once', step)
    this.#check(this.#current === null || this.#isReplaced(step), 'one answer at a time', step)
    const isReminder = step.effects.some(
      (effect) =>
        effect.type === 'start-generation' && effect.generation === generation && effect.input.type === 'remind',
    )
    this.#check(!isReminder || this.#openTurn === null, 'a turn is answered before the caller is reminded', step)
    const question = this.#inputTexts.get(generation)
    const isMatching = question === undefined || haveSameWords(question, this.#lastTurnText)
    this.#check(isMatching, "an answer matches the caller's final text", step)
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
    this.#check(!this.#canceledGenerations.has(effect.generation), 'a canceled generation is not spoken', step)
    this.#check(this.#committed.has(effect.generation), 'an uncommitted generation is not spoken', step)
    const otherSpeech = step.world.queuedSpeech.filter(
      ({ generation }) => generation !== null && generation !== effect.generation,
    )
    this.#check(otherSpeech.length === 0, 'only one generation is audible', step)
  }

  #end(reason: string, step: WatchedStep): void {
    this.#check(!this.#hasEnded, 'the call ends once', step)
    this.#check(step.effects.at(-1)?.type === 'end', 'the end is the last effect', step)
    this.#check(!this.#hasUncommitted, 'spoken text is committed at the end', step)
    if (reason === 'inactivity')
      this.#check(this.#openTurn === null, 'a turn is answered before silence ends the call', step)
    this.#hasEnded = true
  }

  #checkState(step: WatchedStep): void {
    const { state, world } = step
    this.#check(
      state.consumedUtterances.length <= 64 &&
        state.committedGenerationIds.length <= 8 &&
        state.pendingSayTexts.length <= 16,
      'memory is bounded',
      step,
    )
    this.#check((state.turn?.utterances.length ?? 0) <= 12, 'a turn is bounded', step)
    const { pause, voice, transcriberStatus } = state
    const isIgnored = transcriberStatus !== 'none' || (!voice.isActive && voice.untranscribedSinceMs === null)
    this.#check(isIgnored, 'voice is ignored without speech recognition', step)
    const isPauseBounded = pause === null || pause.resumeAtMs !== null || voice.untranscribedSinceMs !== null
    this.#check(isPauseBounded, 'a pause is bounded', step)
    this.#check(state.isPlayoutPaused === world.isPaused, 'the state matches whether playback is paused', step)
    this.#checkUncommittedTransition(step)
    if (step.event.type === 'voice-started') this.#checkOutdatedEstimate(step)
  }

  /** Checks that the answer of a turn detector changes nothing once the caller speaks again. */
  #checkOutdatedEstimate(step: WatchedStep): void {
    const { voice } = step.state
    if (!voice.isActive) return
    const estimate = { type: 'turn-end-estimated', pauseId: voice.pauseId, probability: 1 } as const
    const isUnchanged = advance(step.state, estimate, step.nowMs).effects.length === 0
    this.#check(isUnchanged && voice.endProbability === null, 'an answer about an earlier pause is ignored', step)
  }

  /** Checks that a transition of an uncommitted generation changes nothing. */
  #checkUncommittedTransition(step: WatchedStep): void {
    const { speculation, settings } = step.state
    if (speculation === null) return
    const transition = { type: 'transition', generation: speculation.id, settings: { ...settings } } as const
    const isUnchanged = advance(step.state, transition, step.nowMs).state.settings === settings
    this.#check(isUnchanged, 'an uncommitted generation does not change settings', step)
  }

  /** Whether a generation that has ended may be replaced. */
  #isReplaced({ event }: WatchedStep): boolean {
    return event.type === 'generation-ended' || event.type === 'playout-ended' || event.type === 'speech-failed'
  }
}
