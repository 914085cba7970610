import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findWrittenOffset, prepareSpeech } from './prepare-speech.ts'
import type { Pronunciation } from './respell.ts'

const toSpokenText = (text: string, language = 'en-US') =>
  prepareSpeech(text, { language, normalize: true, pronunciations: [] }).text

describe('English', () => {
  test.each([
    [
      'It costs $3.50, $1,234.00, $0.99 or $1.01.',
      'It costs three dollars and fifty cents, one thousand two hundred thirty-four dollars, ninety-nine cents or one dollar and one cent.',
    ],
    [
      '$5 million, 20 €, 15 USD, -$5, £1',
      'five million dollars, twenty euros, fifteen US dollars, minus five dollars, one pound',
    ],
    ['Up 12.5% or 5-10%, ~30%', 'Up twelve point five percent or five to ten percent, about thirty percent'],
    ['415-555-0123', 'four one five, five five five, zero one two three'],
    ['Call (415) 555-0123.', 'Call four one five, five five five, zero one two three.'],
    ['+1 415 555 0123', 'plus one, four one five, five five five, zero one two three'],
    ['On 2024-03-05 or 3/5/2024.', 'On March fifth, twenty twenty-four or March fifth, twenty twenty-four.'],
    ['March 3, 2024', 'March third, twenty twenty-four'],
    ['Mar. 4th and the 5th of May 1905', 'March fourth and the fifth of May nineteen oh five'],
    ['In 1805 and 2000, 1500 users', 'In eighteen oh five and two thousand, one thousand five hundred users'],
    ['At 10:30, 3pm, 3:05 p.m. or 14:00.', 'At ten thirty, three PM, three oh five PM or fourteen hundred.'],
    ['Come at 5 p.m.', 'Come at five PM.'],
    ['Open 9am-5pm', 'Open nine AM to five PM'],
    ['Code A1B2-C3, room B12', 'Code A one B two, C three, room B twelve'],
    ['Order number 12345678, PIN 0421', 'Order number one two three four, five six seven eight, PIN zero four two one'],
    ['anna.b_c@mail.example.com', 'anna dot b underscore c at mail dot example dot com'],
    ['See https://www.example.com/a-b/c?x=1.', 'See example dot com slash a dash b slash c.'],
    ['Or example.org, now', 'Or example dot org, now'],
    [
      '5kg, 1 kg, 2.5 lbs, 100 km/h, 20°C',
      'five kilograms, one kilogram, two point five pounds, one hundred kilometers per hour, twenty degrees Celsius',
    ],
    [
      'Dr. Smith, 12 Main St. near St. John, e.g. there',
      'Doctor Smith, twelve Main Street near Saint John, for example there',
    ],
    ['Bread, milk etc.', 'Bread, milk et cetera.'],
    ['1/2 cup, 24/7 support & 2 + 2 = 4', 'one half cup, twenty-four seven support and two plus two equals four'],
    ['1st, 22nd, 112th, #5, No. 7', 'first, twenty-second, one hundred twelfth, number five, number seven'],
    [
      'Version 1.2.3 at 192.168.1.1',
      'Version one dot two dot three at one hundred ninety-two dot one hundred sixty-eight dot one dot one',
    ],
    [
      '-5 degrees, 5 - 10 people, well-known, COVID-19',
      'minus five degrees, five to ten people, well-known, COVID-nineteen',
    ],
    ['100,000,000 and 1000000', 'one hundred million and one million'],
    ['Milk\nEggs\n\nBread and\nbutter', 'Milk, Eggs. Bread and butter'],
    ['1. **Open** the door\n2. Go', 'one, Open the door, two, Go'],
    ['"Quoted," (said) — yes… 👍', '"Quoted," (said) — yes…'],
    ['3 cats. 4 dogs.', 'three cats. four dogs.'],
    [
      'It is -5°C outside, it fell by −3%.',
      'It is minus five degrees Celsius outside, it fell by minus three percent.',
    ],
    ['Your balance is -$20.50, I am -5', 'Your balance is minus twenty dollars and fifty cents, I am minus five'],
    ['from 5 -7, 5 pm -7 pm', 'from five to seven, five PM to seven PM'],
    [
      'It is 3,5 times, not 1,234 or 1,2,3.',
      'It is three point five times, not one thousand two hundred thirty-four or one,two,three.',
    ],
    ['10.20.30.40 and 1.2.3.4.5', 'ten dot twenty dot thirty dot forty and one dot two dot three dot four dot five'],
    ['$1 million, $2.5M, $1k', 'one million dollars, two point five million dollars, one thousand dollars'],
    ['john\\_doe@example.com', 'john underscore doe at example dot com'],
  ])('%s', (text, spoken) => {
    expect(toSpokenText(text)).toBe(spoken)
  })

  test('puts the day before the month in British English', () => {
    expect(toSpokenText('3/5/2024', 'en-GB')).toBe('May third, twenty twenty-four')
    expect(toSpokenText('31/12/2023', 'en-US')).toBe('December thirty-first, twenty twenty-three')
  })
})

