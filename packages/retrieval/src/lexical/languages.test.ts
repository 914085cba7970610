import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectLanguage } from './detect-language.ts'
import { foldMarks, lowerCase } from './fold-text.ts'
import { LANGUAGE_SAMPLES } from './language-samples-test-kit.ts'
import { asked, chunksOf, foundTexts, indexOf } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { STEMMED_LANGUAGES, stemWord } from './stem-word.ts'
import { tokenize } from './tokenize.ts'

function languageOf(text: string): string | null {
  return detectLanguage(tokenize(text).tokens.map((token) => foldMarks(token.text)))
}

describe('the language of a text', () => {
  test.each(LANGUAGE_SAMPLES)('$language is told by its function words', ({ language, text }) => {
    expect(languageOf(text)).toBe(language)
  })

  test('is unknown where there are none', () => {
    expect(languageOf('X-200 €450 / X-300 €540')).toBeNull()
    expect(languageOf('')).toBeNull()
  })
})

describe('a stemmer', () => {
  test.each(STEMMED_LANGUAGES)('of %s takes the words of every language and script', (language) => {
    for (const { text } of LANGUAGE_SAMPLES) {
      for (const token of tokenize(text).tokens) expect(stemWord(language, token.text)).not.toBe('')
    }
    const letters = 'aeinsßéığżаеинрщъыґїєאבהاويةअनिकี่กทあア中한ωςά'
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 40 }), (word) => {
        expect(stemWord(language, word)).not.toBe('')
      }),
      { numRuns: 200 },
    )
    const endings = ['ища', 'овци', 'ове', 'еве', 'ци', 'зи', 'си', 'ен', 'ъл', 'ека', 'ости', 'ями']
    for (const ending of endings) expect(stemWord(language, `джаредалл${ending}`)).not.toBe('')
  })
})

/** Each passage with questions in other forms of its words. */
const INFLECTED: readonly (readonly [language: string, text: string, questions: readonly string[]])[] = [
  [
    'en',
    'A booking can be cancelled until the day before you arrive.',
    ['cancellation', 'bookings', 'cancel', 'arriving'],
  ],
  [
    'de',
    'Die Kündigung ist mit einer Frist von einem Monat möglich und kostet nichts.',
    ['kündigen', 'Fristen', 'Monate', 'Kuendigung'],
  ],
  [
    'fr',
    'Les réservations sont annulées sans frais jusqu’à la veille de votre arrivée.',
    ['réserver', 'annuler', 'reservation', 'arriver'],
  ],
  [
    'es',
    'Las habitaciones están en la segunda planta y se limpian por la mañana.',
    ['habitación', 'habitacion', 'limpiar', 'plantas'],
  ],
  [
    'it',
    'Le prenotazioni si possono cancellare entro la sera prima del viaggio.',
    ['prenotazione', 'prenotare', 'cancellato', 'viaggi'],
  ],
  ['pt', 'Os quartos são limpos todos os dias e as reservas não têm custos.', ['quarto', 'reservar', 'limpo', 'custo']],
  [
    'nl',
    'De kamers zijn op de tweede verdieping en u kunt betalen bij de balie.',
    ['kamer', 'betaal', 'verdiepingen', 'balies'],
  ],
  [
    'sv',
    'Bokningar kan ändras fram till dagen innan och det finns rum för er med barn.',
    ['bokning', 'bokningen', 'ändra', 'dagar'],
  ],
  ['da', 'Værelserne er klar om eftermiddagen, og man kan betale med kort.', ['værelse', 'kortet', 'betaler']],
  ['no', 'Rommene er klare om ettermiddagen, og du kan betale med kort når du reiser.', ['rommet', 'kortet', 'reise']],
  ['fi', 'Huoneet ovat valmiina iltapäivällä ja varauksen voi perua ilman maksua.', ['huone', 'varaukset', 'maksu']],
  [
    'pl',
    'Rezerwację można odwołać bez opłat, a pokoje są na drugim piętrze.',
    ['rezerwacja', 'rezerwacji', 'opłata', 'pokojów'],
  ],
  ['cs', 'Objednávku můžete zrušit, dokud se balík nepředá do přepravy.', ['objednávka', 'objednavky', 'balíku']],
  ['hu', 'A szobák a második emeleten vannak, és a foglalást le lehet mondani.', ['szobákat', 'foglalás', 'emelet']],
  ['ro', 'Camerele sunt la etajul al doilea și comanda se poate anula până seara.', ['camera', 'anulare', 'etaj']],
  ['tr', 'Odalar ikinci kattadır ve rezervasyonlar için bir ücret yok.', ['rezervasyon', 'ücretler']],
  [
    'ru',
    'Бронирование можно отменить без оплаты, а номера находятся на втором этаже.',
    ['бронирования', 'номер', 'оплата'],
  ],
  ['uk', 'Замовлення можна скасувати, якщо посилка ще не у кур’єра.', ['посилку', 'посилки']],
  [
    'bg',
    'Стаята може да се откаже безплатно и закуската се сервира на първия етаж на хотела.',
    ['стаи', 'закуска', 'етажа', 'хотели', 'безплатна'],
  ],
  ['el', 'Τα δωμάτια είναι στον δεύτερο όροφο και η κράτηση δεν κοστίζει.', ['δωμάτιο', 'κρατήσεις', 'δωματια']],
]

