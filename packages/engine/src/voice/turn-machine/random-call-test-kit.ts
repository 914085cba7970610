import fc from 'fast-check'
import {
  createReplyEvents,
  createWorld,
  type StartedGeneration,
  type TimedEvent,
  type World,
  type WorldOptions,
} from './call-world-test-kit.ts'
import type { EndReason, Opening, TimerName, VoiceEvent } from './events.ts'
import { Invariants } from './invariants-test-kit.ts'
import type { TurnSettings } from './settings.ts'

/** An action that follows the previous one after `gapMs`. `a` and `b` select variants. */
interface Action {
  readonly kind: number
  readonly gapMs: number
  readonly a: number
  readonly b: number
}

export interface RandomCall {
  readonly actions: readonly Action[]
  readonly settings: Partial<TurnSettings>
  readonly opening: Opening
  /** Determines the behavior of models, voices and the turn detector. */
  readonly seed: number
  readonly hasTurnDetector?: boolean
}

const TIMER_NAMES: readonly TimerName[] = [
  'opening',
  'end-of-turn',
  'resume',
  'reply-timeout',
  'reminder',
  'silence',
  'duration',
  'drain',
]
const REASONS: readonly EndReason[] = ['manual_stopped', 'agent_hangup', 'error_unknown']
const PHRASES = [
  'mhm',
  'I',
  'got',
  'yes',
  'wait',
  'hold on',
  'okay',
  'um',
  'five five five',
  'what is that?',
  'Ada',
  '你好',
  "'",
  '...',
] as const
const LEVELS = ['normal', 'echo-like', 'background'] as const
const SILENCE_MS = 60_000

export const randomCall: fc.Arbitrary<RandomCall> = fc.record({
  actions: fc.array(
    fc.record({
      kind: fc.nat({ max: 29 }),
      gapMs: fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: 3_000 }), fc.nat({ max: 15_000 })),
      a: fc.nat({ max: 999 }),
      b: fc.nat({ max: 999 }),
    }),
    { maxLength: 24, size: 'max' },
  ),
  settings: fc.record({
    interruptionAfterMs: fc.constantFrom(500, 700, 1_000, null),
    interruptible: fc.constantFrom(true, true, true, false),
    transcriberP99Ms: fc.constantFrom(350, 2_010),
    reminderMaxCount: fc.nat({ max: 3 }),
    responsivenessFactor: fc.constantFrom(0.5, 0.75, 1),
    beginMessageDelayMs: fc.constantFrom(0, 1_000),
    beginAfterUserSilenceMs: fc.constantFrom(null, 3_000),
    allowDtmfInterruption: fc.boolean(),
    backchannel: fc.constantFrom(null, { frequency: 0.8, words: [] }),
    endCallAfterSilenceMs: fc.constant(SILENCE_MS),
  }),
  opening: fc.constantFrom<Opening>({ type: 'say', text: 'Hello.' }, { type: 'generate' }, { type: 'listen' }),
  seed: fc.nat(),
  hasTurnDetector: fc.boolean(),
})

/** Returns the violations in a random call. */
export function findProblems(call: RandomCall): readonly string[] {
  const { actions, settings, opening, seed } = call
  const dice = createDice(seed)
  const invariants = new Invariants()
  const past: VoiceEvent[] = []
  const world = createWorld({
    settings,
    answer: (generation) => createRandomAnswer(generation, dice, settings),
    voice: (_, attempt) => {
      const roll = dice(20)
      if (roll === 0 && attempt < 5) return { readyMs: null, durationMs: 1_000 }
      return { readyMs: roll === 1 ? 3_000 : 50 + dice(300), durationMs: 300 + dice(4_000) }
    },
    detect: createRandomDetector(call),
    watch: (step) => {
      past.push(step.event)
      invariants.watch(step)
    },
  })
  world.send({ type: 'joined', opening })
  for (const [index, action] of actions.entries()) {
    world.advance(action.gapMs)
    performAction(world, { ...action, index, past })
  }
  waitForEnd(world)
  for (const event of past.slice(-5)) world.send(event)
  const problems = [...invariants.problems]
  if (world.state.phase !== 'ended') problems.push(`the call never ends: ${JSON.stringify(world.state)}`)
  return problems
}

/** Waits in silence until the call ends. */
function waitForEnd(world: World): void {
  world.advance(20_000)
  world.send({ type: 'connection-restored' })
  const startedAtMs = world.nowMs
  // Reminders, fillers and failing answers must not prolong the call forever.
  while (world.state.phase !== 'ended' && world.nowMs < startedAtMs + SILENCE_MS + 400_000) world.advance(5_000)
}

