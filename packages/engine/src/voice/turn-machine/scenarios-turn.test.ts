import { expect, test } from 'vitest'
import { createWorld, replies, type WorldOptions } from './call-world-test-kit.ts'

function listening(options: WorldOptions = {}) {
  const world = createWorld({ answer: ({ id }) => replies(id, ['Fine.']), ...options })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  return world
}

test('S06 the opening is said once, however often the line is joined or the opening interrupted', () => {
  const world = createWorld({ answer: ({ id }) => replies(id, ['Fine.']) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, this is Ada.' } })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, this is Ada.' } })
  world.pass(1_000)
  world.callerSays('I have a problem')
  world.pass(20_000)
  expect(world.spoken().filter((text) => text.startsWith('Hello'))).toHaveLength(1)
  expect(world.effects('commit-agent-turn')[0]).toMatchObject({ generation: null, interrupted: true })
})

test('S41 who speaks before a delayed opening is answered instead', () => {
  const world = createWorld({
    settings: { beginMessageDelayMs: 3_000 },
    answer: ({ id }) => replies(id, ['Fine.']),
  })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello.' } })
  world.callerSays('Good morning, are you open?')
  world.pass(8_000)
  expect(world.spoken()).toEqual(['Fine.'])
})

test('S41 where the caller is to open and says nothing, the agent does after a while', () => {
  const world = listening({ settings: { beginAfterUserSilenceMs: 4_000 } })
  world.pass(5_000)
  expect(world.effects('start-generation')).toMatchObject([{ atMs: 4_000, input: { type: 'open' } }])
})

test('S07 a final text after its turn was taken makes no second turn', () => {
  const world = listening()
  world.callerSays('I need a table', { id: 'a', finalMs: 100 })
  while (world.effects('commit-user-turn').length === 0) world.pass(10)
  world.send({ type: 'transcript', utteranceId: 'a', text: 'I need a table please.', stage: 'final', endOfTurn: null })
  world.send({ type: 'transcript', utteranceId: 'a', text: 'I need a table', stage: 'final', endOfTurn: null })
  world.pass(8_000)
  expect(world.effects('commit-user-turn')).toHaveLength(1)
  expect(world.notes()).not.toContain('interrupted')
})

test('S07 words that follow in the same utterance after new voice are a turn of their own', () => {
  const world = listening()
  world.callerSays('I need a table.', { id: 'a' })
  world.pass(6_000)
  world.send({ type: 'voice-started', sinceMs: world.nowMs - 50, level: 'normal' })
  world.pass(600)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs - 200 })
  world.send({
    type: 'transcript',
    utteranceId: 'a',
    text: 'I need a table. For two.',
    stage: 'final',
    endOfTurn: null,
  })
  world.pass(3_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.', 'For two.'])
})

/** A recogniser of whole recordings tells nothing of a stretch of voice before it is over. */
function saysToSlowTranscriber(world: ReturnType<typeof listening>, text: string, finalMs: number): void {
  const id = `slow-${world.nowMs}`
  world.makeNoise(600)
  world.pass(600 + finalMs)
  world.send({ type: 'transcript', utteranceId: id, text, stage: 'final', endOfTurn: null })
}