describe('other forms of a word', () => {
  const others = chunksOf(['Nothing of the kind.', 'Etwas ganz anderes steht hier.', 'Rien de tout cela.'])
  test.each(INFLECTED)('are found in %s', (_language, text, questions) => {
    const index = indexOf({ source: chunksOf([text]), others })
    const unmatched = questions.filter((question) => search([index], asked(question))[0]?.key !== 'source')
    expect(unmatched).toEqual([])
  })

  test('are found when all languages stand in one index', () => {
    const index = indexOf(Object.fromEntries(INFLECTED.map(([language, text]) => [language, chunksOf([text])])))
    const misses = INFLECTED.flatMap(([language, , questions]) =>
      questions.filter((question) => {
        return !search([index], asked(question, { topK: 3 })).some(({ key }) => key === language)
      }),
    )
    expect(misses).toEqual([])
  })
})

describe('Vietnamese', () => {
  const texts = [
    'Quán có bán bánh bò và trà đá.',
    'Bạn của tôi có một con bò ở trong làng.',
    'Mã số của bạn được gửi cho má của bạn.',
  ]

  test('words are told apart by their marks', () => {
    expect(foundTexts(texts, 'bạn có bán bánh không')[0]).toBe(texts[0])
    const tones = ['Con bò ở trong làng và không có ai.', 'Có một cái bộ ở trong nhà của tôi.']
    expect(foundTexts(tones, 'bò')).toEqual([tones[0]])
    expect(foundTexts(tones, 'bo')).toHaveLength(2)
  })

  test('words are found without marks', () => {
    expect(foundTexts(texts, 'banh bo')[0]).toBe(texts[0])
  })
})

test('languages of few sources do not change how a question is read', () => {
  const scoreAmong = (count: number): number => {
    const english = Array.from({ length: count }, (_, at) => [`en${at}`, chunksOf([`The page ${at} is about a dam.`])])
    const french = chunksOf(['Les clients sont dans la salle et ils ne sont pas seuls.'])
    const index = indexOf({ ...Object.fromEntries(english), fr: french })
    // Only in French is "dames" a form of "dam".
    return search([index], asked('dames'))[0]?.score ?? 0
  }
  expect(scoreAmong(3)).toBe(1)
  expect(scoreAmong(30)).toBeLessThan(1)
})

describe('scripts without spaces', () => {
  const texts = [
    '本館の営業時間は午前九時から午後六時までです。お茶は無料です。',
    '駐車場は建物の裏にあります。コーヒーは三百円です。',
    '早餐从七点供应到十点，每位客人二十元。',
    '停车场在酒店后面，每天十五元。',
    'โรงแรมเปิดให้เช็คอินตั้งแต่บ่ายสองโมง',
    'ที่จอดรถอยู่ด้านหลังอาคารและไม่มีค่าใช้จ่าย',
    '조식은 일곱 시부터 제공됩니다.',
    '주차장은 건물 뒤에 있습니다.',
  ]

  test.each([
    ['営業時間は何時ですか', 0],
    ['お茶はいくらですか', 0],
    ['茶', 0],
    ['コーヒー', 1],
    ['早餐几点开始？', 2],
    ['停车场在哪里', 3],
    ['เช็คอินได้กี่โมง', 4],
    ['มีที่จอดรถไหม', 5],
    ['조식 시간', 6],
    ['주차장이 어디예요', 7],
  ])('%s', (question, position) => {
    expect(foundTexts(texts, question)[0]).toBe(texts[position])
  })
})

test('case, width and marks that people leave out make no difference', () => {
  expect(
    ['Größe', 'ＣＡＦÉ', 'ŁÓDŹ', 'İstanbul', 'Ångström', 'ﬁne', 'Δωμάτιο'].map((word) => foldMarks(lowerCase(word))),
  ).toEqual(['grosse', 'cafe', 'lodz', 'istanbul', 'angstrom', 'fine', 'δωματιο'])
  expect(foldMarks(lowerCase('が ที่ क्षि й'))).toBe('が ที่ क्षि й')
})
