import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getWordList } from '../words/languages.ts'
import { estimateEndOfTurn, getDelayMs, getEndOfTurnAtMs, updateAveragePause } from './end-of-turn.ts'
import { detectExpectedAnswer, type ExpectedAnswer } from './expected-answer.ts'

const FAST = {
  lastVoiceAtMs: 0,
  responseThresholdMs: 400,
  responsivenessFactor: 0.5,
  transcriberLimitMs: 350,
  isFinal: true,
  averagePauseMs: null,
}

function computeDelayMs(
  text: string,
  {
    language = 'en',
    expectedAnswer = null as ExpectedAnswer,
    transcriberEstimate = null as number | null,
    detectorEstimate = null as number | null,
    punctuatesFragments = false,
  } = {},
): number {
  const estimate = estimateEndOfTurn(
    { text, expectedAnswer, transcriberEstimate, detectorEstimate, punctuatesFragments },
    getWordList(language),
  )
  return getEndOfTurnAtMs({ ...FAST, estimate })
}

describe('end-of-turn delay of a fast agent', () => {
  test.each<[string, string, number, number]>([
    ['en', 'What are your opening hours?', 400, 400],
    ['en', 'what are your opening hours', 400, 400],
    ['en', 'and then I', 750, 1_500],
    ['en', 'I would like to book a table and', 750, 1_500],
    ['en', 'I would like, um', 750, 1_500],
    ['en', 'I would like to.', 750, 1_500],
    ['en', 'I think so.', 400, 400],
    ['en', 'I would like that.', 400, 400],
    ['de', 'Rufen Sie mich bitte an.', 400, 400],
    ['en', 'yes', 400, 400],
    ['en', 'My name is Peter.', 400, 400],
    ['en', 'it is five five five', 1_200, 1_500],
    ['en', 'a table for two', 400, 750],
    ['de', 'Wann haben Sie geöffnet?', 400, 400],
    ['de', 'ich möchte einen Termin und', 750, 1_500],
    ['de', 'also ähm', 750, 1_500],
    ['fr', 'est-ce que vous êtes ouverts', 400, 400],
    ['fr', 'je voudrais une table pour', 750, 1_500],
    ['es', 'quiero una mesa para', 750, 1_500],
    ['es', '¿Cuándo abren?', 400, 400],
    ['it', 'vorrei un tavolo per', 750, 1_500],
    ['it', 'quando siete aperti', 400, 400],
    ['pt', 'queria uma mesa para', 750, 1_500],
    ['nl', 'ik wil een tafel voor', 750, 1_500],
    ['ja', '予約をお願いします。', 400, 400],
    ['ja', '予約を', 400, 750],
  ])('%s: "%s" takes %d to %d ms', (language, text, min, max) => {
    expect(computeDelayMs(text, { language })).toBeGreaterThanOrEqual(min)
    expect(computeDelayMs(text, { language })).toBeLessThanOrEqual(max)
  })

  test.each<[ExpectedAnswer, string, boolean]>([
    ['phone', 'five five five', true],
    ['phone', '0176 44', true],
    ['phone', '555 123 4567', false],
    ['email', 'john', true],
    ['email', 'john at', true],
    ['email', 'john at example dot com', false],
    ['email', 'john@example.com', false],
    ['spelling', 'S M', true],
    ['date', 'the fourth of', true],
    ['number', 'four two', true],
    ['question', 'no, thank you', false],
  ])('for an expected %s, "%s" is unfinished: %s', (expectedAnswer, text, isUnfinished) => {
    expect(computeDelayMs(text, { expectedAnswer }) >= 1_200).toBe(isUnfinished)
  })

  test("prefers the transcriber's estimate", () => {
    expect(computeDelayMs('and then I', { transcriberEstimate: 0.95 })).toBe(400)
    expect(computeDelayMs('What are your opening hours?', { transcriberEstimate: 0.1 })).toBeGreaterThanOrEqual(750)
    expect(computeDelayMs('five five five', { transcriberEstimate: 0.95 })).toBe(1_350)
  })

  test('averages the text and the turn detector', () => {
    expect(computeDelayMs('I would like a table')).toBe(400)
    expect(computeDelayMs('I would like a table', { detectorEstimate: 0.05 })).toBeGreaterThan(750)
    expect(computeDelayMs('What are your opening hours?', { detectorEstimate: 0.95 })).toBe(400)
    expect(computeDelayMs('What are your opening hours?', { detectorEstimate: 0.1 })).toBeLessThan(600)
    expect(computeDelayMs('and then I', { detectorEstimate: 0.02 })).toBeGreaterThan(computeDelayMs('and then I'))
    expect(computeDelayMs('five five five', { detectorEstimate: 0.95 })).toBe(1_350)
    expect(computeDelayMs('and then I', { detectorEstimate: 0.05, transcriberEstimate: 0.95 })).toBe(400)
  })

  test('gives a period no weight if the transcriber adds one to every text', () => {
    expect(computeDelayMs('I would like a table.')).toBe(400)
    expect(computeDelayMs('I would like a table.', { punctuatesFragments: true })).toBe(
      computeDelayMs('I would like a table'),
    )
    expect(computeDelayMs('Are you open?', { punctuatesFragments: true })).toBe(400)
  })

  test('waits for unfinished transcripts and the pauses of a slow speaker', () => {
    const estimate = { probability: 0.5, isInGroups: false }
    expect(getEndOfTurnAtMs({ ...FAST, estimate, isFinal: false, transcriberLimitMs: 2_010 })).toBe(2_010)
    expect(getEndOfTurnAtMs({ ...FAST, estimate, averagePauseMs: 800 })).toBe(1_200)
    expect(getEndOfTurnAtMs({ ...FAST, estimate: { ...estimate, probability: 0.9 }, averagePauseMs: 800 })).toBe(400)
  })
})