type ActionContext = Action & { readonly index: number; readonly past: readonly VoiceEvent[] }

function performAction(world: World, context: ActionContext): void {
  const { kind, a, b, index } = context
  if (kind < 10) speak(world, context)
  else if (kind < 12) world.makeNoise(50 + (a % 280))
  else if (kind < 13) world.makeNoise(500 + a * 9)
  else if (kind < 14)
    world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: LEVELS[a % LEVELS.length] ?? 'normal' })
  else if (kind < 15) world.send(createTranscript(`t${index}`, createText(context), b % 2 ? 'interim' : 'final'))
  else if (kind < 16) world.send({ type: 'typed', text: a % 5 ? createText(context) : ' ' })
  else if (kind < 18) world.send({ type: 'dtmf', digit: '0123456789*#'[a % 12] ?? '0' })
  else if (kind < 19) world.send({ type: 'say', text: a % 9 ? 'By the way.' : '', interruptible: b % 2 === 0 })
  else if (kind < 20) world.send({ type: 'inject', respond: a % 2 === 0 })
  else if (kind < 21) loseConnection(world, a)
  else if (kind < 22) changeSettings(world, a)
  else if (kind < 23) world.send({ type: 'transcriber', status: a % 4 ? 'replaced' : b % 2 ? 'gone' : 'none' })
  else if (kind < 27) world.send(createStaleEvent(world, context))
  else if (kind < 28) world.send({ type: 'joined', opening: { type: 'say', text: 'Again.' } })
  else if (a % 3 === 0) endCall(world, b)
}

function speak(world: World, context: ActionContext): void {
  const { a, b, index } = context
  const id = `u${index}`
  const text = createText(context)
  const durationMs = 150 + a * 4
  world.send({
    type: 'voice-started',
    startedAtMs: world.nowMs - 50,
    level: (b % 10 === 0 && LEVELS[a % LEVELS.length]) || 'normal',
  })
  if (b % 5 === 0) world.schedule(durationMs / 2, { type: 'voice-paused', isPaused: true })
  if (b % 2 === 0) world.schedule(durationMs / 2 + 100, { type: 'voice-paused', isPaused: false })
  const half = text.split(' ').slice(0, 1).join(' ')
  if (b % 3 !== 0) world.schedule(Math.round(durationMs / 2), createTranscript(id, half, 'interim'))
  if (b % 4 === 0) world.schedule(durationMs, createTranscript(id, text, 'stable'))
  if (b % 17 !== 0) world.schedule(durationMs + 200, { type: 'voice-ended', lastVoiceAtMs: world.nowMs + durationMs })
  const finalMs = durationMs + (b % 5) * 400
  if (b % 11 !== 0) world.schedule(finalMs, createTranscript(id, b % 13 === 0 ? '' : text, 'final'))
  // The text arrives late and again with different punctuation.
  if (b % 7 === 0) world.schedule(finalMs + a * 3, createTranscript(id, `${text}.`, 'final'))
}

function createText({ a, b, index }: ActionContext): string {
  if (a % 3 === 0) return PHRASES[b % PHRASES.length] ?? 'mhm'
  if (a % 2 === 0) return `w${index}?`
  // Words with and without punctuation.
  return [`w${index} w${index}00`, `w${index}-w${index}01 w${index}00`, `w${index} – w${index}00`][b % 3] ?? ''
}

function createTranscript(utteranceId: string, text: string, stage: 'interim' | 'stable' | 'final'): VoiceEvent {
  return { type: 'transcript', utteranceId, text, stage, endOfTurn: null }
}

function loseConnection(world: World, a: number): void {
  world.send({ type: 'connection-lost' })
  if (a % 4 !== 0) world.schedule(a * 15, { type: 'connection-restored' })
}

function changeSettings(world: World, a: number): void {
  const { settings } = world.state
  world.send({ type: 'settings', settings: { ...settings, interruptible: a % 2 === 0, responseThresholdMs: a } })
}

