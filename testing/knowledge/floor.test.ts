import { expect, test } from 'vitest'
import { createMessage, type LabeledQuestion, type LabeledSet, toPassageKey } from '../../bench/harness/labeled-set.ts'
import { createBm25Ranking, createEngineRanking, measureQuality } from '../../bench/harness/measure-quality.ts'
import { parseLabeledSet } from '../../bench/harness/read-labeled-sets.ts'

/** Mulberry32: the same numbers on every machine. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let hash = Math.imul(state ^ (state >>> 15), 1 | state)
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash
    return ((hash ^ (hash >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof seeded>

const pick = <Item>(items: readonly Item[], random: Random): Item => items[random(items.length)] as Item

/** Invented words; the first are far more frequent than the last. */
function vocabulary(count: number, random: Random): () => string {
  const syllables = 'ba ke li mo nu ra se ti vo da fe gi lo pu ze sha tra mer lin dor'.split(' ')
  const words = Array.from({ length: count }, () =>
    Array.from({ length: 2 + random(2) }, () => pick(syllables, random)).join(''),
  )
  return () => words[Math.floor(count ** (random(10_000) / 10_000)) - 1] as string
}

const FUNCTION_WORDS = 'the a of and to in is it that for with on at you we this be are not have'.split(' ')
/** Common English endings. */
const addEnding = (word: string, random: Random): string => word + pick(['', '', '', '', 's', 'ing'], random)

function sentence(words: readonly string[], random: Random): string {
  const spoken = words.flatMap((word) => (random(2) === 0 ? [pick(FUNCTION_WORDS, random), word] : [word]))
  return `${spoken.map((word) => addEnding(word, random)).join(' ')}.`
}

const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** Letters about a topic in common words, with names that other passages have. */
function longQuestions(random: Random): LabeledSet {
  const common = times(120, vocabulary(900, random))
  const topics = times(100, () => times(25, () => pick(common, random)))
  const letters = 'bdfghjklmp'
  const names = topics.map((_, at) =>
    times(10, (name) => [name, ...`${at + 100}`].map((digit) => `${letters.charAt(Number(digit))}o`).join('')),
  )
  const sources = topics.map((topic, at) => {
    const text = sentence([...topic, ...(names[at] as string[])], random)
    return { key: `${at}`, passages: [{ position: 0, title: '', headings: [], text }] }
  })
  const questions = times(30, (): LabeledQuestion => {
    const at = random(topics.length)
    const distractingWords = [...(topics[at] as string[]), ...times(60, () => pick(pick(names, random), random))]
    return {
      messages: [createMessage('user', sentence(distractingWords, random))],
      right: new Set([toPassageKey(`${at}`, 0)]),
    }
  })
  return { name: 'long questions', sources, questions }
}

/** Questions with some of the words of their answers. */
function faqPairs(random: Random): LabeledSet {
  const word = vocabulary(900, random)
  const entries = times(150, () => {
    const asked = times(5, word)
    const answer = [
      sentence([...asked.slice(0, 4), ...times(8, word)], random),
      sentence(times(6 + random(25), word), random),
    ]
    return { question: sentence(asked, random), answer: answer.join(' ') }
  })
  return parseLabeledSet('FAQ pairs', entries)
}

/** A user names a place, gets an answer, and asks about a detail without naming the place again. */
function dialogues(random: Random): LabeledSet {
  const word = vocabulary(900, random)
  const details = times(12, () => times(3, word))
  const places = times(40, (at) => `Hotel ${word()}${at} ${word()}`)
  const documents = places.flatMap((place, at) =>
    details.map((detail, kind) => ({
      id: `${at}-${kind}`,
      title: place,
      text: `${sentence([...detail, ...times(6, word)], random)}`,
    })),
  )
  const turns = times(40, () => {
    const at = random(places.length)
    const kind = random(details.length)
    const named = `I have found ${places[at]} for you, ${sentence(times(6, word), random)}`
    return {
      turns: [
        { role: 'user', text: `I am looking for a hotel, ${sentence(times(4, word), random)}` },
        { role: 'agent', text: named },
        { role: 'user', text: sentence(times(4, word), random) },
        { role: 'agent', text: sentence(times(6, word), random) },
        { role: 'user', text: `${sentence(details[kind] as string[], random)}` },
        { role: 'agent', text: 'Yes.', document: `${at}-${kind}` },
      ],
    }
  })
  return parseLabeledSet('dialogues', { documents, dialogues: turns })
}

// Plain BM25 is the floor of every set.
test.each([
  [1, longQuestions],
  [2, faqPairs],
  [3, dialogues],
])('with seed %i, generated questions are answered at least as well as by plain BM25', async (seed, generate) => {
  const set = generate(seeded(seed))
  const engineQuality = await measureQuality(set, createEngineRanking(set))
  const floor = await measureQuality(set, createBm25Ranking(set))
  if (process.env['REPORT_SEARCH'])
    process.stdout.write(`${set.name} ${engineQuality.reciprocalRank} : ${floor.reciprocalRank}\n`)
  expect(floor.reciprocalRank).toBeGreaterThan(0.05)
  expect(engineQuality.reciprocalRank).toBeGreaterThanOrEqual(floor.reciprocalRank)
})
