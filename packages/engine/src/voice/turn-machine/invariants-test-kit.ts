import { advance } from './advance.ts'
import type { WatchedStep } from './call-world-test-kit.ts'
import type { VoiceEffect } from './effects.ts'
import type { VoiceEvent } from './events.ts'
import { saysTheSame } from './words/split-words.ts'

const MOST_WAIT_MS = 12_000

/** Holds every step of a call to what must always be so. `problems` stays empty. */
export function createInvariants() {
  const problems: string[] = []
  const cancelled = new Set<number>()
  const committed = new Set<number>()
  const takenWords = new Set<string>()
  const tools = new Set<string>()
  /** What each generation was asked about. */
  const asked = new Map<number, string>()
  let lastTurnText = ''
  let current: number | null = null
  let waitsSinceMs: number | null = null
  let openTurn: number | null = null
  let isUnsettled = false
  let hasEnded = false
  let isPaused = false

  function check(holds: boolean, what: string, step: WatchedStep): void {
    if (!holds) problems.push(`${what} (at ${step.nowMs} ms, after ${JSON.stringify(step.event)})`)
  }

  function watch(step: WatchedStep): void {
    check(!hasEnded || step.effects.length === 0, 'nothing follows the end', step)
    takeEvent(step.event)
    for (const effect of step.effects) takeEffect(effect, step)
    if (hasEnded) {
      check(step.world.timers.size === 0, 'no timer is left after the end', step)
      return
    }
    if (waitsSinceMs !== null) check(step.nowMs - waitsSinceMs <= MOST_WAIT_MS, 'an answer within 12 s', step)
    if (step.state.generation === null) {
      current = null
      waitsSinceMs = null
    }
    checkState(step)
  }

  function takeEvent(event: VoiceEvent): void {
    if (event.type === 'tool-started' && event.generation === current) {
      tools.add(event.toolCallId)
      openTurn = null
      waitsSinceMs = null
    }
    if (event.type === 'transition' && event.generation === current) openTurn = null
    if (event.type === 'end-asked' && event.generation === current) openTurn = null
    if ((event.type === 'tool-ended' || event.type === 'generation-ended') && event.generation === current) {
      waitsSinceMs = null
      tools.clear()
    }
  }

  function takeEffect(effect: VoiceEffect, step: WatchedStep): void {
    if (effect.type === 'start-generation' && effect.input.type === 'user')
      asked.set(effect.generation, effect.input.text)
    if (effect.type === 'start-generation' && !effect.speculative) begin(effect.generation, step)
    else if (effect.type === 'commit-generation') begin(effect.generation, step)
    else if (effect.type === 'cancel-generation') {
      cancelled.add(effect.generation)
      if (effect.generation === current) current = null
      if (current === null) waitsSinceMs = null
    } else if (effect.type === 'speak') takeSpeech(effect, step)
    else if (effect.type === 'commit-user-turn') {
      check(effect.text.trim() !== '', 'no empty turn', step)
      check(!isUnsettled, "the agent's turn is in the history before the next of the caller", step)
      for (const word of effect.text.match(/\bw\d+\b/gu) ?? []) {
        check(!takenWords.has(word), `no word in two turns: ${word}`, step)
        takenWords.add(word)
      }
      openTurn = effect.turn
      lastTurnText = effect.text
    } else if (effect.type === 'commit-agent-turn') {
      check(isUnsettled, 'only what was said is settled', step)
      isUnsettled = false
    } else if (effect.type === 'pause-playout') {
      check(!isPaused, 'only what plays is paused', step)
      isPaused = true
    } else if (effect.type === 'resume-playout') {
      check(isPaused, 'only what was paused is resumed', step)
      isPaused = false
    } else if (effect.type === 'clear-playout') isPaused = false
    else if (effect.type === 'typing-sound' && effect.on)
      check(tools.size > 0, 'work is heard only of tools that count', step)
    else if (effect.type === 'end') end(effect.reason, step)
  }

  function begin(generation: number, step: WatchedStep): void {
    check(!cancelled.has(generation), 'what was cancelled does not come back', step)
    check(!committed.has(generation), 'a generation counts once', step)
    check(current === null || isReplaced(step), 'one answer at a time', step)
    const isReminder = step.effects.some(
      (effect) =>
        effect.type === 'start-generation' && effect.generation === generation && effect.input.type === 'remind',
    )
    check(!isReminder || openTurn === null, 'a turn is answered before the caller is reminded', step)
    const question = asked.get(generation)
    const isSame = question === undefined || saysTheSame(question, lastTurnText)
    check(isSame, 'an answer is to what the caller said in the end', step)
    committed.add(generation)
    current = generation
    waitsSinceMs ??= step.nowMs
  }

  function takeSpeech(effect: Extract<VoiceEffect, { type: 'speak' }>, step: WatchedStep): void {
    if (effect.kind !== 'backchannel') isUnsettled = true
    if (effect.kind === 'reply' || effect.kind === 'fallback') {
      waitsSinceMs = null
      openTurn = null
    }
    if (effect.generation === null) return
    check(!cancelled.has(effect.generation), 'nothing of a cancelled generation is said', step)
    check(committed.has(effect.generation), 'nothing is said before it counts', step)
    const others = step.world.sounds.filter(({ generation }) => generation !== null && generation !== effect.generation)
    check(others.length === 0, 'never two generations audible', step)
  }

  function end(reason: string, step: WatchedStep): void {
    check(!hasEnded, 'the end comes once', step)
    check(step.effects.at(-1)?.type === 'end', 'the end comes last', step)
    check(!isUnsettled, 'what was said is settled at the end', step)
    if (reason === 'inactivity') check(openTurn === null, 'a turn is answered before silence ends the call', step)
    hasEnded = true
  }

  function checkState({ state, world, ...step }: WatchedStep): void {
    const at = { state, world, ...step }
    check(state.taken.length <= 64 && state.committed.length <= 8 && state.says.length <= 16, 'memory is bounded', at)
    check((state.turn?.utterances.length ?? 0) <= 12, 'a turn is bounded', at)
    const { pause, voice, ears } = state
    const isIgnored = ears !== 'none' || (!voice.isOn && voice.unexplainedSinceMs === null)
    check(isIgnored, 'voice means nothing where nobody understands it', at)
    const isExplained = pause === null || pause.resumeAtMs !== null || voice.unexplainedSinceMs !== null
    check(isExplained, 'a pause comes to an end', at)
    check(state.isPlayoutPaused === world.isPaused, 'the machine knows whether the loudspeaker is paused', at)
    checkTrial(at)
  }

  /** Models keep what has consequences until their answer counts. Here one does not: tried out beside the call. */
  function checkTrial(step: WatchedStep): void {
    const { speculation, settings } = step.state
    if (speculation === null) return
    const moved = { type: 'transition', generation: speculation.id, settings: { ...settings } } as const
    const isUnmoved = advance(step.state, moved, step.nowMs).state.settings === settings
    check(isUnmoved, 'nothing is moved by a generation that does not count yet', step)
  }

  /** An answer that has ended gives way to the next try, or to whatever comes after it. */
  function isReplaced({ event }: WatchedStep): boolean {
    return event.type === 'generation-ended' || event.type === 'playout-ended' || event.type === 'speech-failed'
  }

  return { watch, problems }
}
