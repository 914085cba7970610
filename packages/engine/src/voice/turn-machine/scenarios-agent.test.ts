import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  createReplyEvents,
  createWorld,
  type TimedEvent,
  type World,
  type WorldOptions,
} from './call-world-test-kit.ts'
import type { VoiceEvent } from './events.ts'
import type { TurnState } from './state.ts'

function createAskedWorld(options: WorldOptions) {
  const world = createWorld(options)
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.callerSays('When do you open?')
  while (world.findEffects('commit-user-turn').length === 0) world.advance(10)
  return { world, atMs: world.nowMs }
}

function createToolEvents(id: number, durationMs: number, text: string | null = null): readonly TimedEvent[] {
  const started = {
    type: 'tool-started',
    generation: id,
    toolCallId: 'c',
    hasLeadIn: text !== null,
    typingSound: true,
  } as const
  const clause = { type: 'clause', generation: id, utteranceId: `line${id}`, text: text ?? '' } as const
  return [
    { afterMs: 100, event: clause },
    { afterMs: 100, event: started },
    { afterMs: 100 + durationMs, event: { type: 'tool-ended', generation: id, toolCallId: 'c' } },
    ...createReplyEvents(id, ['Done.'], durationMs + 300),
  ]
}

test('S19 speaks with the next voice after 2.5 s without audio', () => {
  const { world } = createAskedWorld({
    answer: ({ id }) => createReplyEvents(id, ['At nine.']),
    voice: (_, attempt) => ({ readyMs: attempt === 0 ? null : 100, durationMs: 1_000 }),
  })
  world.advance(6_000)
  const [firstSpeech] = world.findEffects('speak')
  expect(world.findEffects('switch-voice')).toMatchObject([
    { utteranceId: 'g1-0', atMs: (firstSpeech?.atMs ?? 0) + 2_500 },
  ])
  expect(world.findEffects('commit-agent-turn')).toMatchObject([{ generation: 1, interrupted: false }])
})

test('S19 ends the call after three turns without any voice', () => {
  const { world } = createAskedWorld({
    answer: ({ id }) => createReplyEvents(id, ['At nine.']),
    voice: () => ({ readyMs: null, durationMs: 1_000 }),
  })
  for (let turn = 0; turn < 3; turn += 1) {
    world.advance(15_000)
    world.callerSays(`And on day ${turn}?`)
  }
  world.advance(15_000)
  expect(world.findEffects('end')).toMatchObject([{ reason: 'error_unknown' }])
})

test('S19 keeps an answer that has not started when another text fails', () => {
  const { world } = createAskedWorld({
    answer: ({ attempt, id }) => (attempt === 0 ? [] : createReplyEvents(id, ['At nine.'], 3_000)),
    voice: (text) => ({ readyMs: text === 'By the way.' ? null : 100, durationMs: 1_000 }),
  })
  world.send({ type: 'say', text: 'By the way.', interruptible: true })
  world.advance(20_000)
  expect(world.getSpokenTexts()).toContain('At nine.')
  expect(world.findEffects('commit-agent-turn').at(-1)).toMatchObject({ interrupted: false })
})

test('S20 S21 S22 handles a stalled model with a filler after 4 s, the next model after 8 s and the fallback after 12 s', () => {
  const { world, atMs } = createAskedWorld({ answer: () => [] })
  world.advance(20_000)
  const getDelayMs = (item: { atMs: number }): number => item.atMs - atMs
  expect(world.findEffects('speak').map((effect) => [effect.kind, getDelayMs(effect)])).toEqual([
    ['filler', 4_000],
    ['fallback', 12_000],
  ])
  const generations = world.findEffects('start-generation').slice(-1)
  expect(generations.map((generation) => [generation.input.type, generation.attempt, getDelayMs(generation)])).toEqual([
    ['again', 1, 8_000],
  ])
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
})

test('S22 ends the call after three stalled turns and their fallback sentences', () => {
  const { world } = createAskedWorld({ answer: () => [] })
  for (let turn = 0; turn < 2; turn += 1) {
    world.advance(16_000)
    world.callerSays('Is anybody there?')
  }
  world.advance(20_000)
  expect(world.findEffects('end')).toMatchObject([{ reason: 'error_unknown' }])
  expect(world.findEffects('speak').filter(({ kind }) => kind === 'fallback')).toHaveLength(3)
})