test('S44 who goes on after a final text is answered once, when the rest of the words is there as well', () => {
  const world = listening({ settings: { transcriberP99Ms: 2_010 } })
  saysToSlowTranscriber(world, 'I need a table', 300)
  saysToSlowTranscriber(world, 'for two.', 1_500)
  world.pass(8_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table for two.'])
  expect(world.spoken()).toEqual(['Fine.'])
})

test('S44 after a final text a cough is waited for no longer than until it is known to be one', () => {
  const world = listening({ settings: { transcriberP99Ms: 2_010 } })
  saysToSlowTranscriber(world, 'I need a table.', 300)
  saysToSlowTranscriber(world, '', 600)
  const knownAtMs = world.nowMs
  world.pass(8_000)
  expect(world.effects('commit-user-turn')).toMatchObject([{ text: 'I need a table.', atMs: knownAtMs }])
})

test('S44 where no word follows at all, the turn is over when the recogniser had its time', () => {
  const world = listening({ settings: { transcriberP99Ms: 2_010 } })
  saysToSlowTranscriber(world, 'I need a table.', 300)
  const startedAtMs = world.nowMs
  world.makeNoise(600)
  world.pass(8_000)
  expect(world.effects('commit-user-turn')).toMatchObject([{ atMs: startedAtMs + 600 + 2_010 }])
})

test.each([
  { first: 'interim', id: 'a', text: 'So I have ordered a bicycle and it never came.' },
  { first: 'final', id: 'b', text: 'ordered a bicycle and it never came.' },
] as const)('S44 whom slow ears hear late is not answered in the middle of long speech ($first text)', (heard) => {
  const { first, id, text } = heard
  const world = listening({ settings: { transcriberP99Ms: 2_010 } })
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  const begun = { type: 'transcript', utteranceId: 'a', text: 'So I have', stage: first, endOfTurn: null } as const
  world.later(3_000, begun)
  world.later(12_200, { type: 'voice-ended', lastVoiceAtMs: 12_000 })
  world.later(12_900, { ...begun, utteranceId: id, text, stage: 'final' })
  world.pass(20_000)
  expect(world.effects('commit-user-turn').map((turn) => turn.text)).toEqual([
    'So I have ordered a bicycle and it never came.',
  ])
})

test('S15 groups of digits are one turn while a phone number is expected', () => {
  const world = createWorld({ answer: ({ id }) => replies(id, ['Fine.']) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'What is your phone number?' } })
  world.pass(4_000)
  for (const group of ['five five five', 'one two three', 'four five six seven']) {
    world.callerSays(group, { durationMs: 600 })
    world.pass(1_700)
  }
  world.pass(3_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual([
    'five five five one two three four five six seven',
  ])
})

test('S16 voice without words is dropped after 5 s and nothing comes of it', () => {
  const world = listening()
  world.makeNoise(1_000)
  world.pass(4_900)
  expect(world.notes()).toEqual([])
  world.pass(200)
  expect(world.notes()).toEqual(['voice-without-text'])
  expect(world.effects('commit-user-turn')).toEqual([])
})

test('S17 words without voice are a turn all the same', () => {
  const world = listening()
  world.pass(3_000)
  world.send({ type: 'transcript', utteranceId: 'a', text: 'Are you open?', stage: 'final', endOfTurn: null })
  world.pass(2_000)
  expect(world.effects('commit-user-turn')).toMatchObject([{ text: 'Are you open?', lastVoiceAtMs: 3_000 }])
  expect(world.notes()).toContain('text-without-voice')
})

test('S18 what other ears hear once more takes the place of what was heard', () => {
  const world = listening()
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need', stage: 'interim', endOfTurn: null })
  world.pass(1_000)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'new-1', text: 'I need a table.', stage: 'final', endOfTurn: null })
  world.pass(3_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.'])
})

