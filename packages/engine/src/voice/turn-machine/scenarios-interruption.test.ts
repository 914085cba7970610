import { expect, test } from 'vitest'
import { createReplyEvents, createWorld, type WorldOptions } from './call-world-test-kit.ts'

const SENTENCES = ['We open at nine in the morning.', 'We close at six.']

/** Creates a call in which the caller has asked and the agent will answer with two sentences of two seconds each. */
function createAskedWorld(options: WorldOptions = {}) {
  const world = createWorld({ answer: ({ id }) => createReplyEvents(id, SENTENCES), ...options })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.callerSays('When do you open?')
  return world
}

/** Creates a call in which the first sentence has been playing for `agoMs`. */
function createSpeakingWorld(agoMs: number, options: WorldOptions = {}) {
  const world = createAskedWorld(options)
  while (world.queuedSpeech[0]?.startedAtMs == null) world.advance(10)
  world.advance(agoMs)
  return world
}

test('S01 repeats a reply whose interruption was retracted', () => {
  const world = createSpeakingWorld(1_500)
  world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'x', text: 'the thing', stage: 'interim', endOfTurn: null })
  expect(world.findEffects('commit-agent-turn')).toMatchObject([{ generation: 1, interrupted: true }])
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'x', text: '', stage: 'final', endOfTurn: null })
  const retractedAtMs = world.nowMs
  world.advance(8_000)
  expect(world.findEffects('start-generation').at(-1)).toMatchObject({
    input: { type: 'again' },
    atMs: retractedAtMs + 5_000,
  })
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
  expect(world.state.generation?.turnNumber).toBe(1)
})

test('S53 is at full volume in a pause of the speech and stops only for continuous speech', () => {
  const world = createSpeakingWorld(1_500)
  const startedAtMs = world.nowMs
  world.send({ type: 'voice-started', startedAtMs, level: 'normal' })
  world.schedule(350, { type: 'voice-paused', isPaused: true })
  world.schedule(450, { type: 'voice-paused', isPaused: false })
  world.schedule(490, { type: 'voice-paused', isPaused: true })
  world.schedule(560, { type: 'voice-paused', isPaused: false })
  world.advance(2_000)
  expect(world.findEffects('duck-playout').map(({ db, atMs }) => [db, atMs - startedAtMs])).toEqual([
    [6, 0],
    [9, 300],
    [0, 350],
    [9, 450],
    [0, 490],
    [9, 560],
    [0, 560],
  ])
  expect(world.findEffects('pause-playout')).toMatchObject([{ atMs: startedAtMs + 560 }])
})

test('S02 repeats a reply that was canceled by retracted words before it started', () => {
  const world = createAskedWorld()
  while (world.state.generation === null) world.advance(10)
  world.send({ type: 'transcript', utteranceId: 'x', text: 'the', stage: 'interim', endOfTurn: null })
  expect(world.findEffects('cancel-generation')).toHaveLength(1)
  world.send({ type: 'transcript', utteranceId: 'x', text: '', stage: 'final', endOfTurn: null })
  world.advance(12_000)
  expect(world.getNoteCodes()).toContain('reply-run-again')
  expect(world.getSpokenTexts().filter((text) => text === SENTENCES[0])).toHaveLength(1)
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
})

test('S03 delays a reply for voice before its first frame', () => {
  const world = createAskedWorld()
  while (world.state.generation === null) world.advance(10)
  world.makeNoise(240)
  world.advance(220)
  expect(world.isPaused).toBe(true)
  world.advance(240)
  expect(world.isPaused).toBe(false)
  world.advance(10_000)
  expect(world.getSpokenTexts()).toEqual(SENTENCES)
  expect(world.getEffectTypes()).not.toContain('clear-playout')
})

test('S04 answers the new turn after an interruption while a tool runs', () => {
  const world = createWorld({
    answer: ({ id, input }) => {
      if (input.type !== 'user' || input.text !== 'Book it.') return createReplyEvents(id, SENTENCES)
      const clause = { type: 'clause', generation: id, utteranceId: 'line', text: 'I book it now.' } as const
      const toolStart = {
        type: 'tool-started',
        generation: id,
        toolCallId: 'c',
        hasLeadIn: true,
        typingSound: true,
      } as const
      return [
        { afterMs: 100, event: clause },
        { afterMs: 100, event: toolStart },
      ]
    },
  })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.callerSays('Book it.')
  world.advance(3_000)
  expect(world.state.lastActivity.agent).toBe('speaking')
  world.callerSays('no, leave it')
  world.advance(3_000)
  expect(world.findEffects('typing-sound').map(({ on }) => on)).toEqual([true, false])
  expect(world.findEffects('commit-agent-turn')[0]).toMatchObject({ interrupted: true })
  expect(world.findEffects('commit-user-turn')[1]?.text).toBe('no, leave it')
  // The result belongs to a canceled generation.
  world.send({ type: 'tool-ended', generation: 1, toolCallId: 'c' })
  expect(world.state.generation?.runningToolCallIds).toEqual([])
})

