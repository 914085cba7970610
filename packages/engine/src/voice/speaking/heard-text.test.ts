import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOffsetAfterWords, getHeardText, joinClauses } from './heard-text.ts'
import { prepareSpeech } from './prepare-speech.ts'

const prepare = (text: string) => prepareSpeech(text, { language: 'en-US', normalize: true, pronunciations: [] })

/** Returns the heard text after a voice reported this many words of the clause. */
function heardAfter(text: string, words: number): string {
  const speech = prepare(text)
  const named = speech.text.split(/[\s,.!?]+/).filter((word) => /\p{L}/u.test(word))
  return getHeardText(text, speech, findOffsetAfterWords(speech.text, named.slice(0, words)))
}

describe('heard text', () => {
  test('ends at a whole written word, with punctuation and without markup', () => {
    const text = '**Hello**, that is $3.50, thanks!'
    const upTo = [0, 1, 2, 3, 5, 7, 8].map((words) => heardAfter(text, words))
    const [hello, that, is, money] = ['Hello,', 'Hello, that', 'Hello, that is', 'Hello, that is $3.50,']
    // "three dollars and fifty cents" counts as heard once its last word is heard.
    expect(upTo).toEqual(['', hello, that, is, is, is, money])
    expect(heardAfter(text, 9)).toBe('Hello, that is $3.50, thanks!')
  })

  test('keeps words with inner punctuation and quotes whole', () => {
    expect(heardAfter('"Well-known," they said.', 1)).toBe('"Well-known,"')
    expect(heardAfter("It's (very) good — now.", 2)).toBe("It's (very)")
  })

  test('ends at a character in scripts without spaces', () => {
    const text = '你好，我是小王。'
    const speech = prepareSpeech(text, { language: 'zh-CN', normalize: true, pronunciations: [] })
    const upTo = (...words: string[]) => getHeardText(text, speech, findOffsetAfterWords(speech.text, words))
    expect(upTo('你好')).toBe('你好，')
    expect(upTo('你好，', '我是')).toBe('你好，我是')
    expect(upTo('你', '好', '我')).toBe('你好，我')
    expect(upTo('你好', '我是', '小王')).toBe(text)
  })

  test('is complete after the last word', () => {
    const text = 'Call me — ok?)'
    expect(heardAfter(text, 3)).toBe(text)
  })

  test('follows voices that spell, join and omit words', () => {
    const text = 'doctor Smith well-known at twenty-five past'
    const upTo = (...words: string[]) => text.slice(0, findOffsetAfterWords(text, words))
    expect(upTo('Doctor', 'Smith,')).toBe('doctor Smith')
    expect(upTo('doctor', 'smith', 'well', 'known', 'at')).toBe('doctor Smith well-known at')
    expect(upTo('doctor', 'smith', 'well')).toBe('doctor Smith')
    expect(upTo('doctorsmith', 'wellknown')).toBe('doctor Smith well-known')
    expect(upTo('doctor', 'wellknown', 'at')).toBe('doctor Smith well-known at')
    expect(upTo('dɒktə', 'Smith')).toBe('doctor Smith')
    expect(upTo('doctor', '...', 'Smith')).toBe('doctor Smith')
    expect(findOffsetAfterWords('One two!', ['one', 'two'])).toBe(8)
    expect(findOffsetAfterWords('', ['one'])).toBe(0)
  })

  const words = fc.array(fc.constantFrom('Hello', 'there,', "it's", 'a-b', '(really)', 'good.', 'Ja!'), {
    minLength: 1,
    maxLength: 20,
  })

  test('equals the reported words of unchanged texts', () => {
    fc.assert(
      fc.property(words, fc.nat(20), (written, cut) => {
        const text = written.join(' ')
        const speech = prepare(text)
        const count = Math.min(cut, written.length)
        const named = written.slice(0, count).map((word) => word.replace(/[(),.!]/g, ''))
        expect(getHeardText(text, speech, findOffsetAfterWords(speech.text, named))).toBe(
          written.slice(0, count).join(' '),
        )
      }),
    )
  })
})

test('joins clauses with or without spaces by script', () => {
  expect(joinClauses(['Hello there,', '', 'how are you?'])).toBe('Hello there, how are you?')
  expect(joinClauses(['你好，我是小王。', '请问有什么可以帮您？'])).toBe('你好，我是小王。请问有什么可以帮您？')
  expect(joinClauses(['我是', 'Anna.'])).toBe('我是 Anna.')
  expect(joinClauses([])).toBe('')
})