describe('other languages', () => {
  test.each([
    [
      'de',
      'Am 3. März 2024 um 14:30 Uhr: 1.234,50 €',
      'Am dritten März zweitausendvierundzwanzig um vierzehn Uhr dreißig: eintausendzweihundertvierunddreißig Euro fünfzig Cent',
    ],
    [
      'de',
      'ca. 5 %, z. B. 21 km, 2,5 kg, 1 €',
      'circa fünf Prozent, zum Beispiel einundzwanzig Kilometer, zwei Komma fünf Kilogramm, ein Euro',
    ],
    [
      'de-AT',
      'Seit 1999 das 21. Jahrhundert, 101',
      'Seit neunzehnhundertneunundneunzig das einundzwanzigste Jahrhundert, einhunderteins',
    ],
    [
      'fr',
      'Le 1er mars à 14h30 : 80 €, 91, 71',
      'Le premier mars à quatorze heures trente : quatre-vingts euros, quatre-vingt-onze, soixante et onze',
    ],
    [
      'fr',
      'Le 01 23 45 67 89, 3,50 €',
      'Le zéro un, deux trois, quatre cinq, six sept, huit neuf, trois euros cinquante centimes',
    ],
    [
      'es',
      '21 €, 1.000.000 €, la 3ª, 31/12/2023',
      'veintiún euros, un millón de euros, la tercera, treinta y uno de diciembre de dos mil veintitrés',
    ],
    ['it', '1° marzo, 28, 33, 1.500 €', 'primo marzo, ventotto, trentatré, millecinquecento euro'],
    [
      'pt-BR',
      'R$ 1.234,50 e 1.100, 5%',
      'mil duzentos e trinta e quatro reais e cinquenta centavos e mil e cem, cinco por cento',
    ],
    ['nl', '€ 22,50 om 14:30 uur, de 8e', 'tweeëntwintig euro en vijftig cent om veertien uur dertig, de achtste'],
    ['de', 'Es sind -5 °C und -3.5 %', 'Es sind minus fünf Grad Celsius und minus drei Komma fünf Prozent'],
    [
      'de',
      'Die Version 3.5 kostet 12.99. Oder 12.99 €, 1.234.',
      'Die Version drei Komma fünf kostet zwölf Komma neun neun. Oder zwölf Euro neunundneunzig Cent, eintausendzweihundertvierunddreißig.',
    ],
    [
      'es',
      'Mide 1.5 metros a las 9.30, a las 9.30 h',
      'Mide uno coma cinco metros a las nueve y media, a las nueve y media',
    ],
    [
      'it',
      'Dalle 9.30 alle 18.15, 9.30 e 3.5',
      'Dalle nove e mezza alle diciotto e quindici, nove virgola trenta e tre virgola cinque',
    ],
    ['de', 'Um 9.30 Uhr oder um 9.30 €', 'Um neun Uhr dreißig oder um neun Euro dreißig Cent'],
    [
      'fr',
      'Appelez le 01.23.45.67.89 demain',
      'Appelez le zéro un, deux trois, quatre cinq, six sept, huit neuf demain',
    ],
    ['de', 'Um 3:30 pm, 12 am', 'Um fünfzehn Uhr dreißig, null Uhr'],
    ['fr', 'À 3:30 pm', 'À quinze heures trente'],
    ['it', 'Alle 3:20 pm', 'Alle quindici e venti'],
    ['pt', 'Às 3:20 pm', 'Às quinze e vinte'],
    ['nl', 'Om 12:30 pm', 'Om twaalf uur dertig'],
    ['es', 'A las 3:30 pm', 'A las tres y media de la tarde'],
    ['de', 'Die Zimmernummer ist 12. Danke schön.', 'Die Zimmernummer ist zwölf. Danke schön.'],
    ['de', 'Am Montag um 15. Passt Ihnen das?', 'Am Montag um fünfzehn. Passt Ihnen das?'],
    [
      'de',
      'Zum 3. Mal, ein 2. Versuch, Ihre 4. Etage, 5. und 6. Mai',
      'Zum dritten Mal, ein zweiter Versuch, Ihre vierte Etage, fünfter und sechster Mai',
    ],
    [
      'de',
      'Am 01.02.2024, der 3.5.2024',
      'Am ersten Februar zweitausendvierundzwanzig, der dritte Mai zweitausendvierundzwanzig',
    ],
    [
      'pt',
      'R$ 5 mil, R$ 2,5 milhões, R$ 1 milhão',
      'cinco mil reais, dois vírgula cinco milhões de reais, um milhão de reais',
    ],
    [
      'es',
      '5 mil €, 1 millón €, 21 millones €, 2,5 mil €',
      'cinco mil euros, un millón de euros, veintiún millones de euros, dos coma cinco mil euros',
    ],
    ['it', '1 milione €, 2,5 mln €', 'un milione di euro, due virgola cinque milioni di euro'],
    [
      'de',
      '1 Mio. €, 1 Million €, 5 Mrd. €, 5 Tsd. €, 2,5 Mio. €',
      'eine Million Euro, eine Million Euro, fünf Milliarden Euro, fünftausend Euro, zwei Komma fünf Millionen Euro',
    ],
    [
      'fr',
      '5 millions $, 5 M£, 1 000 000 €, 2,5 millions €, 3 millions km',
      "cinq millions de dollars, cinq millions de livres, un million d'euros, deux virgule cinq millions d'euros, trois millions km",
    ],
    ['nl', '€ 5 miljoen', 'vijf miljoen euro'],
    [
      'es',
      '99999999999999999999 millones €',
      'nueve nueve nueve nueve, '.repeat(5).replace(/, $/, ' millones de euros'),
    ],
    ['ja', '2024年3月5日に1,000円。', '2024年3月5日に1,000円。'],
  ])('%s: %s', (language, text, spoken) => {
    expect(toSpokenText(text, language)).toBe(spoken)
  })
})

