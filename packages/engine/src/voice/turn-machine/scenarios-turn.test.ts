import { expect, test } from 'vitest'
import { createListeningWorld, createReplyEvents, createWorld } from './call-world-test-kit.ts'

test('S06 speaks the opening once despite repeated joins and interruptions', () => {
  const world = createWorld({ answer: ({ id }) => createReplyEvents(id, ['Fine.']) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, this is Ada.' } })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, this is Ada.' } })
  world.advance(1_000)
  world.callerSays('I have a problem')
  world.advance(20_000)
  expect(world.getSpokenTexts().filter((text) => text.startsWith('Hello'))).toHaveLength(1)
  expect(world.findEffects('commit-agent-turn')[0]).toMatchObject({ generation: null, interrupted: true })
})

test('S41 answers a caller who speaks before a delayed opening', () => {
  const world = createWorld({
    settings: { beginMessageDelayMs: 3_000 },
    answer: ({ id }) => createReplyEvents(id, ['Fine.']),
  })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello.' } })
  world.callerSays('Good morning, are you open?')
  world.advance(8_000)
  expect(world.getSpokenTexts()).toEqual(['Fine.'])
})

test('S41 opens the call itself if the caller stays silent', () => {
  const world = createListeningWorld({ settings: { beginAfterUserSilenceMs: 4_000 } })
  world.advance(5_000)
  expect(world.findEffects('start-generation')).toMatchObject([{ atMs: 4_000, input: { type: 'open' } }])
})

test('S07 ignores a final text after its turn was committed', () => {
  const world = createListeningWorld()
  world.callerSays('I need a table', { id: 'a', finalMs: 100 })
  while (world.findEffects('commit-user-turn').length === 0) world.advance(10)
  world.send({ type: 'transcript', utteranceId: 'a', text: 'I need a table please.', stage: 'final', endOfTurn: null })
  world.send({ type: 'transcript', utteranceId: 'a', text: 'I need a table', stage: 'final', endOfTurn: null })
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn')).toHaveLength(1)
  expect(world.getNoteCodes()).not.toContain('interrupted')
})

test('S07 starts a new turn for words that follow in the same utterance after new voice', () => {
  const world = createListeningWorld()
  world.callerSays('I need a table.', { id: 'a' })
  world.advance(6_000)
  world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: 'normal' })
  world.advance(600)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs - 200 })
  world.send({
    type: 'transcript',
    utteranceId: 'a',
    text: 'I need a table. For two.',
    stage: 'final',
    endOfTurn: null,
  })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.', 'For two.'])
})

/** Simulates speech that a batch transcriber reports after the voice has ended. */
function speakToSlowTranscriber(world: ReturnType<typeof createListeningWorld>, text: string, finalMs: number): void {
  const id = `slow-${world.nowMs}`
  world.makeNoise(600)
  world.advance(600 + finalMs)
  world.send({ type: 'transcript', utteranceId: id, text, stage: 'final', endOfTurn: null })
}

test('S44 answers once when the caller continues after a final text', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_010 } })
  speakToSlowTranscriber(world, 'I need a table', 300)
  speakToSlowTranscriber(world, 'for two.', 1_500)
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table for two.'])
  expect(world.getSpokenTexts()).toEqual(['Fine.'])
})

test('S44 waits for the transcript of a cough after a final text', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_010 } })
  speakToSlowTranscriber(world, 'I need a table.', 300)
  speakToSlowTranscriber(world, '', 600)
  const transcribedAtMs = world.nowMs
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ text: 'I need a table.', atMs: transcribedAtMs }])
})

test('S44 ends the turn when the transcriber reports nothing in time', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_010 } })
  speakToSlowTranscriber(world, 'I need a table.', 300)
  const startedAtMs = world.nowMs
  world.makeNoise(600)
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ atMs: startedAtMs + 600 + 2_010 }])
})

test.each([
  { finalMs: 1_800, committed: [{ text: 'Are you open on Sunday?', atMs: 1_000 + 1_800 }] },
  { finalMs: null, committed: [{ text: 'Are you open?', atMs: 1_000 + 3_000 }] },
])('S44 waits for the final text of a transcriber that is late on a busy machine ($finalMs)', (late) => {
  const { finalMs, committed } = late
  const world = createListeningWorld({ settings: { transcriberP99Ms: 700, transcriberLimitMs: 3_000 } })
  const transcript = { type: 'transcript', utteranceId: 'a', endOfTurn: null } as const
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.schedule(700, { ...transcript, text: 'Are you open?', stage: 'interim' })
  world.schedule(1_200, { type: 'voice-ended', lastVoiceAtMs: 1_000 })
  if (finalMs !== null)
    world.schedule(1_000 + finalMs, { ...transcript, text: 'Are you open on Sunday?', stage: 'final' })
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject(committed)
})