test('S18 other ears have their time before the words that the first ones left are taken', () => {
  const world = listening({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need', stage: 'interim', endOfTurn: null })
  world.pass(1_000)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.pass(1_700)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.pass(1_500)
  expect(world.effects('commit-user-turn')).toEqual([])
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need a table.', stage: 'final', endOfTurn: null })
  world.pass(3_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.'])
})

test('S18 other ears do not take away what was final before', () => {
  const world = listening({ settings: { transcriberP99Ms: 2_000 } })
  world.callerSays('I would like a table', { finalMs: 100 })
  world.send({ type: 'voice-started', sinceMs: world.nowMs, level: 'normal' })
  world.pass(300)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.pass(500)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'new-1', text: 'for two.', stage: 'final', endOfTurn: null })
  world.pass(3_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I would like a table for two.'])
})

test('S18 a final text stays where other ears correct what came behind it', () => {
  const world = listening({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'one', text: 'I would like a table', stage: 'final', endOfTurn: null })
  world.send({ type: 'transcript', utteranceId: 'two', text: 'for you', stage: 'interim', endOfTurn: null })
  world.send({ type: 'transcriber', status: 'replaced' })
  world.pass(500)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.send({ type: 'transcript', utteranceId: 'two', text: 'for two.', stage: 'final', endOfTurn: null })
  world.pass(3_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I would like a table for two.'])
})

test.each([
  ['fall silent', 'replaced', 2_000],
  ['are gone as well', 'gone', 0],
] as const)('S18 the words that the first ears left are taken where other ears %s', (_, status, maxMs) => {
  const world = listening({ settings: { transcriberP99Ms: 2_000 } })
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  world.send({ type: 'transcript', utteranceId: 'old-1', text: 'I need a table.', stage: 'interim', endOfTurn: null })
  world.pass(1_000)
  world.send({ type: 'voice-ended', lastVoiceAtMs: world.nowMs })
  world.pass(1_700)
  world.send({ type: 'transcriber', status: 'replaced' })
  world.send({ type: 'transcriber', status })
  world.pass(maxMs)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table.'])
})

test('S18 without any ears, three times of voice that nobody understands end the call', () => {
  const world = listening({ settings: { reminderMaxCount: 0 } })
  world.send({ type: 'transcriber', status: 'gone' })
  for (let count = 0; count < 3; count += 1) {
    world.makeNoise(1_000)
    world.pass(6_000)
  }
  expect(world.effects('end')).toMatchObject([{ reason: 'error_asr' }])
})

test('S45 noise of a caller whom nobody understands holds up neither the opening nor an answer', () => {
  const world = createWorld({ answer: ({ id }) => replies(id, ['For tonight?']) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, what can I do?' } })
  world.send({ type: 'transcriber', status: 'none' })
  for (let count = 0; count < 8; count += 1) {
    world.makeNoise(400)
    world.pass(1_000)
  }
  world.send({ type: 'typed', text: 'A table for two.' })
  for (let count = 0; count < 6; count += 1) {
    world.makeNoise(400)
    world.pass(1_000)
  }
  expect(world.effects('pause-playout')).toEqual([])
  expect(world.notes()).not.toContain('voice-without-text')
  expect(world.effects('commit-agent-turn')).toMatchObject([{ interrupted: false }, { interrupted: false }])
  expect(world.effects('end')).toEqual([])
})

test('S45 an agent that has paused goes on when the recogniser turns out not to work', () => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'say', text: 'Hello, what can I do?' } })
  world.pass(500)
  world.send({ type: 'voice-started', sinceMs: world.nowMs, level: 'normal' })
  world.pass(600)
  expect(world.effects('pause-playout')).toHaveLength(1)
  world.send({ type: 'transcriber', status: 'none' })
  world.pass(1)
  expect(world.effects('resume-playout')).toHaveLength(1)
})

test('S45 without any ears, noise does not end a call whose caller knows it and writes', () => {
  const world = listening({ settings: { reminderMaxCount: 0 } })
  world.send({ type: 'transcriber', status: 'gone' })
  world.send({ type: 'transcriber', status: 'none' })
  for (let count = 0; count < 4; count += 1) {
    world.makeNoise(1_000)
    world.pass(6_000)
  }
  expect(world.effects('end')).toEqual([])
})

test.each(['none', 'gone'] as const)('S45 words show that somebody listens after all (%s)', (status) => {
  const world = listening({ answer: ({ id }) => replies(id, ['A long, long story about everything.']) })
  world.send({ type: 'transcriber', status })
  world.callerSays('Tell me a story.')
  world.pass(2_500)
  expect(world.effects('commit-user-turn')).toMatchObject([{ text: 'Tell me a story.' }])
  world.callerSays('Stop, please.')
  world.pass(500)
  expect(world.notes()).toContain('interrupted')
  expect(world.state).toMatchObject({ transcriber: 'listening', unrecognizedTurns: 0 })
})

test('S28 what is written stops the agent and is a turn at once', () => {
  const world = listening({ answer: ({ id }) => replies(id, ['A long story.']) })
  world.callerSays('Tell me a story.')
  world.pass(2_500)
  expect(world.state.lastActivity.agent).toBe('speaking')
  world.send({ type: 'typed', text: ' Another one, please ' })
  expect(world.effects('commit-user-turn')[1]).toMatchObject({
    text: 'Another one, please',
    source: 'typed',
    endOfTurnMs: 0,
  })
  expect(world.effects('commit-agent-turn')[0]).toMatchObject({ interrupted: true })
})

test('S29 keys are one turn: after a pause, a key that ends it, or so many', () => {
  const pressed = (keys: string, dtmf: { digitLimit: number | null; terminationKey: string | null }) => {
    const world = listening({ settings: { dtmf: { ...dtmf, timeoutMs: 2_000 } } })
    for (const digit of keys) world.send({ type: 'dtmf', digit })
    world.pass(2_500)
    return world.effects('commit-user-turn').map(({ text, source, atMs }) => [text, source, atMs])
  }
  expect(pressed('12', { digitLimit: null, terminationKey: null })).toEqual([['12', 'dtmf', 2_000]])
  expect(pressed('12#', { digitLimit: null, terminationKey: '#' })).toEqual([['12', 'dtmf', 0]])
  expect(pressed('1234', { digitLimit: 4, terminationKey: '#' })).toEqual([['1234', 'dtmf', 0]])
  expect(pressed('#', { digitLimit: 4, terminationKey: '#' })).toEqual([])
})

test('S29 keys interrupt only where they may, even what must not be interrupted', () => {
  for (const allowDtmfInterruption of [true, false]) {
    const world = listening({
      settings: { interruptible: false, allowDtmfInterruption },
      answer: ({ id }) => replies(id, ['Press one for sales.']),
    })
    world.callerSays('Hello there.')
    world.pass(2_500)
    world.send({ type: 'dtmf', digit: '1' })
    expect(world.notes().includes('interrupted')).toBe(allowDtmfInterruption)
    world.pass(6_000)
    expect(world.effects('commit-user-turn')[1]).toMatchObject({ text: '1', source: 'dtmf' })
  }
})

test('S33 an answer that was begun while waiting is used if the words stay, with nothing said before', () => {
  const world = listening({ settings: { responseThresholdMs: 1_500 } })
  world.callerSays('Are you open', { finalMs: 100 })
  world.pass(2_200)
  expect(world.effects('start-generation')).toMatchObject([{ speculative: true }])
  expect(world.spoken()).toEqual([])
  world.pass(1_000)
  expect(world.effectTypes().filter((type) => /commit|speak|start/.test(type))).toEqual([
    'start-generation',
    'commit-user-turn',
    'commit-generation',
    'speak',
  ])
})

test('S33 it is dropped when the caller goes on, and begun at most three times', () => {
  const world = listening({ settings: { responseThresholdMs: 2_000 } })
  for (const text of ['I', 'need', 'a', 'table', 'today']) {
    world.callerSays(text, { durationMs: 200 })
    world.pass(900)
  }
  world.pass(5_000)
  const started = world.effects('start-generation')
  expect(started.filter(({ speculative }) => speculative)).toHaveLength(3)
  expect(world.notes().filter((code) => code === 'speculation-wasted')).toHaveLength(3)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need a table today'])
})

test('S35 the agent shows that it listens while the caller tells something long', () => {
  const world = listening({ settings: { backchannel: { frequency: 1, words: ['Mhm.'] } } })
  world.callerSays('so yesterday I went to your shop and', { durationMs: 3_500 })
  world.pass(4_000)
  expect(world.effects('speak')).toMatchObject([{ kind: 'backchannel', text: 'Mhm.' }])
  expect(world.effects('commit-agent-turn')).toEqual([])
  world.callerSays('nobody was there.', { durationMs: 500 })
  world.pass(3_000)
  expect(world.effects('commit-user-turn')[0]?.text).toBe('so yesterday I went to your shop and nobody was there.')
})

test('S42 a turn that was taken too early: "yes" before the agent speaks belongs to the answer', () => {
  const world = createWorld({ answer: ({ id }) => replies(id, ['Fine.'], 2_000) })
  world.send({ type: 'joined', opening: { type: 'say', text: 'Shall I book it?' } })
  world.pass(4_000)
  world.callerSays('I think so.', { durationMs: 500 })
  world.pass(1_500)
  expect(world.state.lastActivity.agent).toBe('thinking')
  world.callerSays('yes', { durationMs: 250 })
  world.pass(5_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I think so.', 'yes'])
  expect(world.spoken()).toEqual(['Shall I book it?', 'Fine.'])
})
