import { expect, test } from 'vitest'
import { createListeningWorld, createReplyEvents, createWorld } from './call-world-test-kit.ts'

test('S16 drops voice without words after 5 s', () => {
  const world = createListeningWorld()
  world.makeNoise(900)
  world.advance(4_900)
  expect(world.getNoteCodes()).toEqual([])
  world.advance(200)
  expect(world.getNoteCodes()).toEqual(['voice-without-text'])
  expect(world.getSpokenTexts()).toEqual([])
  expect(world.findEffects('commit-user-turn')).toEqual([])
})

test('S49 asks twice to repeat speech without words, and again after a turn', () => {
  const world = createListeningWorld()
  for (let attempt = 0; attempt < 3; attempt += 1) {
    world.makeNoise(1_500)
    world.schedule(1_800, { type: 'transcript', utteranceId: `x${attempt}`, text: '', stage: 'final', endOfTurn: null })
    world.advance(8_000)
  }
  const asked = () => world.getSpokenTexts().filter((text) => text === "Sorry, I didn't catch that.").length
  expect(asked()).toBe(2)
  world.callerSays('Are you open?')
  world.advance(8_000)
  world.makeNoise(1_500)
  world.advance(8_000)
  expect(asked()).toBe(3)
})

test('S50 answers although other voices go on after the final words', () => {
  const world = createListeningWorld()
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  const speech = { type: 'transcript', utteranceId: 'x', endOfTurn: null } as const
  world.schedule(400, { ...speech, text: 'Are you', stage: 'interim' })
  world.schedule(900, { ...speech, text: 'Are you open?', stage: 'final' })
  world.advance(10_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ text: 'Are you open?', atMs: 900 + 900 }])
})

test('S51 holds an answer for new voice only as long as words can arrive', () => {
  const world = createListeningWorld()
  const speech = { type: 'transcript', utteranceId: 'x', endOfTurn: null } as const
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.schedule(500, { ...speech, text: 'Are', stage: 'interim' })
  world.schedule(700, { ...speech, text: 'Are you', stage: 'interim' })
  world.schedule(1_000, { type: 'voice-ended', lastVoiceAtMs: 800 })
  world.schedule(1_050, { ...speech, text: 'Are you open?', stage: 'final' })
  world.schedule(1_250, { type: 'voice-started', startedAtMs: 1_200, level: 'normal' })
  world.advance(10_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ text: 'Are you open?' }])
  expect(world.findEffects('pause-playout')).toHaveLength(1)
  expect(world.findEffects('resume-playout')).toMatchObject([{ atMs: 1_200 + 1_500 }])
})

test('S17 accepts words without voice as a turn', () => {
  const world = createListeningWorld()
  world.advance(3_000)
  world.send({ type: 'transcript', utteranceId: 'a', text: 'Are you open?', stage: 'final', endOfTurn: null })
  world.advance(2_000)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ text: 'Are you open?', lastVoiceAtMs: 3_000 }])
  expect(world.getNoteCodes()).toContain('text-without-voice')
})

test('S18 replaces interim text with text from the next transcriber', () => {
  const world = createListeningWorld()
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need', stage: 'interim', endOfTurn: null })
  world.advance(1_000)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'new-1', text: 'I need a table.', stage: 'final', endOfTurn: null })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.'])
})

test('S18 waits for the next transcriber before committing interim text', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need', stage: 'interim', endOfTurn: null })
  world.advance(1_000)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.advance(1_700)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.advance(1_500)
  expect(world.findEffects('commit-user-turn')).toEqual([])
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need a table.', stage: 'final', endOfTurn: null })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.'])
})

test('S18 keeps final text when the transcriber is replaced', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_000 } })
  world.callerSays('I would like a table', { finalMs: 100 })
  world.send({ type: 'voice-started', startedAtMs: world.nowMs, level: 'normal' })
  world.advance(300)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.advance(500)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'new-1', text: 'for two.', stage: 'final', endOfTurn: null })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I would like a table for two.'])
})

test('S18 keeps final text and corrects the interim text behind it', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'one', text: 'I would like a table', stage: 'final', endOfTurn: null })
  world.send({ type: 'transcript', utteranceId: 'two', text: 'for you', stage: 'interim', endOfTurn: null })
  world.send({ type: 'transcriber', status: 'replaced' })
  world.advance(500)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'two', text: 'for two.', stage: 'final', endOfTurn: null })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I would like a table for two.'])
})