describe('pronunciations', () => {
  const parley: Pronunciation = { word: 'Parley', alphabet: 'ipa', phoneme: 'ˈpɑɹli' }
  const tomato: Pronunciation = { word: 'tomato', alphabet: 'cmu', phoneme: 'T AH0 M EY1 T OW2' }
  const prepare = (text: string, language = 'en-US', normalize = true) =>
    prepareSpeech(text, { language, normalize, pronunciations: [parley, tomato] })

  test('are respelled for English voices', () => {
    expect(prepare('PARLEY sells tomato, not tomatoes.').text).toBe('pahrlee sells tuhmaytoh, not tomatoes.')
  })

  test('are ignored without a respelling and applied without normalization', () => {
    expect(prepare('Parley 5', 'de-DE').text).toBe('Parley fünf')
    expect(prepare('Parley 5', 'en-US', false).text).toBe('pahrlee 5')
    const pinyin = [{ word: 'Li', alphabet: 'pinyin', phoneme: 'li3' }]
    expect(prepareSpeech('Li', { language: 'en', normalize: true, pronunciations: pinyin }).text).toBe('Li')
    const strange = [{ word: 'Li', alphabet: 'ipa', phoneme: '!!' }]
    expect(prepareSpeech('Li', { language: 'en', normalize: true, pronunciations: strange }).text).toBe('Li')
  })
})