test('S23 retries a failed model immediately, then speaks the fallback', () => {
  const { world, atMs } = createAskedWorld({
    answer: ({ id }) => [{ afterMs: 500, event: { type: 'generation-ended', generation: id, outcome: 'failed' } }],
  })
  world.advance(5_000)
  expect(world.findEffects('start-generation').map(({ attempt }) => attempt)).toEqual([0, 1, 2])
  const [fallback] = world.findEffects('speak')
  expect(fallback).toMatchObject({ kind: 'fallback' })
  expect((fallback?.atMs ?? 0) - atMs).toBeLessThanOrEqual(1_500)
})

test('S23 retries an empty answer', () => {
  const { world } = createAskedWorld({
    answer: ({ id, attempt }) => createReplyEvents(id, attempt === 0 ? [' '] : ['At nine.']),
  })
  world.advance(5_000)
  expect(world.getSpokenTexts()).toEqual(['At nine.'])
})

test.each<[string, number, (state: TurnState) => boolean]>([
  ['before anything', 0, () => true],
  ['while the caller speaks', 500, ({ lastActivity }) => lastActivity.user === 'speaking'],
  ['while waiting for more', 1_050, ({ lastActivity }) => lastActivity.user === 'trailing'],
  ['while the agent thinks', 1_250, ({ lastActivity }) => lastActivity.agent === 'thinking'],
  ['while a tool runs', 1_600, ({ lastActivity }) => lastActivity.agent === 'tool'],
  ['while the agent speaks', 5_500, ({ lastActivity }) => lastActivity.agent === 'speaking'],
])('S24 releases everything on a hang-up %s', (_, atMs, condition) => {
  const world = createWorld({ answer: ({ id }) => createToolEvents(id, 3_000) })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.callerSays('When do you open?')
  world.advance(atMs)
  expect(condition(world.state)).toBe(true)
  world.send({ type: 'hang-up' })
  expect(world.emitted.at(-1)?.effect).toEqual({ type: 'end', reason: 'user_hangup' })
  expect(world.timers.size).toBe(0)
  const emittedCount = world.emitted.length
  world.advance(60_000)
  world.send({ type: 'hang-up' })
  world.send({ type: 'typed', text: 'Hello?' })
  expect(world.emitted).toHaveLength(emittedCount)
  expect(world.findEffects('commit-user-turn')).toHaveLength(atMs >= 500 ? 1 : 0)
})

test.each<[string, (world: World) => void, string, 'typed' | 'dtmf']>([
  ['typed', (world) => world.send({ type: 'typed', text: 'It is order 4711.' }), 'It is order 4711.', 'typed'],
  ['pressed', (world) => [...'4711'].map((digit) => world.send({ type: 'dtmf', digit })), '4711', 'dtmf'],
])('S24 S40 commits %s input without an answer at the end', (_, enterInput, text, source) => {
  const ends: readonly [VoiceEvent, number][] = [
    [{ type: 'hang-up' }, 0],
    [{ type: 'end-requested', reason: 'manual_stopped', drain: false }, 0],
    [{ type: 'end-requested', reason: 'manual_stopped', drain: true }, 1_600],
  ]
  for (const [end, endsAfterMs] of ends) {
    const world = createWorld({ answer: ({ id }) => createReplyEvents(id, ['Fine.']) })
    world.send({ type: 'joined', opening: { type: 'listen' } })
    world.send({ type: 'say', text: 'A legal notice.', interruptible: false })
    world.advance(500)
    enterInput(world)
    world.send(end)
    world.advance(30_000)
    expect(world.findEffects('commit-user-turn')).toMatchObject([{ turn: 1, text, source, atMs: 500 + endsAfterMs }])
    expect(world.findEffects('end')).toMatchObject([{ atMs: 500 + endsAfterMs }])
    expect(world.findEffects('start-generation')).toEqual([])
    const order = world.getEffectTypes().filter((type) => /^commit|^end$/.test(type))
    expect(order).toEqual(['commit-agent-turn', 'commit-user-turn', 'end'])
  }
})