test.each([
  ['silent', 'replaced', 2_000],
  ['gone as well', 'gone', 0],
] as const)('S18 commits interim text when the next transcriber is %s', (_, status, maxMs) => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need a table.', stage: 'interim', endOfTurn: null })
  world.advance(1_000)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.advance(1_700)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.send({ type: 'transcriber', status })
  world.advance(maxMs)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.'])
})

test.each([
  ['soon after the last words', 500, 1_500, ['I need a']],
  ['long after the last words', 1_500, 4_000, []],
  ['long after the last words, and nothing more arrives', 1_500, 4_600, ['I need a']],
] as const)('S18 commits interim text of a silent transcriber if the voice ends %s', (_, voiceMs, waitMs, texts) => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 400 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'one', text: 'I need a', stage: 'interim', endOfTurn: null })
  world.advance(voiceMs)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.advance(waitMs)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(texts)
})

test('S18 waits for the rest of a text that arrives after the voice', () => {
  const world = createListeningWorld({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.advance(1_000)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.advance(1_900)
  world.send({ type: 'transcript', utteranceId: 'one', text: 'When does', stage: 'interim', endOfTurn: null })
  world.advance(1_300)
  expect(world.findEffects('commit-user-turn')).toEqual([])
  world.send({ type: 'transcriber', status: 'replaced' })
  world.send({ type: 'transcript', utteranceId: 'one', text: 'When does it open?', stage: 'final', endOfTurn: null })
  world.advance(3_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['When does it open?'])
})

test('S18 ends the call after three unrecognized voices without a transcriber', () => {
  const world = createListeningWorld({ settings: { reminderMaxCount: 0 } })
  world.send({ type: 'transcriber', status: 'gone' })
  for (let count = 0; count < 3; count += 1) {
    world.makeNoise(1_000)
    world.advance(6_000)
  }
  expect(world.findEffects('end')).toMatchObject([{ reason: 'error_asr' }])
})

test('S45 ignores noise when nothing recognizes speech', () => {
  const world = createWorld({ answer: ({ id }) => createReplyEvents(id, ['For tonight?']) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, what can I do?' } })
  world.send({ type: 'transcriber', status: 'none' })
  for (let count = 0; count < 8; count += 1) {
    world.makeNoise(400)
    world.advance(1_000)
  }
  world.send({ type: 'typed', text: 'A table for two.' })
  for (let count = 0; count < 6; count += 1) {
    world.makeNoise(400)
    world.advance(1_000)
  }
  expect(world.findEffects('pause-playout')).toEqual([])
  expect(world.getNoteCodes()).not.toContain('voice-without-text')
  expect(world.findEffects('commit-agent-turn')).toMatchObject([{ interrupted: false }, { interrupted: false }])
  expect(world.findEffects('end')).toEqual([])
})

test('S45 resumes a paused agent when recognition turns out to be unavailable', () => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, what can I do?' } })
  world.advance(500)
  world.send({ type: 'voice-started', startedAtMs: world.nowMs, level: 'normal' })
  world.advance(600)
  expect(world.findEffects('pause-playout')).toHaveLength(1)
  world.send({ type: 'transcriber', status: 'none' })
  world.advance(1)
  expect(world.findEffects('resume-playout')).toHaveLength(1)
})

test('S45 does not end a call by noise if the caller types', () => {
  const world = createListeningWorld({ settings: { reminderMaxCount: 0 } })
  world.send({ type: 'transcriber', status: 'gone' })
  world.send({ type: 'transcriber', status: 'none' })
  for (let count = 0; count < 4; count += 1) {
    world.makeNoise(1_000)
    world.advance(6_000)
  }
  expect(world.findEffects('end')).toEqual([])
})

test.each(['none', 'gone'] as const)('S45 listens again as soon as words arrive (%s)', (status) => {
  const world = createListeningWorld({
    answer: ({ id }) => createReplyEvents(id, ['A long, long story about everything.']),
  })
  world.send({ type: 'transcriber', status })
  world.callerSays('Tell me a story.')
  world.advance(2_500)
  expect(world.findEffects('commit-user-turn')).toMatchObject([{ text: 'Tell me a story.' }])
  world.callerSays('Stop, please.')
  world.advance(500)
  expect(world.getNoteCodes()).toContain('interrupted')
  expect(world.state).toMatchObject({ transcriberStatus: 'listening', unrecognizedTurnCount: 0 })
})