test.each<[string, string, ExpectedAnswer]>([
  ['en', 'Could you give me your phone number?', 'phone'],
  ['en', 'What is your date of birth?', 'date'],
  ['en', 'And your email address, please.', 'email'],
  ['de', 'Können Sie Ihren Namen bitte buchstabieren?', 'spelling'],
  ['fr', 'Quel est votre numéro de téléphone ?', 'phone'],
  ['en', 'Anything else?', 'question'],
  ['en', 'What is your phone number? I need it to call back.', 'phone'],
  ['en', 'Your order number is five. Anything else?', 'question'],
  ['en', 'Here you are.', null],
])('%s: "%s" expects %s', (language, text, expectedAnswer) => {
  expect(detectExpectedAnswer(text, getWordList(language))).toBe(expectedAnswer)
})

test.each([
  ['fr', 'Si'],
  ['nl', 'Dat was het'],
])('%s: "%s" may be a complete answer although it also starts sentences', (language, text) => {
  const { probability } = estimateEndOfTurn(
    {
      text,
      expectedAnswer: 'question',
      transcriberEstimate: null,
      detectorEstimate: null,
      punctuatesFragments: false,
    },
    getWordList(language),
  )
  expect(probability).toBe(0.5)
})

test('shortens the delay with the probability', () => {
  expect([0, 0.3, 0.45, 0.6, 1].map(getDelayMs)).toEqual([3_000, 1_500, 900, 300, 300])
  fc.assert(
    fc.property(
      fc.float({ min: 0, max: 1, noNaN: true }),
      fc.float({ min: 0, max: 1, noNaN: true }),
      (first, second) => {
        expect(getDelayMs(Math.max(first, second))).toBeLessThanOrEqual(getDelayMs(Math.min(first, second)))
      },
    ),
  )
})

test('estimates a probability for any text in any language', () => {
  const language = fc.constantFrom('en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'zh', '')
  const expectedAnswer = fc.constantFrom<ExpectedAnswer>(
    'phone',
    'date',
    'email',
    'spelling',
    'number',
    'question',
    null,
  )
  const input = fc.record({
    text: fc.string({ unit: 'grapheme' }),
    expectedAnswer,
    transcriberEstimate: fc.constant(null),
    detectorEstimate: fc.option(fc.float({ noNaN: true })),
    punctuatesFragments: fc.boolean(),
  })
  fc.assert(
    fc.property(input, language, (anyInput, tag) => {
      const { probability } = estimateEndOfTurn(anyInput, getWordList(tag))
      expect(probability).toBeGreaterThanOrEqual(0)
      expect(probability).toBeLessThanOrEqual(1)
    }),
  )
})

test('smooths the average pause within bounds', () => {
  expect(updateAveragePause(null, 50)).toBe(200)
  expect(updateAveragePause(null, 60_000)).toBe(2_000)
  expect(updateAveragePause(400, 1_400)).toBe(500)
})
