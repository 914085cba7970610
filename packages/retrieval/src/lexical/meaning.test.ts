import { describe, expect, test } from 'vitest'
import { readServiceWords } from '../service-words/service-words.ts'
import { asked, chunksOf, foundTexts, indexOf } from './lexical-test-kit.ts'
import { search } from './search.ts'

function scoresOf(texts: readonly string[], question: string): number[] {
  const hits = search([indexOf({ source: chunksOf(texts) })], asked(question))
  return texts.map((_text, position) => hits.find((hit) => hit.position === position)?.score ?? 0)
}

describe('words that mean much the same', () => {
  const texts = [
    'The pool is open from May to September.',
    'Dogs stay for twelve a night.',
    'The lift is out of order.',
  ]

  test.each([
    ['Can we go swimming?', 0],
    ['I have a puppy', 1],
    ['Is there an elevator', 2],
  ])('%s', (question, position) => {
    expect(foundTexts(texts, question)[0]).toBe(texts[position])
  })

  test('count less than the word itself, and take nothing from it', () => {
    const both = ['Swimming is possible here.', 'The pool is here.', 'Nothing of the kind.']
    expect(scoresOf(both, 'swimming')).toEqual([1, 0.5, 0])
    expect(foundTexts(both, 'swimming')[0]).toBe(both[0])
    expect(scoresOf([both[0] ?? ''], 'swimming')).toEqual([1])
  })

  test('are not looked for in long questions and in what was said before', () => {
    const filler = 'the hall with the green lamp near the old stairs '.repeat(3)
    expect(foundTexts(texts, `${filler} swimming`)).toEqual([])
    const earlier = [
      { text: 'lift', weight: 1 },
      { text: 'swimming', weight: 0.5 },
    ]
    expect(search([indexOf({ source: chunksOf(texts) })], { ...asked(''), texts: earlier })).toHaveLength(1)
  })

  test('are found across languages', () => {
    const german = [
      'Ein Stellplatz in der Tiefgarage ist für Gäste da.',
      'Das Frühstück ist im Saal und nicht im Zimmer.',
    ]
    expect(foundTexts(german, 'Where can I park?')).toEqual([german[0]])
    expect(foundTexts(german, 'Is there any breakfast?')).toEqual([german[1]])
    expect(foundTexts(['The breakfast is served in the hall.'], 'Gibt es bei euch ein Frühstück?')).toHaveLength(1)
  })
})

describe('words that tell little', () => {
  test('weigh less than those that tell what is asked', () => {
    const texts = ['Take the blue one with you.', 'The Heron carries a basket.']
    expect(foundTexts(texts, 'Should I take the Heron?')[0]).toBe(texts[1])
  })

  test('are those of the language that is asked in', () => {
    const index = indexOf({
      plus: chunksOf(['Costs of the Plus account are told on request.']),
      basic: chunksOf(['Costs of the Basic account are told on request.']),
      french: chunksOf(['Il n’y a plus de places dans le camping, mais vous êtes sur la liste.']),
    })
    expect(search([index], asked('What are the costs of the Plus account?'))[0]?.key).toBe('plus')
  })
})

test('the lists of service words are well-formed', () => {
  const groups = readServiceWords()
  expect(groups.length).toBeGreaterThan(150)
  for (const group of groups) {
    expect([...group.keys()]).toEqual(['en', 'de', 'fr', 'es', 'it', 'nl'])
    for (const words of group.values()) {
      expect(new Set(words).size).toBe(words.length)
      for (const word of words) expect(word).toMatch(/^[\p{Ll}-]*$/u)
    }
    expect(group.get('en')?.[0]).not.toBe('')
  }
})
