import { expect, test } from 'vitest'
import { createMessage, type LabeledQuestion, type LabeledSet, toPassageKey } from '../../bench/harness/labeled-set.ts'
import { createBm25Ranking, createEngineRanking, measureQuality } from '../../bench/harness/measure-quality.ts'
import { parseLabeledSet } from '../../bench/harness/read-labeled-sets.ts'

/** Creates a Mulberry32 generator, which returns the same numbers on every machine. */
function createRandomInteger(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let hash = Math.imul(state ^ (state >>> 15), 1 | state)
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash
    return ((hash ^ (hash >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof createRandomInteger>

const pickItem = <Item>(items: readonly Item[], random: Random): Item => items[random(items.length)] as Item

/** Creates a generator of invented words, in which the first words are far more frequent than the last. */
function createVocabulary(count: number, random: Random): () => string {
  const syllables = 'ba ke li mo nu ra se ti vo da fe gi lo pu ze sha tra mer lin dor'.split(' ')
  const words = Array.from({ length: count }, () =>
    Array.from({ length: 2 + random(2) }, () => pickItem(syllables, random)).join(''),
  )
  return () => words[Math.floor(count ** (random(10_000) / 10_000)) - 1] as string
}

const FUNCTION_WORDS = 'the a of and to in is it that for with on at you we this be are not have'.split(' ')
/** Adds a common English ending, or none. */
const addEnding = (word: string, random: Random): string => word + pickItem(['', '', '', '', 's', 'ing'], random)

function createSentence(words: readonly string[], random: Random): string {
  const sentenceWords = words.flatMap((word) => (random(2) === 0 ? [pickItem(FUNCTION_WORDS, random), word] : [word]))
  return `${sentenceWords.map((word) => addEnding(word, random)).join(' ')}.`
}

const repeat = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** Creates long questions about a topic in common words, with names from other passages. */
function createLongQuestions(random: Random): LabeledSet {
  const common = repeat(120, createVocabulary(900, random))
  const topics = repeat(100, () => repeat(25, () => pickItem(common, random)))
  const letters = 'bdfghjklmp'
  const names = topics.map((_, index) =>
    repeat(10, (name) => [name, ...`${index + 100}`].map((digit) => `${letters.charAt(Number(digit))}o`).join('')),
  )
  const sources = topics.map((topic, index) => {
    const text = createSentence([...topic, ...(names[index] as string[])], random)
    return { key: `${index}`, passages: [{ position: 0, title: '', headings: [], text }] }
  })
  const questions = repeat(30, (): LabeledQuestion => {
    const topicIndex = random(topics.length)
    const distractingWords = [
      ...(topics[topicIndex] as string[]),
      ...repeat(60, () => pickItem(pickItem(names, random), random)),
    ]
    return {
      messages: [createMessage('user', createSentence(distractingWords, random))],
      correctKeys: new Set([toPassageKey(`${topicIndex}`, 0)]),
    }
  })
  return { name: 'long questions', sources, questions }
}

/** Creates questions that contain some words of their answers. */
function createFaqPairs(random: Random): LabeledSet {
  const nextWord = createVocabulary(900, random)
  const entries = repeat(150, () => {
    const questionWords = repeat(5, nextWord)
    const answer = [
      createSentence([...questionWords.slice(0, 4), ...repeat(8, nextWord)], random),
      createSentence(repeat(6 + random(25), nextWord), random),
    ]
    return { question: createSentence(questionWords, random), answer: answer.join(' ') }
  })
  return parseLabeledSet('FAQ pairs', entries)
}

/** Creates dialogues in which a user asks about a detail of a place without naming the place again. */
function createDialogues(random: Random): LabeledSet {
  const nextWord = createVocabulary(900, random)
  const details = repeat(12, () => repeat(3, nextWord))
  const places = repeat(40, (index) => `Hotel ${nextWord()}${index} ${nextWord()}`)
  const documents = places.flatMap((place, hotelIndex) =>
    details.map((detail, kind) => ({
      id: `${hotelIndex}-${kind}`,
      title: place,
      text: `${createSentence([...detail, ...repeat(6, nextWord)], random)}`,
    })),
  )
  const turns = repeat(40, () => {
    const placeIndex = random(places.length)
    const kind = random(details.length)
    const introduction = `I have found ${places[placeIndex]} for you, ${createSentence(repeat(6, nextWord), random)}`
    return {
      turns: [
        { role: 'user', text: `I am looking for a hotel, ${createSentence(repeat(4, nextWord), random)}` },
        { role: 'agent', text: introduction },
        { role: 'user', text: createSentence(repeat(4, nextWord), random) },
        { role: 'agent', text: createSentence(repeat(6, nextWord), random) },
        { role: 'user', text: `${createSentence(details[kind] as string[], random)}` },
        { role: 'agent', text: 'Yes.', document: `${placeIndex}-${kind}` },
      ],
    }
  })
  return parseLabeledSet('dialogues', { documents, dialogues: turns })
}

// Plain BM25 is the minimum quality for every set.
test.each([
  [1, createLongQuestions],
  [2, createFaqPairs],
  [3, createDialogues],
])('with seed %i, answers generated questions at least as well as plain BM25', async (seed, generate) => {
  const set = generate(createRandomInteger(seed))
  const engineQuality = await measureQuality(set, createEngineRanking(set))
  const floor = await measureQuality(set, createBm25Ranking(set))
  if (process.env['REPORT_SEARCH'])
    process.stdout.write(`${set.name} ${engineQuality.reciprocalRank} : ${floor.reciprocalRank}\n`)
  expect(floor.reciprocalRank).toBeGreaterThan(0.05)
  expect(engineQuality.reciprocalRank).toBeGreaterThanOrEqual(floor.reciprocalRank)
})
