import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readServiceWords } from '../service-words/service-words.ts'
import { ANSWER_TYPES } from './answer-types.ts'
import { answerTypesFor, answerTypesIn } from './find-answer-types.ts'
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

describe('the kind of answer that is asked for', () => {
  test.each([
    ['money', 'It is € 4.50 a day.', 'How much is it?'],
    ['money', 'Der Eintritt ist kostenlos.', 'Was kostet der Eintritt?'],
    ['clock', 'Doors open at 10:30.', 'When do you open?'],
    ['clock', 'Ab 9 Uhr.', 'Um wie viel Uhr?'],
    ['weekday', 'Closed on Mondays.', 'Which days are you open?'],
    ['date', 'Du 15 mai au 15 septembre.', 'Quand ouvrez-vous ?'],
    ['date', 'Accepted until 15 May.', 'What is the deadline?'],
    ['duration', 'Ready after 48 hours.', 'How long does it take?'],
    ['duration', 'Es dauert zwei Wochen.', 'Wie lange dauert es?'],
    ['weight', 'Dogs up to 15 kg.', 'How heavy may it be?'],
    ['length', 'It is 2.05 m high.', 'How high is it?'],
    ['volume', 'The tank holds 1.8 litres.', 'Wie viel Wasser passt hinein?'],
    ['data', 'With 3 GB each month.', 'How many gigabytes do I have?'],
    ['percent', 'At 12.5 % a year.', 'What is the interest?'],
    ['temperature', 'Run it at 90 degrees.', 'How hot is it?'],
    ['speed', 'Up to 25 km/h.', 'How fast is it?'],
    ['loudness', 'It reaches 70 decibels.', 'Is it loud?'],
    ['phone', 'Call 0800 555 0117.', 'Whom do I call?'],
    ['internet', 'Write to info@example.com.', 'What is your e-mail?'],
    ['address', 'You find us at Park Avenue 151.', 'Where are you?'],
    ['address', 'Bahnhofstraße 12', 'Wo finde ich euch?'],
    ['address', '12 rue de la Paix', 'Quelle est votre adresse ?'],
  ])('%s: %s', (kind, text, question) => {
    expect(answerTypesIn(text)).toContain(` ${kind}`)
    expect(answerTypesFor(question)).toContain(` ${kind}`)
  })

  test('is not seen in ordinary sentences', () => {
    for (const text of ['You may ask us anything.', 'They march in line.', 'A place of rest for 2 people.', '']) {
      expect(answerTypesIn(text)).toEqual([])
    }
  })

  test('decides between passages on the same thing, and changes no score', () => {
    const texts = ['The spa has a steam bath and opens to guests.', 'The spa costs € 18 and is there for guests.']
    expect(foundTexts(texts, 'How much do I owe for the spa?')[0]).toBe(texts[1])
    expect(foundTexts(texts, 'the spa please')).toHaveLength(2)
    const [without, having] = scoresOf(['The spa: new.', 'The spa: € 18.'], 'how much is the spa')
    expect(having).toBe(without)
  })

  test('finds nothing by itself', () => {
    expect(foundTexts(['It is € 18.', 'Closed on Mondays.'], 'how much')).toEqual([])
    expect(foundTexts(['It is € 18.', 'Closed on Mondays.'], 'when do zebras sleep')).toEqual([])
  })

  test('is told of texts that were made to take long', () => {
    for (const piece of ['1', '0(', '1 a ', '+1', 'a@', '1.', 'rue de la ', '1:1', '12 ', '€ ', 'in may '])
      expect(answerTypesIn(piece.repeat(30_000)).length).toBeLessThanOrEqual(ANSWER_TYPES.length)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void [answerTypesIn(text), answerTypesFor(text)]))
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