test('S25 finishes a goodbye without interruption before hanging up', () => {
  const { world } = createAskedWorld({
    answer: ({ id }) => [
      { afterMs: 50, event: { type: 'agent-hang-up', generation: id } },
      ...createReplyEvents(id, ['Good bye.']),
    ],
  })
  while (world.queuedSpeech[0]?.startedAtMs == null) world.advance(10)
  world.callerSays('thank you so much')
  world.advance(1_900)
  expect(world.findEffects('end')).toEqual([])
  world.advance(200)
  expect(world.findEffects('commit-agent-turn')).toMatchObject([{ interrupted: false }])
  expect(world.findEffects('end')).toMatchObject([{ reason: 'agent_hangup' }])
})

test('S25 ends the call if the goodbye fails', () => {
  const { world } = createAskedWorld({
    answer: ({ id }) => [{ afterMs: 50, event: { type: 'agent-hang-up', generation: id } }],
  })
  world.advance(5_000)
  expect(world.findEffects('end')).toMatchObject([{ reason: 'agent_hangup' }])
})

test('S26 reminds a silent caller up to the limit, then ends the call', () => {
  const world = createWorld({
    settings: { reminderMaxCount: 2, endCallAfterSilenceMs: 40_000 },
    answer: ({ id }) => createReplyEvents(id, ['Are you there?'], 0),
    voice: () => ({ readyMs: 0, durationMs: 1_000 }),
  })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello.' } })
  world.advance(100_000)
  expect(world.findEffects('start-generation').map(({ input, atMs }) => [input.type, atMs])).toEqual([
    ['remind', 11_000],
    ['remind', 22_000],
  ])
  // 40 s of silence plus three seconds of agent speech.
  expect(world.findEffects('end')).toMatchObject([{ reason: 'inactivity', atMs: 43_000 }])
})

test('S27 stops reminders and the silence limit while a tool runs, and speaks fillers', () => {
  const { world } = createAskedWorld({
    settings: { endCallAfterSilenceMs: 10_000, reminderTriggerMs: 5_000 },
    answer: ({ id }) => createToolEvents(id, 32_000),
  })
  world.advance(33_000)
  expect(world.findEffects('end')).toEqual([])
  const fillers = world.findEffects('speak').filter(({ kind }) => kind === 'tool-line')
  expect(fillers.length).toBeGreaterThanOrEqual(3)
  expect(new Set(fillers.map(({ text }) => text)).size).toBe(fillers.length)
  expect(world.getNoteCodes()).not.toContain('reminder')
  expect(world.getNoteCodes()).not.toContain('model-stalled')
  expect(world.findEffects('typing-sound').map(({ on }) => on)).toEqual([true, false])
})

test('S27 speaks the first filler ten seconds after an announced tool call, 900 ms after an unannounced one', () => {
  for (const [leadIn, waitMs] of [
    ['I look it up.', 10_000],
    [null, 900],
  ] as const) {
    const { world, atMs } = createAskedWorld({ answer: ({ id }) => createToolEvents(id, 15_000, leadIn) })
    world.advance(14_000)
    const fillers = world.findEffects('speak').filter(({ kind }) => kind === 'tool-line')
    expect(fillers[0]?.atMs).toBe(atMs + 100 + waitMs)
    expect(world.getSpokenTexts()[0]).toBe(leadIn ?? fillers[0]?.text)
  }
})

test('S31 answers injected information after silence and drops the speculation', () => {
  const world = createWorld({
    answer: ({ id }) => createReplyEvents(id, ['Fine.']),
    settings: { responseThresholdMs: 2_000 },
  })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.callerSays('Are you open?')
  world.advance(1_500)
  expect(world.state.speculation).not.toBeNull()
  const speculationId = world.state.speculation?.id
  world.send({ type: 'inject', respond: false })
  expect(world.findEffects('cancel-generation')).toMatchObject([{ generation: speculationId }])
  const listInjectedAnswers = () =>
    world.findEffects('start-generation').filter(({ input }) => input.type === 'injected')
  while (world.queuedSpeech[0]?.startedAtMs == null) world.advance(10)
  world.send({ type: 'inject', respond: true })
  expect(listInjectedAnswers()).toEqual([])
  world.advance(2_100)
  expect(listInjectedAnswers()).toHaveLength(1)
  world.advance(5_000)
  world.makeNoise(1_000)
  world.advance(500)
  world.send({ type: 'inject', respond: true })
  expect(listInjectedAnswers()).toHaveLength(1)
  world.advance(1_000)
  expect(listInjectedAnswers()).toHaveLength(2)
})