test('S05 keeps a transition whose text was interrupted', () => {
  const world = createSpeakingWorld(1_500)
  world.callerSays('hello, are you there?')
  world.advance(500)
  expect(world.findEffects('cancel-generation')).toHaveLength(1)
  const settings = { ...world.state.settings, responseThresholdMs: 900 }
  world.send({ type: 'transition', generation: 1, settings })
  expect(world.state.settings.responseThresholdMs).toBe(900)
  world.send({ type: 'transition', generation: 77, settings: { ...settings, responseThresholdMs: 1 } })
  expect(world.state.settings.responseThresholdMs).toBe(900)
})

test('S08 continues after "mhm" in mid-sentence', () => {
  const world = createSpeakingWorld(1_500)
  world.callerSays('mhm', { durationMs: 180 })
  world.advance(10_000)
  expect(world.getSpokenTexts()).toEqual(SENTENCES)
  expect(world.getEffectTypes()).not.toContain('clear-playout')
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
  expect(world.getNoteCodes()).toContain('backchannel')
})

test('S09 never stops for a long "okay" in the first second', () => {
  const world = createSpeakingWorld(300)
  world.callerSays('okay', { durationMs: 600 })
  world.schedule(601, { type: 'voice-started', startedAtMs: world.nowMs + 600, level: 'normal' })
  world.schedule(2_600, { type: 'voice-ended', lastVoiceAtMs: world.nowMs + 2_400 })
  world.advance(10_000)
  expect(world.getEffectTypes()).not.toContain('pause-playout')
  expect(world.getNoteCodes()).toContain('backchannel')
  expect(world.getSpokenTexts()).toEqual(SENTENCES)
  expect(world.findEffects('commit-agent-turn')).toMatchObject([{ interrupted: false }])
})

test('S10 ignores "okay" right after the last word and answers it two seconds later', () => {
  const world = createSpeakingWorld(0)
  while (world.queuedSpeech.length > 0) world.advance(10)
  world.advance(400)
  world.callerSays('okay', { durationMs: 200 })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
  world.callerSays('okay', { durationMs: 200 })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn')).toHaveLength(2)
})

test('S11 takes "yes" as the answer to a question, before and after its end', () => {
  for (const afterMs of [1_500, 2_300]) {
    const world = createSpeakingWorld(afterMs, { answer: ({ id }) => createReplyEvents(id, ['Shall I book it?']) })
    world.callerSays('yes', { durationMs: 250 })
    world.advance(5_000)
    expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['When do you open?', 'yes'])
    expect(world.getNoteCodes()).not.toContain('interrupted')
  }
})

test('S12 speaks on during a cough, more quietly while it lasts', () => {
  const world = createSpeakingWorld(1_000)
  const startedAtMs = world.nowMs
  world.makeNoise(240)
  world.advance(10_000)
  expect(world.findEffects('duck-playout').map(({ db, atMs }) => [db, atMs - startedAtMs])).toEqual([
    [6, 0],
    [9, 250],
    [0, 440],
  ])
  expect(world.getEffectTypes()).not.toContain('pause-playout')
  expect(world.getSpokenTexts()).toEqual(SENTENCES)
})

test('S12 stops for longer speech without words, and continues once its text is late', () => {
  const world = createSpeakingWorld(500)
  const startedAtMs = world.nowMs
  world.makeNoise(800)
  world.advance(3_000)
  // The transcriber took 400 ms for the first words of the caller's question.
  expect(world.findEffects('pause-playout')[0]?.atMs).toBe(startedAtMs - 50 + 500)
  expect(world.findEffects('resume-playout')[0]?.atMs).toBe(startedAtMs + 800 + Math.round(350 * 1.25))
  expect(world.getEffectTypes()).not.toContain('clear-playout')
})

test('S12 continues from a stop that late words prove wrong', () => {
  const world = createSpeakingWorld(1_500)
  world.makeNoise(900)
  world.schedule(1_000, { type: 'transcript', utteranceId: 'x', text: 'uh-huh', stage: 'final', endOfTurn: null })
  world.advance(10_000)
  expect(world.getEffectTypes()).toEqual(expect.arrayContaining(['pause-playout', 'resume-playout']))
  expect(world.getNoteCodes()).toContain('backchannel')
  expect(world.getSpokenTexts()).toEqual(SENTENCES)
})

test.each([
  ['S13', 'wait'],
  ['S13', 'Stop.'],
  ['S14', 'hold on'],
  ['S14', 'Ada'],
])('%s stops the agent at "%s" and answers it', (_, text) => {
  const world = createSpeakingWorld(1_200)
  world.callerSays(text, { durationMs: 300 })
  world.advance(180)
  expect(
    world.getEffectTypes().filter((type) => /clear-playout|cancel-generation|commit-agent-turn/.test(type)),
  ).toEqual(['clear-playout', 'cancel-generation', 'commit-agent-turn'])
  world.advance(4_000)
  expect(world.findEffects('commit-user-turn')[1]?.text).toBe(text)
  expect(world.findEffects('start-generation').at(-1)?.input).toEqual({ type: 'user', text })
})

