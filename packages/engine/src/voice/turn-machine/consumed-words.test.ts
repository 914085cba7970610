import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallerTurns } from '../session/caller-turns.ts'
import { createWorld, replies } from './call-world-test-kit.ts'

/** Words as recognisers write them: with marks inside, and marks between them that stand alone. */
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
const piece = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))

test('of an utterance that goes on after its turn was taken no word is lost, and none comes twice', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
      const { world, captions, shown } = createCaptionedWorld()
      for (const index of pieces.keys()) {
        world.callerSays(pieces.slice(0, index + 1).join(' '), { id: 'one', finalMs: 300 })
        world.pass(12_000)
      }
      const turns = world.effects('commit-user-turn').map(({ text }) => text)
      expect(turns.join(' ')).toBe(pieces.join(' '))
      expect(shown).toEqual(turns)
      expect(captions.text).toBe('')
    }),
  )
})

test('an utterance that is told once more after many others is neither a turn nor a caption again', () => {
  const { world, captions, shown } = createCaptionedWorld()
  const said = Array.from({ length: 40 }, (_, index) => `Number${index}.`)
  for (const [index, text] of said.entries()) {
    world.callerSays(text, { id: `u${index}` })
    world.pass(6_000)
  }
  world.send({ type: 'voice-started', sinceMs: world.nowMs, level: 'normal' })
  world.pass(500)
  world.send({ type: 'transcript', utteranceId: 'u2', text: 'Number2.', stage: 'final', endOfTurn: null })
  world.pass(20_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(said)
  expect(shown).toEqual(said)
  expect(captions.text).toBe('')
})

/** A call in which everything said is answered, with the captions that its caller sees. */
function createCaptionedWorld() {
  const captions = new CallerTurns()
  const shown: string[] = []
  const world = createWorld({
    answer: ({ id }) => replies(id, ['Fine.']),
    watch: ({ event, effects, nowMs }) => {
      if (event.type === 'transcript') captions.heard({ ...event, words: [] }, nowMs)
      if (effects.every(({ type }) => type !== 'commit-user-turn')) return
      shown.push(captions.text)
      captions.take()
    },
  })
  world.send({ type: 'joined', opening: { type: 'listen' } })
  return { world, captions, shown }
}

test('a mark that the recogniser adds between words afterwards moves none of them', () => {
  const turns = new CallerTurns()
  const heard = { utteranceId: 'one', endOfTurn: null, words: [] }
  turns.heard({ ...heard, text: 'so well', stage: 'interim' }, 0)
  turns.take()
  expect(turns.heard({ ...heard, text: 'so – well – I think', stage: 'final' }, 0)).toBe('I think')
})

const STARTED = { type: 'transcript', utteranceId: 'one', text: 'I need a table.', endOfTurn: null } as const

test.each([
  [5_300, 'soon'],
  [7_000, 'while it goes on'],
  [9_000, 'when it is over'],
])('what is said in voice that was taken for noise is a turn of its own (text after %i ms: %s)', (textMs) => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  world.send({ ...STARTED, stage: 'interim' })
  world.later(8_700, { type: 'voice-ended', lastVoiceAtMs: 8_500 })
  world.later(textMs, { ...STARTED, text: 'I need a table. For two.', stage: 'final' })
  world.pass(15_000)
  const turns = world.effects('commit-user-turn')
  expect(turns).toMatchObject([{ text: 'I need a table.', firstVoiceAtMs: 0, atMs: 5_000 }, { text: 'For two.' }])
  expect(turns[1]?.firstVoiceAtMs).toBeGreaterThanOrEqual(5_000)
})

test('words that are told when the voice is over are a turn although something was written meanwhile', () => {
  const world = createWorld()
  world.send({ type: 'joined', opening: { type: 'listen' } })
  world.send({ type: 'voice-started', sinceMs: 0, level: 'normal' })
  world.send({ ...STARTED, text: 'I need', stage: 'interim' })
  world.pass(500)
  world.send({ type: 'typed', text: 'Two people.' })
  world.pass(500)
  world.send({ type: 'voice-ended', lastVoiceAtMs: 800 })
  world.send({ ...STARTED, stage: 'final' })
  world.pass(20_000)
  expect(world.effects('commit-user-turn').map(({ text }) => text)).toEqual(['I need Two people.', 'a table.'])
})