/** Creates a late, duplicate or invented event. */
function createStaleEvent(world: World, { a, b, past }: ActionContext): VoiceEvent {
  const staleEvents: readonly VoiceEvent[] = [
    { type: 'timer', name: TIMER_NAMES[b % TIMER_NAMES.length] ?? 'opening' },
    { type: 'clause', generation: 9_000 + b, utteranceId: `x${b}`, text: 'Never.' },
    { type: 'tool-started', generation: 9_000, toolCallId: 'x', hasLeadIn: false, typingSound: true },
    { type: 'generation-ended', generation: 9_000, outcome: 'failed' },
    { type: 'transition', generation: 9_000, settings: world.state.settings },
    { type: 'agent-hang-up', generation: 9_000 },
    { type: 'playout-ended', utteranceId: 'x' },
    { type: 'speech-failed', utteranceId: 'x' },
    { type: 'voice-ended', lastVoiceAtMs: world.nowMs - b },
    { type: 'voice-paused', isPaused: b % 3 !== 0 },
    { type: 'turn-end-estimated', pauseId: world.state.voice.pauseId - (b % 2), probability: b / 999 },
  ]
  const pastEvent = past[Math.floor((a / 1_000) * past.length)]
  const event =
    b % 2 === 0 && pastEvent !== undefined && isStale(world, pastEvent)
      ? pastEvent
      : staleEvents[a % staleEvents.length]
  return event ?? { type: 'timer', name: 'resume' }
}

/** Whether the subject of the event has ended. */
function isStale(world: World, event: VoiceEvent): boolean {
  const { generation, speculation } = world.state
  if ('generation' in event) return event.generation !== generation?.id && event.generation !== speculation?.id
  if ('utteranceId' in event && event.type !== 'transcript')
    return !world.queuedSpeech.some(({ id }) => id === event.utteranceId)
  return event.type !== 'typed' && event.type !== 'hang-up' && event.type !== 'end-requested'
}

function endCall(world: World, b: number): void {
  if (b % 3 === 0) world.send({ type: 'hang-up' })
  else world.send({ type: 'end-requested', reason: REASONS[b % 3] ?? 'manual_stopped', drain: b % 2 === 0 })
}

function createRandomAnswer(
  generation: StartedGeneration,
  dice: Dice,
  settings: Partial<TurnSettings>,
): readonly TimedEvent[] {
  const { id } = generation
  const roll = dice(24)
  if (roll === 0) return []
  if (roll === 1) return createReplyEvents(id, [], 300)
  if (roll === 2)
    return [{ afterMs: dice(9_000), event: { type: 'generation-ended', generation: id, outcome: 'failed' } }]
  if (roll === 3) return createReplyEvents(id, ['Slow.'], 3_000 + dice(10_000))
  if (roll === 4) return createReplyEvents(id, ['Begun, but'], 300).slice(0, 1)
  if (roll < 9) return createToolEvents(id, dice, roll)
  if (roll === 9) return [createTransition(id, settings), ...createReplyEvents(id, ['On we go.'], 400)]
  if (roll === 10)
    return [{ afterMs: 100, event: { type: 'agent-hang-up', generation: id } }, ...createReplyEvents(id, ['Bye.'], 300)]
  if (roll === 11) return createReplyEvents(id, ['Which one?'], 300)
  return createReplyEvents(id, ['One sentence.', 'Another sentence.'].slice(0, 1 + dice(2)), 100 + dice(1_500))
}

/** Creates a turn detector that often answers late or not at all. Its dice leave those of models and voices unchanged. */
function createRandomDetector({ seed, hasTurnDetector = false }: RandomCall): NonNullable<WorldOptions['detect']> {
  const dice = createDice(seed + 1)
  return () => {
    if (!hasTurnDetector || dice(4) === 0) return null
    return { afterMs: dice(dice(3) === 0 ? 4_000 : 300), probability: dice(101) / 100 }
  }
}

function createToolEvents(id: number, dice: Dice, roll: number): readonly TimedEvent[] {
  const startMs = 200 + dice(500)
  const endMs = startMs + dice(roll === 5 ? 30_000 : 2_000)
  const started = {
    type: 'tool-started',
    generation: id,
    toolCallId: `c${id}`,
    hasLeadIn: roll === 6,
    typingSound: roll === 7,
  } as const
  const clause = { type: 'clause', generation: id, utteranceId: `line${id}`, text: 'I look it up.' } as const
  return [
    ...(started.hasLeadIn ? [{ afterMs: startMs, event: clause }] : []),
    { afterMs: startMs, event: started },
    { afterMs: endMs, event: { type: 'tool-ended', generation: id, toolCallId: `c${id}` } },
    ...createReplyEvents(id, dice(5) === 0 ? [] : ['Done.'], endMs + 300),
  ]
}

function createTransition(id: number, settings: Partial<TurnSettings>): TimedEvent {
  const base = createWorld({ settings }).state.settings
  return {
    afterMs: 100,
    event: { type: 'transition', generation: id, settings: { ...base, responseThresholdMs: 600 } },
  }
}

type Dice = (sides: number) => number

function createDice(seed: number): Dice {
  let state = (seed ^ 0x9e3779b9) >>> 0
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0
    return ((mixed ^ (mixed >>> 16)) >>> 0) % sides
  }
}