test('S32 pauses while the connection is lost and resumes afterwards', () => {
  const { world } = createAskedWorld({ answer: ({ id }) => createReplyEvents(id, ['At nine.', 'Every day.']) })
  while (world.queuedSpeech[0]?.startedAtMs == null) world.advance(10)
  world.advance(500)
  world.send({ type: 'connection-lost' })
  expect(world.isPaused).toBe(true)
  world.advance(10_000)
  world.send({ type: 'connection-restored' })
  expect(world.isPaused).toBe(false)
  world.advance(6_000)
  expect(world.findEffects('commit-agent-turn')).toMatchObject([{ interrupted: false }])
})

test('S32 ends the call by silence if the connection stays lost', () => {
  const { world } = createAskedWorld({ answer: ({ id }) => createReplyEvents(id, ['At nine.']) })
  world.advance(600)
  world.send({ type: 'connection-lost' })
  world.advance(61_000)
  expect(world.findEffects('end')).toMatchObject([{ reason: 'inactivity' }])
})

test('S36 ends the call at its maximum duration', () => {
  const { world } = createAskedWorld({
    settings: { maxCallDurationMs: 3_000 },
    answer: ({ id }) => createReplyEvents(id, ['At nine.']),
  })
  world.advance(5_000)
  expect(world.findEffects('end')).toMatchObject([{ reason: 'max_duration_reached', atMs: 3_000 }])
})

test('S39 delays a `say` text while the caller speaks', () => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.makeNoise(1_000)
  world.advance(300)
  world.send({ type: 'say', text: 'Your taxi is here.', interruptible: false })
  expect(world.getSpokenTexts()).toEqual([])
  world.advance(1_000)
  expect(world.getSpokenTexts()).toEqual(['Your taxi is here.'])
  world.advance(300)
  world.callerSays('what?')
  world.advance(1_500)
  expect(world.getNoteCodes()).not.toContain('interrupted')
})

test('S40 finishes speech before a requested end with `drain` only', () => {
  for (const drain of [true, false]) {
    const { world } = createAskedWorld({ answer: ({ id }) => createReplyEvents(id, ['At nine.']) })
    while (world.queuedSpeech[0]?.startedAtMs == null) world.advance(10)
    const endedAtMs = world.nowMs + (drain ? 2_000 : 0)
    world.send({ type: 'end-requested', reason: 'manual_stopped', drain })
    world.advance(5_000)
    expect(world.findEffects('end')).toMatchObject([{ reason: 'manual_stopped', atMs: endedAtMs }])
    expect(world.findEffects('commit-agent-turn')).toMatchObject([{ interrupted: !drain }])
  }
})

test('S43 starts a new clock for a turn that waited for a failed answer', () => {
  const world = createWorld({ settings: { interruptible: false }, answer: () => [] })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.advance(10_000)
  world.send({ type: 'typed', text: 'Are you there?' })
  world.advance(40_000)
  const [committed] = world.findEffects('commit-user-turn')
  const [fallback] = world.findEffects('speak').filter(({ kind }) => kind === 'fallback')
  expect(committed?.atMs).toBe(22_000)
  expect(fallback?.atMs).toBe(34_000)
})

const TABLE = new URL('../../../../../docs/design/turn-taking.md', import.meta.url)

test('lists the same scenarios in the documentation and in the tests', () => {
  const rows = [...readFileSync(TABLE, 'utf8').matchAll(/^\| (S\d+) +\|.*\| `([\w.-]+)` +\|$/gmu)]
  const emitted = rows.map(([, number, file]) => `${number} ${file}`)
  const tested = new Set<string>()
  for (const file of readdirSync(import.meta.dirname).filter((name) => /^scenarios-.*\.test\.ts$/u.test(name))) {
    const source = readFileSync(new URL(file, import.meta.url), 'utf8')
    for (const [, numbers = ''] of source.matchAll(/'((?:S\d\d ?)+)/gu)) {
      for (const number of numbers.trim().split(' ')) tested.add(`${number} ${file}`)
    }
  }
  expect(emitted.length).toBeGreaterThan(30)
  expect(emitted).toEqual([...tested].sort((a, b) => a.localeCompare(b)))
})