test.each([
  { first: 'interim', id: 'a', text: 'So I have ordered a bicycle and it never came.' },
  { first: 'final', id: 'b', text: 'ordered a bicycle and it never came.' },
] as const)('S44 does not answer during long speech with a slow transcriber ($first text)', ({ first, id, text }) => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_010 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  const transcript = { type: 'transcript', utteranceId: 'a', text: 'So I have', stage: first, endOfTurn: null } as const
  world.schedule(3_000, transcript)
  world.schedule(12_200, { type: 'voice-ended', lastVoiceAtMs: 12_000 })
  world.schedule(12_900, { ...transcript, utteranceId: id, text, stage: 'final' })
  world.advance(20_000)
  expect(world.findEffects('commit-user-turn').map((turn) => turn.text)).toEqual([
    'So I have ordered a bicycle and it never came.',
  ])
})

test('S44 does not wait any longer once a final text confirms words that came early', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_010 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  const transcript = {
    type: 'transcript',
    utteranceId: 'a',
    text: 'I have another question.',
    endOfTurn: null,
  } as const
  world.schedule(1_000, { ...transcript, stage: 'interim' })
  world.schedule(2_200, { type: 'voice-ended', lastVoiceAtMs: 2_000 })
  world.schedule(2_500, { ...transcript, stage: 'final' })
  world.advance(8_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ atMs: 2_500 }])
})

test('S15 joins groups of digits while a phone number is expected', () => {
  const world = createWorld({ answer: ({ id }) => createReplyEvents(id, ['Fine.']) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'What is your phone number?' } })
  world.advance(4_000)
  for (const group of ['five five five', 'one two three', 'four five six seven']) {
    world.callerSays(group, { durationMs: 600 })
    world.advance(1_700)
  }
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual([
    'five five five one two three four five six seven',
  ])
})

test('S28 interrupts for typed text and answers it immediately', () => {
  const world = createListeningWorld({ answer: ({ id }) => createReplyEvents(id, ['A long story.']) })
  world.callerSays('Tell me a story.')
  world.advance(2_500)
  expect(world.state.lastActivity.agent).toBe('speaking')
  world.send({ type: 'typed', text: ' Another one, please ' })
  expect(world.findEffects('commit-user-turn')[1]).toMatchObject({
    text: 'Another one, please',
    source: 'typed',
    endOfTurnMs: 0,
  })
  expect(world.findEffects('commit-agent-turn')[0]).toMatchObject({ interrupted: true })
})

test('S29 ends key input after a pause, the termination key or the digit limit', () => {
  const pressKeys = (keys: string, dtmf: { digitLimit: number | null; terminationKey: string | null }) => {
    const world = createListeningWorld({ settings: { dtmf: { ...dtmf, timeoutMs: 2_000 } } })
    for (const digit of keys) world.send({ type: 'dtmf', digit })
    world.advance(2_500)
    return world.findEffects('commit-user-turn').map(({ text, source, atMs }) => [text, source, atMs])
  }
  expect(pressKeys('12', { digitLimit: null, terminationKey: null })).toEqual([['12', 'dtmf', 2_000]])
  expect(pressKeys('12#', { digitLimit: null, terminationKey: '#' })).toEqual([['12', 'dtmf', 0]])
  expect(pressKeys('1234', { digitLimit: 4, terminationKey: '#' })).toEqual([['1234', 'dtmf', 0]])
  expect(pressKeys('#', { digitLimit: 4, terminationKey: '#' })).toEqual([])
})

test('S29 interrupts for keys only if allowed, even uninterruptible speech', () => {
  for (const allowDtmfInterruption of [true, false]) {
    const world = createListeningWorld({
      settings: { interruptible: false, allowDtmfInterruption },
      answer: ({ id }) => createReplyEvents(id, ['Press one for sales.']),
    })
    world.callerSays('Hello there.')
    world.advance(2_500)
    world.send({ type: 'dtmf', digit: '1' })
    expect(world.getNoteCodes().includes('interrupted')).toBe(allowDtmfInterruption)
    world.advance(6_000)
    expect(world.findEffects('commit-user-turn')[1]).toMatchObject({ text: '1', source: 'dtmf' })
  }
})

test('S33 uses a speculative answer if the words stay the same', () => {
  const world = createListeningWorld({ settings: { responseThresholdMs: 1_500 } })
  world.callerSays('Are you open', { finalMs: 100 })
  world.advance(2_200)
  expect(world.findEffects('start-generation')).toMatchObject([{ speculative: true }])
  expect(world.getSpokenTexts()).toEqual([])
  world.advance(1_000)
  expect(world.getEffectTypes().filter((type) => /commit|speak|start/.test(type))).toEqual([
    'start-generation',
    'commit-user-turn',
    'commit-generation',
    'speak',
  ])
})

