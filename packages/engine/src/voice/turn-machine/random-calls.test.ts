import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallerTurns } from '../session/speech-input.ts'
import { createReplyEvents, createWorld } from './call-world-test-kit.ts'
import { findProblems, type RandomCall, randomCall } from './random-call-test-kit.ts'

test('keeps all invariants in random calls', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(randomCall, (call) => {
      const problems = findProblems(call)
      if (problems.length > 0) throw new Error(problems.slice(0, 3).join('\n'))
    }),
    { numRuns: 2_000 },
  )
})

/** An answer ends without a word while a backchannel pauses the agent, and words follow. */
const ENDED_IN_A_PAUSE: RandomCall = {
  actions: [
    { kind: 14, gapMs: 0, a: 0, b: 0 },
    { kind: 18, gapMs: 1_964, a: 0, b: 0 },
    { kind: 0, gapMs: 5_762, a: 321, b: 166 },
    { kind: 0, gapMs: 974, a: 644, b: 0 },
    { kind: 19, gapMs: 860, a: 0, b: 0 },
    { kind: 0, gapMs: 492, a: 0, b: 622 },
    { kind: 10, gapMs: 382, a: 752, b: 0 },
    { kind: 10, gapMs: 5, a: 238, b: 0 },
    { kind: 0, gapMs: 1_187, a: 290, b: 0 },
  ],
  settings: {
    interruptionAfterMs: 500,
    interruptible: true,
    transcriberP99Ms: 350,
    reminderMaxCount: 0,
    responsivenessFactor: 0.5,
    beginMessageDelayMs: 0,
    beginAfterUserSilenceMs: null,
    allowDtmfInterruption: false,
    backchannel: { frequency: 0.8, words: [] },
    endCallAfterSilenceMs: 60_000,
  },
  opening: { type: 'listen' },
  seed: 434_732_606,
}

test('ends a pause although the paused answer has ended without a word', () => {
  expect(findProblems(ENDED_IN_A_PAUSE)).toEqual([])
})

/** An answer is canceled by retracted words, then information is injected and its answer fails. */
const PENDING_AFTER_INJECTION: RandomCall = {
  actions: [
    { kind: 0, gapMs: 0, a: 0, b: 55 },
    { kind: 0, gapMs: 0, a: 438, b: 377 },
    { kind: 19, gapMs: 700, a: 0, b: 0 },
  ],
  settings: { ...ENDED_IN_A_PAUSE.settings, backchannel: null },
  opening: { type: 'say', text: 'Hello.' },
  seed: 2_040_538_731,
}

test('answers a turn whose answer was canceled needlessly before an injection', () => {
  expect(findProblems(PENDING_AFTER_INJECTION)).toEqual([])
})

/** Words as transcribers write them, with punctuation inside and in between. */
const word = fc.constantFrom(
  'my',
  'e-mail',
  'john.doe@example.com.',
  "don't",
  '5.50',
  '24/7',
  'Smith & Sons',
  'so – well',
  'C++?',
  'l’été,',
)
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))

test('splits a continuing utterance into turns without losing or repeating words', () => {
  fc.assert(
    fc.property(fc.array(phrase, { minLength: 1, maxLength: 4 }), (phrases) => {
      const { world, captions, shown } = createCaptionedWorld()
      for (const index of phrases.keys()) {
        world.callerSays(phrases.slice(0, index + 1).join(' '), { id: 'one', finalMs: 300 })
        world.advance(12_000)
      }
      const turns = world.findEffects('commit-user-turn').map(({ text }) => text)
      expect(turns.join(' ')).toBe(phrases.join(' '))
      expect(shown).toEqual(turns)
      expect(captions.text).toBe('')
    }),
  )
})

test('ignores an utterance that is repeated after many others', () => {
  const { world, captions, shown } = createCaptionedWorld()
  const texts = Array.from({ length: 40 }, (_, index) => `Number${index}.`)
  for (const [index, text] of texts.entries()) {
    world.callerSays(text, { id: `u${index}` })
    world.advance(6_000)
  }
  world.send({ type: 'voice-started', startedAtMs: world.nowMs, level: 'normal' })
  world.advance(500)
  world.send({ type: 'transcript', utteranceId: 'u2', text: 'Number2.', stage: 'final', endOfTurn: null })
  world.advance(20_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(texts)
  expect(shown).toEqual(texts)
  expect(captions.text).toBe('')
})

/** Creates a call that answers everything, with the captions displayed to the caller. */
function createCaptionedWorld() {
  const captions = new CallerTurns()
  const shown: string[] = []
  const world = createWorld({
    answer: ({ id }) => createReplyEvents(id, ['Fine.']),
    watch: ({ event, effects, nowMs }) => {
      if (event.type === 'transcript') captions.addText({ ...event, words: [] }, nowMs)
      if (effects.every(({ type }) => type !== 'commit-user-turn')) return
      shown.push(captions.text)
      captions.takeTurn()
    },
  })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  return { world, captions, shown }
}

test('ignores punctuation that the transcriber adds later', () => {
  const turns = new CallerTurns()
  const transcript = { utteranceId: 'one', endOfTurn: null, words: [] }
  turns.addText({ ...transcript, text: 'so well', stage: 'interim' }, 0)
  turns.takeTurn()
  expect(turns.addText({ ...transcript, text: 'so – well – I think', stage: 'final' }, 0)).toBe('I think')
})

const STARTED = { type: 'transcript', utteranceId: 'one', text: 'I need a table.', endOfTurn: null } as const

test.each([
  [5_300, 'soon'],
  [7_000, 'during the voice'],
  [9_000, 'after the voice'],
])('starts a new turn for words in voice that counted as noise (text after %i ms: %s)', (textMs) => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ ...STARTED, stage: 'interim' })
  world.schedule(8_700, { type: 'voice-ended', lastVoiceAtMs: 8_500 })
  world.schedule(textMs, { ...STARTED, text: 'I need a table. For two.', stage: 'final' })
  world.advance(15_000)
  const turns = world.findEffects('commit-user-turn')
  expect(turns).toMatchObject([{ text: 'I need a table.', firstVoiceAtMs: 0, atMs: 5_000 }, { text: 'For two.' }])
  expect(turns[1]?.firstVoiceAtMs).toBeGreaterThanOrEqual(5_000)
})

test('keeps words that arrive after the caller typed', () => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.send({ type: 'voice-started', startedAtMs: 0, level: 'normal' })
  world.send({ ...STARTED, text: 'I need', stage: 'interim' })
  world.advance(500)
  world.send({ type: 'typed', text: 'Two people.' })
  world.advance(500)
  world.send({ type: 'voice-ended', lastVoiceAtMs: 800 })
  world.send({ ...STARTED, stage: 'final' })
  world.advance(20_000)
  expect(world.findEffects('commit-user-turn').map(({ text }) => text)).toEqual(['I need Two people.', 'a table.'])
})
