import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClauseSplitter } from './split-clauses.ts'
import { stripMarkup } from './strip-markup.ts'

function split(text: string, language = 'en-US'): string[] {
  const splitter = createClauseSplitter({ language })
  return [...splitter.push(text), ...splitter.end()]
}

describe('clauses', () => {
  test.each([
    ['Hello there, how can I help you today?', ['Hello there,', 'how can I help you today?']],
    ['Sure. One moment please. I will look, then call.', ['Sure. One moment please.', 'I will look, then call.']],
    ['It is $3.50 or 1,000 points. Fine?', ['It is $3.50 or 1,000 points.', 'Fine?']],
    ['Dr. Smith and J. R. R. Tolkien met. They talked.', ['Dr. Smith and J. R. R. Tolkien met.', 'They talked.']],
    ['Open 9 a.m. to 5 p.m. We wait, e.g. here.', ['Open 9 a.m. to 5 p.m.', 'We wait, e.g. here.']],
    [
      'Mail a.b@c.example. Or see www.x.example/a.b?c=1, ok?',
      ['Mail a.b@c.example.', 'Or see www.x.example/a.b?c=1, ok?'],
    ],
    ['Well... let me think... Right. That is it.', ['Well... let me think...', 'Right. That is it.']],
    ['He said: "Come in now!" Then he left.', ['He said: "Come in now!"', 'Then he left.']],
    ['Call 415, 555, 0123 now. Thanks a lot.', ['Call 415, 555, 0123 now.', 'Thanks a lot.']],
    ['The fee (No. 5) is due. Yes, the U.S. Army knows.', ['The fee (No. 5) is due.', 'Yes, the U.S. Army knows.']],
    ['Approx. unknown', ['Approx. unknown']],
    ['It is approx. 5, etc. unknown', ['It is approx. 5,', 'etc. unknown']],
    ['No. I do not think so. Really.', ['No. I do not think so.', 'Really.']],
    ['We sell milk, bread etc. Anything else for you?', ['We sell milk,', 'bread etc. Anything else for you?']],
    ['1. Open the door.\n2. Walk through it.', ['1. Open the door.', '2. Walk through it.']],
    ['- First **item** here\n- Second item', ['First item here', 'Second item']],
    ['I am right here — well, almost. Now.', ['I am right here —', 'well, almost.', 'Now.']],
    ['A well-known 5 - 10 minute walk - really.', ['A well-known 5 - 10 minute walk -', 'really.']],
  ])('%j', (text, clauses) => {
    expect(split(text)).toEqual(clauses)
  })

  test.each([
    ['de-DE', 'Der Termin ist am 3. Mai um 10 Uhr. Passt das?', ['Der Termin ist am 3. Mai um 10 Uhr.', 'Passt das?']],
    ['de-DE', 'Die Zimmernummer ist 12. Danke schön.', ['Die Zimmernummer ist 12.', 'Danke schön.']],
    ['de-DE', 'Der Termin ist um 15. Passt Ihnen das?', ['Der Termin ist um 15.', 'Passt Ihnen das?']],
    [
      'de-DE',
      'Es war das 21. Jahrhundert. Nach dem 3. und 5. Mai.',
      ['Es war das 21. Jahrhundert.', 'Nach dem 3. und 5. Mai.'],
    ],
    ['de-DE', 'Es sind genau 12. - Danke schön.', ['Es sind genau 12.', '- Danke schön.']],
    ['de-DE', 'Es beginnt 12. Dez. 2024. Ja.', ['Es beginnt 12. Dez. 2024.', 'Ja.']],
    ['de-DE', 'Im Zimmer steht 12. Maisfelder gibt es.', ['Im Zimmer steht 12.', 'Maisfelder gibt es.']],
    ['da-DK', 'Det er den 3. Maj i dag. Godt.', ['Det er den 3. Maj i dag.', 'Godt.']],
    ['de-DE', 'Das gilt z. B. hier, d.h. immer. Gut.', ['Das gilt z. B. hier,', 'd.h. immer. Gut.']],
    ['es-ES', '¿Cómo está Ud. hoy? ¡Muy bien!', ['¿Cómo está Ud. hoy?', '¡Muy bien!']],
    ['zh-CN', '你好，我是小王。请问有什么可以帮您？', ['你好，我是小王。', '请问有什么可以帮您？']],
    ['ja-JP', 'こんにちは、田中です。「はい。」と言った。', ['こんにちは、', '田中です。「はい。」と言った。']],
    ['hi-IN', 'नमस्ते जी आप कैसे हैं। मैं ठीक हूँ।', ['नमस्ते जी आप कैसे हैं।', 'मैं ठीक हूँ।']],
    ['ar-SA', 'مرحبا بك، كيف حالك؟ أنا بخير.', ['مرحبا بك، كيف حالك؟', 'أنا بخير.']],
    ['th-TH', 'สวัสดีครับคุณลูกค้า วันนี้เป็นอย่างไรบ้าง', ['สวัสดีครับคุณลูกค้า', 'วันนี้เป็นอย่างไรบ้าง']],
  ])('%s: %s', (language, text, clauses) => {
    expect(split(text, language)).toEqual(clauses)
  })

  test('are returned as soon as the following text is known', () => {
    const splitter = createClauseSplitter()
    const clauses = ['Hello', ' there', ',', ' how', ' are', ' you', '?', ' I', ' am', ' fine', '.'].map((delta) => [
      ...splitter.push(delta),
    ])
    expect(clauses).toEqual([[], [], [], ['Hello there,'], [], [], [], ['how are you?'], [], [], []])
    expect(splitter.end()).toEqual(['I am fine.'])
    expect(splitter.end()).toEqual([])
    expect([...splitter.push('Good morning, sir')]).toEqual(['Good morning,'])
  })

  test('split sentences without punctuation at natural pauses', () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
    const clauses = split(`${words(20)} and ${words(30)}`)
    expect(clauses[1]?.startsWith('and word0')).toBe(true)
    for (const clause of split(words(400))) expect(clause).toMatch(/^word\d+( word\d+)*$/)
    expect(split('a'.repeat(600)).map(({ length }) => length)).toEqual([250, 250, 100])
    expect(split(`Good morning to you, ${words(10)}, ${words(10)}, ${words(4)}.`)).toHaveLength(3)
  })

  const texts = fc
    .array(
      fc.constantFrom(
        ...[
          'Hello',
          'yes',
          'etc.',
          'Dr.',
          'No.',
          'p.m.',
          'U.S.',
          '3.50',
          '1,000',
          '5',
          '.',
          ',',
          '?',
          '!',
          '...',
          '…',
          ':',
        ],
        ...[
          ' ',
          ' ',
          ' ',
          '\n',
          ' - ',
          '—',
          '"',
          ')',
          '(',
          '。',
          '，',
          '中文',
          '、',
          '」',
          'สวัสดี',
          '।',
          '؟',
          'Äpfel',
          '12. ',
          'Mai',
          'am ',
          'and',
        ],
        ...['https://a.example/b', 'a.b@c.example', 'x'.repeat(90), '𝒳', 'é', 'e\u0301'],
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''))
  const removeSpaces = (text: string) => text.replace(/\s/g, '')

  test('cover the whole text in bounded parts for every chunking', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(2_000), { maxLength: 30 }), (text, cuts) => {
        const allClauses = split(text, 'de')
        expect(removeSpaces(allClauses.join(''))).toBe(removeSpaces(stripMarkup(text).text))
        for (const clause of allClauses) {
          expect(clause).toBe(clause.trim())
          expect(clause.length).toBeGreaterThan(0)
          expect(clause.length).toBeLessThanOrEqual(250)
        }
        const splitter = createClauseSplitter({ language: 'de' })
        const boundaries = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        const chunks = boundaries
          .slice(1)
          .flatMap((boundary, index) => splitter.push(text.slice(boundaries[index], boundary)))
        expect([...chunks, ...splitter.end()]).toEqual(allClauses)
      }),
      { numRuns: 2_000 },
    )
  })
})