test('S33 drops a speculation when the caller continues, after at most three', () => {
  const world = createListeningWorld({ settings: { responseThresholdMs: 2_000 } })
  for (const text of ['I', 'need', 'a', 'table', 'today']) {
    world.callerSays(text, { durationMs: 200 })
    world.advance(900)
  }
  world.advance(5_000)
  const startedGenerations = world.findEffects('start-generation')
  expect(startedGenerations.filter(({ speculative }) => speculative)).toHaveLength(3)
  expect(world.getNoteCodes().filter((code) => code === 'speculation-wasted')).toHaveLength(3)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table today'])
})

test('S35 says a backchannel while the caller speaks at length', () => {
  const world = createListeningWorld({ settings: { backchannel: { frequency: 1, words: ['Mhm.'] } } })
  world.callerSays('so yesterday I went to your shop and', { durationMs: 3_500 })
  world.advance(4_000)
  expect(world.findEffects('speak')).toMatchObject([{ kind: 'backchannel', text: 'Mhm.' }])
  expect(world.findEffects('commit-agent-turn')).toEqual([])
  world.callerSays('nobody was there.', { durationMs: 500 })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn')[0]?.text).toBe('so yesterday I went to your shop and nobody was there.')
})

test('S42 adds "yes" to an answer that was committed too early', () => {
  const world = createWorld({ answer: ({ id }) => createReplyEvents(id, ['Fine.'], 2_000) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Shall I book it?' } })
  world.advance(4_000)
  world.callerSays('I think so.', { durationMs: 500 })
  world.advance(1_500)
  expect(world.state.lastActivity.agent).toBe('thinking')
  world.callerSays('yes', { durationMs: 250 })
  world.advance(5_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I think so.', 'yes'])
  expect(world.getSpokenTexts()).toEqual(['Shall I book it?', 'Fine.'])
})

/** Returns when the turn ends if the turn detector answers with `probability` this long after the voice was found to have ended. */
function findTurnEndMs(text: string, probability: number, afterMs = 60): number | undefined {
  const world = createListeningWorld({ detect: () => ({ afterMs, probability }) })
  const startedAtMs = world.nowMs
  world.callerSays(text, { durationMs: 1_000 })
  world.advance(8_000)
  const turn = world.findEffects('commit-user-turn')[0]
  return turn === undefined ? undefined : turn.atMs - startedAtMs - 1_000
}

test('S52 follows the turn detector, within what the words support', () => {
  expect(findTurnEndMs('I would like a small table', 0.95)).toBe(400)
  expect(findTurnEndMs('I would like a small table', 0.05)).toBeGreaterThan(800)
  expect(findTurnEndMs('what are your opening hours?', 0.05)).toBeLessThan(500)
  expect(findTurnEndMs('and then I', 0.05)).toBeGreaterThan(1_250)
})

test('S52 lets a late answer of the turn detector end the turn at once', () => {
  expect(findTurnEndMs('I would like a table and', 0.95, 700)).toBe(900)
  // Too late: the turn has ended.
  expect(findTurnEndMs('I would like a small table', 0.05, 700)).toBe(400)
})

test('S52 drops an answer of the turn detector once the caller continues', () => {
  const world = createListeningWorld({ detect: (pauseId) => (pauseId === 2 ? { afterMs: 900, probability: 1 } : null) })
  world.callerSays('I would like a table and', { durationMs: 500 })
  world.advance(1_000)
  world.callerSays('two chairs for', { durationMs: 500 })
  world.advance(8_000)
  expect(world.findEffects('estimate-turn-end')).toMatchObject([{ sinceMs: 0 }, { sinceMs: 0 }])
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ text: 'I would like a table and two chairs for' }])
  expect(world.findEffects('commit-user-turn')[0]?.endOfTurnMs).toBeGreaterThan(1_000)
})

test('S52 drops an answer of the turn detector after noise, too', () => {
  const world = createListeningWorld({
    detect: (pauseId) => (pauseId === 2 ? { afterMs: 7_000, probability: 1 } : null),
  })
  world.callerSays('I would like a table and', { durationMs: 500 })
  world.advance(900)
  // Noise that goes on. The machine drops it before it ends.
  world.send({ type: 'voice-started', startedAtMs: world.nowMs - 50, level: 'normal' })
  world.advance(10_000)
  expect(world.findEffects('estimate-turn-end')).toHaveLength(1)
  expect(world.state.voice).toMatchObject({ isActive: false, endProbability: null })
})