test('S30 finishes uninterruptible speech and then answers the caller', () => {
  const world = createSpeakingWorld(500, { settings: { interruptible: false } })
  world.callerSays('but I want something else')
  world.advance(2_000)
  expect(world.isPaused).toBe(false)
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
  world.advance(6_000)
  expect(world.findEffects('commit-agent-turn')[0]).toMatchObject({ interrupted: false })
  expect(world.findEffects('commit-user-turn')[1]?.text).toBe('but I want something else')
})

test('S34 finishes audible speech with sensitivity none', () => {
  const world = createSpeakingWorld(500, { settings: { interruptionAfterMs: null } })
  world.callerSays('stop stop stop')
  world.advance(7_000)
  expect(world.getEffectTypes()).not.toContain('pause-playout')
  expect(world.findEffects('commit-agent-turn')[0]).toMatchObject({ interrupted: false })
  expect(world.findEffects('commit-user-turn')[1]?.text).toBe('stop stop stop')
})

test('S37 continues during endless noise', () => {
  const world = createSpeakingWorld(500)
  world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: 'normal' })
  world.advance(20_000)
  expect(world.getNoteCodes()).toContain('voice-without-text')
  expect(world.findEffects('commit-agent-turn')[0]).toMatchObject({ interrupted: false })
})

test('S38 ignores its own echo', () => {
  const world = createSpeakingWorld(500)
  world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: 'echo-like' })
  world.advance(400)
  expect(world.getEffectTypes()).not.toContain('duck-playout')
  // Transcribers mishear echoes.
  world.send({ type: 'transcript', utteranceId: 'e', text: 'at nine in them', stage: 'interim', endOfTurn: null })
  expect(world.getNoteCodes()).not.toContain('interrupted')
  world.send({ type: 'transcript', utteranceId: 'f', text: 'excuse me', stage: 'interim', endOfTurn: null })
  expect(world.getNoteCodes()).toContain('interrupted')
})

test('S46 decides nothing before a beginning of a backchannel is complete', () => {
  const world = createSpeakingWorld(1_500)
  const start = world.nowMs
  world.send({ type: 'voice-started', startedAtMs: start - 50, level: 'normal' })
  world.schedule(200, { type: 'transcript', utteranceId: 'x', text: 'I', stage: 'interim', endOfTurn: null })
  world.schedule(400, { type: 'transcript', utteranceId: 'x', text: 'I see', stage: 'interim', endOfTurn: null })
  world.schedule(600, { type: 'voice-ended', lastVoiceAtMs: start + 400 })
  world.schedule(700, { type: 'transcript', utteranceId: 'x', text: 'I see.', stage: 'final', endOfTurn: null })
  world.advance(10_000)
  expect(world.getEffectTypes()).not.toContain('pause-playout')
  expect(world.getSpokenTexts()).toEqual(SENTENCES)
})

test('S46 takes a beginning of a backchannel as an interruption if nothing follows', () => {
  const world = createSpeakingWorld(1_500)
  const start = world.nowMs
  world.send({ type: 'voice-started', startedAtMs: start - 50, level: 'normal' })
  world.schedule(200, { type: 'transcript', utteranceId: 'x', text: 'Got', stage: 'interim', endOfTurn: null })
  world.schedule(600, { type: 'voice-ended', lastVoiceAtMs: start + 400 })
  world.advance(1_000)
  expect(world.getNoteCodes()).toContain('interrupted')
})

test('S47 ignores other people while the agent speaks, unless they tell it to stop', () => {
  const world = createSpeakingWorld(1_500)
  world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: 'background' })
  world.advance(300)
  const talk = { type: 'transcript', utteranceId: 'x', stage: 'interim', endOfTurn: null } as const
  world.send({ ...talk, text: 'and the weather' })
  world.advance(700)
  expect(world.getEffectTypes().filter((type) => /playout/.test(type))).toEqual([])
  world.send({ ...talk, text: 'and the weather stop' })
  expect(world.getNoteCodes()).toContain('interrupted')
})

test('S48 keeps words that follow a backchannel right after the last word', () => {
  const world = createSpeakingWorld(0)
  while (world.queuedSpeech.length > 0) world.advance(10)
  const start = world.nowMs
  const speech = { type: 'transcript', utteranceId: 'x', stage: 'interim', endOfTurn: null } as const
  world.schedule(300, { type: 'voice-started', startedAtMs: start + 250, level: 'normal' })
  world.schedule(600, { ...speech, text: 'okay' })
  world.schedule(900, { type: 'voice-ended', lastVoiceAtMs: start + 700 })
  world.schedule(1_500, { type: 'voice-started', startedAtMs: start + 1_450, level: 'normal' })
  world.schedule(2_000, { ...speech, text: 'okay I would like a croissant' })
  world.schedule(3_000, { type: 'voice-ended', lastVoiceAtMs: start + 2_800 })
  world.schedule(3_100, { ...speech, text: 'Okay, I would like a croissant.', stage: 'final' })
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual([
    'When do you open?',
    'Okay, I would like a croissant.',
  ])
})
