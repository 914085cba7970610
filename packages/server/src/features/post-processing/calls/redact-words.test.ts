import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../redaction/redactor.ts'
import { buildWords } from './call-lifecycle-test-kit.ts'
import { redactWords } from './redact-words.ts'

const redactor = createRedactor(PII_CATEGORIES, [{ category: 'person_name', value: 'Ana Petrov' }])
const redact = (words: string, content = words, context = {}): string =>
  redactWords(buildWords(words), { content, context, ...redactor.redactTextWithRanges(content, context) }, redactor)
    .map(({ word, startMs, endMs }) => `${word}@${startMs}-${endMs}`)
    .join(' ')

test('words without personal data stay unchanged', () => {
  expect(redact('I would like a full service')).toBe(
    'I@0-90 would@100-190 like@200-290 a@300-390 full@400-490 service@500-590',
  )
})

test('a number or name of several words becomes one word with their whole time', () => {
  expect(redact('call 415 555 0104 please')).toBe('call@0-90 [phone_number]@100-390 please@400-490')
  expect(redact('it is Ana Petrov, hello')).toBe('it@0-90 is@100-190 [person_name]@200-390 hello@400-490')
  expect(redact('call four one five five five five zero one zero four now')).toBe(
    'call@0-90 [phone_number]@100-1090 now@1100-1190',
  )
})

test('words spelled differently from the text are searched separately, or removed', () => {
  // The number is spoken digit by digit.
  expect(redact('call 4 1 5 5 5 5 0 1 0 4 now', 'Call 415 555 0104 now.')).toBe(
    'call@0-90 [phone_number]@100-1090 now@1100-1190',
  )
  expect(redact('my card is', 'My card is 4111 1111 1111 1111')).toBe('')
  expect(redact('MY name IS ana petrov!', 'my name is Ana Petrov!')).toBe(
    'MY@0-90 name@100-190 IS@200-290 [person_name]@300-490',
  )
})

test('the preceding question counts', () => {
  expect(redact('Maria', 'Maria.', { question: 'What is your name?' })).toBe('[person_name]@0-90')
})

test('a text too long to search leaves no words', () => {
  expect(redact('hello', `hello ${'x'.repeat(300_000)}`)).toBe('')
})

test('no word of a personal value is left, however the text is split into words', () => {
  const secret = fc.constantFrom('ana@example.com', '4111 1111 1111 1111', '+1 415 555 0104', 'Ana Petrov')
  const filler = fc.array(fc.constantFrom('well', 'so', 'the', 'bike,', 'yes.', 'to'), { maxLength: 4 })
  fc.assert(
    fc.property(filler, secret, filler, fc.infiniteStream(fc.boolean()), (before, value, after, cuts) => {
      const content = [...before, value, ...after].join(' ')
      // Every blank may be a word boundary; some transcribers join words.
      const words: string[] = []
      for (const part of content.split(' ')) {
        if (words.length === 0 || cuts.next().value === true) words.push(part)
        else words.push(`${words.pop()} ${part}`)
      }
      const timed = words.map((word, index) => ({ word, startMs: index, endMs: index + 1 }))
      const left = redactWords(timed, { content, context: {}, ...redactor.redactTextWithRanges(content) }, redactor)
      const text = left.map(({ word }) => word).join(' ')
      for (const part of value.split(' ')) expect(text.split(/[ ,.]/)).not.toContain(part)
    }),
  )
})