test('only strips markup without normalization', () => {
  const speech = prepareSpeech('**Pay** $3.50 at 5 p.m.', { language: 'en', normalize: false, pronunciations: [] })
  expect(speech.text).toBe('Pay $3.50 at 5 p.m.')
})

test('returns an empty text if nothing can be spoken', () => {
  for (const text of ['', ' \n', '👍', '***', '—', '- - -']) expect(toSpokenText(text)).toBe('')
})

/** Each text takes a few milliseconds; more time would indicate superlinear work. */
const HOSTILE_TEXT_MS = 1_000

describe('spans', () => {
  const texts = fc
    .array(
      fc.constantFrom(
        ...[
          'Hello',
          'there,',
          '**bold**',
          '$3.50',
          '5%',
          'Dr.',
          'a.b@c.example',
          '10:30',
          '+1 415 555 0123',
          'A1B2',
          '—',
        ],
        ...[
          '(yes)',
          '"no."',
          '👍',
          '\n',
          '[x](y)',
          'März',
          '3.',
          '2024-03-05',
          '-',
          '&',
          '`code`',
          '…',
          '&amp;',
          '5-10',
        ],
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(' '))
  const languages = fc.constantFrom('en-US', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja')

  test('are ordered and do not overlap', () => {
    fc.assert(
      fc.property(texts, languages, fc.boolean(), (text, language, normalize) => {
        const speech = prepareSpeech(text, { language, normalize, pronunciations: [] })
        let [written, spoken] = [0, 0]
        for (const span of speech.spans) {
          expect(span.written[0]).toBeGreaterThanOrEqual(written)
          expect(span.written[1]).toBeGreaterThan(span.written[0])
          expect(span.spoken[0]).toBeGreaterThanOrEqual(spoken)
          expect(span.spoken[1]).toBeGreaterThan(span.spoken[0])
          expect(speech.text.slice(...span.spoken)).toMatch(/[\p{L}\p{N}]/u)
          ;[written, spoken] = [span.written[1], span.spoken[1]]
        }
        expect(written).toBe(speech.spans.length === 0 ? 0 : text.length)
        expect(spoken).toBeLessThanOrEqual(speech.text.length)
        expect(findWrittenOffset(speech.spans, speech.text.length)).toBe(written)
        expect(findWrittenOffset(speech.spans, 0)).toBe(0)
      }),
      { numRuns: 1_000 },
    )
  })

  test('take linear time for hostile texts', () => {
    const texts = [
      'a.'.repeat(4_000),
      'A-1'.repeat(3_000),
      '1,'.repeat(4_000),
      '+1 '.repeat(3_000),
      '['.repeat(8_000),
      '0 '.repeat(4_000),
    ]
    for (const text of [
      ...texts,
      'a@'.repeat(4_000),
      '*_'.repeat(4_000),
      '<a'.repeat(4_000),
      '1.'.repeat(4_000),
      '9'.repeat(8_000),
    ]) {
      const startedAtMs = performance.now()
      toSpokenText(text)
      expect(performance.now() - startedAtMs, text.slice(0, 4)).toBeLessThan(HOSTILE_TEXT_MS)
    }
  }, 15_000)
})
