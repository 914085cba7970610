import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectLanguage } from './detect-language.ts'
import { foldDiacritics, lowerCase } from './fold-text.ts'
import { createChunks, createIndex, createQuery, findTexts } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { STEMMED_LANGUAGES, stemWord } from './stem-word.ts'
import { tokenize } from './tokenize.ts'

/** A business text with its language. */
interface LanguageSample {
  readonly language: string
  readonly text: string
}

/** One paragraph per detected language. */
const LANGUAGE_SAMPLES: readonly LanguageSample[] = [
  {
    language: 'en',
    text: 'Guests can check in from three in the afternoon. If you arrive later than ten, please call the reception so that somebody waits for you. Bicycles are kept in a locked room behind the house.',
  },
  {
    language: 'de',
    text: 'Die Werkstatt nimmt Fahrräder ohne Termin an, solange Platz ist. Wer einen Kostenvoranschlag möchte, bekommt ihn innerhalb von zwei Tagen per Telefon. Ersatzteile werden nur nach Rücksprache bestellt.',
  },
  {
    language: 'fr',
    text: 'Le petit déjeuner est servi dans la salle du rez-de-chaussée entre sept et dix heures. Les clients qui partent plus tôt peuvent demander un panier la veille. Les animaux ne sont pas admis dans les chambres.',
  },
  {
    language: 'es',
    text: 'La piscina cubierta abre todos los días menos los lunes. Los niños deben estar acompañados por un adulto y las toallas se piden en la recepción. El gimnasio está en la segunda planta.',
  },
  {
    language: 'it',
    text: 'Il pagamento si effettua alla consegna oppure con carta di credito. Chi vuole restituire un prodotto ha trenta giorni di tempo e deve conservare la confezione originale. Le spese di spedizione sono a carico del cliente.',
  },
  {
    language: 'pt',
    text: 'As consultas podem ser marcadas por telefone ou na página da clínica. Quem não puder comparecer deve avisar até ao dia anterior, para que a vaga seja dada a outra pessoa. Os resultados são enviados por correio.',
  },
  {
    language: 'nl',
    text: 'De winkel is op zondag gesloten, maar bestellingen worden dan wel verwerkt. Wie een pakket wil terugsturen, vindt het formulier in de doos. Het geld wordt binnen veertien dagen op uw rekening gestort.',
  },
  {
    language: 'sv',
    text: 'Biblioteket håller stängt på lördagar under sommaren. Den som vill låna en bok behöver ett kort, och det får man gratis vid disken. Böcker som lämnas för sent kostar fem kronor om dagen.',
  },
  {
    language: 'da',
    text: 'Butikken holder lukket om søndagen, men man kan stadig bestille på hjemmesiden. Hvis varen ikke passer, kan den byttes inden for fjorten dage. Vi sender en besked, når pakken er klar til afhentning.',
  },
  {
    language: 'no',
    text: 'Verkstedet tar imot sykler uten avtale så lenge det er plass. Hvis delene ikke er på lager, ringer vi før vi bestiller dem. Betaling skjer når sykkelen hentes, og kvitteringen sendes etterpå.',
  },
  {
    language: 'fi',
    text: 'Vastaanotto on auki arkisin kello kahdeksasta neljään. Jos et pääse paikalle, peruuta aika viimeistään edellisenä päivänä, että joku muu voi käyttää sen. Lasku lähetetään kotiin kahden viikon kuluessa.',
  },
  {
    language: 'pl',
    text: 'Pokój można odwołać bez opłat do trzech dni przed przyjazdem. Śniadanie jest podawane w sali na parterze, a goście, którzy wyjeżdżają wcześniej, mogą poprosić o kanapki. Parking znajduje się za budynkiem.',
  },
  {
    language: 'cs',
    text: 'Zboží můžete vrátit do čtrnácti dnů, pokud není použité. Peníze pošleme na účet, ze kterého jste platili, jakmile balík dorazí do skladu. Poštovné při vrácení platí zákazník, když není vada na naší straně.',
  },
  {
    language: 'hu',
    text: 'A szoba délután két órától foglalható el, és tizenegyig kell elhagyni. A reggeli az árban benne van, de a parkolásért külön kell fizetni. Ha később érkezik, kérjük, hogy előre telefonáljon.',
  },
  {
    language: 'ro',
    text: 'Comanda poate fi anulată până când coletul este predat curierului. Dacă produsul nu vă place, îl puteți returna în treizeci de zile, iar banii se întorc în cont după ce verificăm pachetul.',
  },
  {
    language: 'tr',
    text: 'Odalar saat ikiden sonra hazır olur ve öğlene kadar boşaltılması gerekir. Kahvaltı fiyata dahildir, ama otopark için ayrıca ödeme yapılır. Erken gelecekseniz lütfen bir gün önce bizi arayın.',
  },
  {
    language: 'ru',
    text: 'Номер можно отменить без оплаты за три дня до приезда. Завтрак подают на первом этаже с семи до десяти часов, а тем, кто уезжает раньше, мы готовим бутерброды. Стоянка находится за домом.',
  },
  {
    language: 'uk',
    text: 'Замовлення можна скасувати, поки посилку не передали кур’єру. Якщо товар не підійшов, його приймуть назад протягом двох тижнів, але упаковка повинна бути цілою. Гроші повертаються на картку.',
  },
  {
    language: 'bg',
    text: 'Стаята може да се откаже безплатно до три дни преди пристигането. Закуската се сервира на първия етаж, а за паркинга се плаща отделно. Ако закъснеете, моля обадете се на рецепцията.',
  },
  {
    language: 'el',
    text: 'Το δωμάτιο μπορεί να ακυρωθεί χωρίς χρέωση μέχρι τρεις μέρες πριν από την άφιξη. Το πρωινό σερβίρεται στο ισόγειο και οι πελάτες που φεύγουν νωρίς μπορούν να ζητήσουν ένα πακέτο.',
  },
  {
    language: 'vi',
    text: 'Phòng có thể được hủy miễn phí cho đến ba ngày trước khi nhận phòng. Bữa sáng được phục vụ ở tầng trệt và những khách đi sớm có thể xin một phần ăn mang theo. Bãi đỗ xe ở phía sau tòa nhà.',
  },
]

function findLanguage(text: string): string | null {
  return detectLanguage(tokenize(text).map((token) => foldDiacritics(token.text)))
}

describe('detectLanguage', () => {
  test.each(LANGUAGE_SAMPLES)('detects $language by its function words', ({ language, text }) => {
    expect(findLanguage(text)).toBe(language)
  })

  test('returns null without function words', () => {
    expect(findLanguage('X-200 €450 / X-300 €540')).toBeNull()
    expect(findLanguage('')).toBeNull()
  })
})

describe('stemWord', () => {
  test.each(STEMMED_LANGUAGES)('in %s accepts words of every language and script', (language) => {
    for (const { text } of LANGUAGE_SAMPLES) {
      for (const token of tokenize(text)) expect(stemWord(language, token.text)).not.toBe('')
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

/** Passages with questions that inflect their words. */
const INFLECTED: readonly (readonly [language: string, text: string, questions: readonly string[]])[] = [
  [
    'en',
    'A booking can be cancelled until the day before you arrive.',
    ['cancellation', 'bookings', 'cancel', 'arriving'],
  ],
  [
    'de',
    'Die Kündigung ist mit einer Frist von einem Monat möglich und kostet nichts.',
    ['kündigen', 'Fristen', 'Monate'],
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

describe('inflected forms', () => {
  const otherChunks = createChunks(['Nothing of the kind.', 'Etwas ganz anderes steht hier.', 'Rien de tout cela.'])
  test.each(INFLECTED)('match in %s', (_language, text, questions) => {
    const index = createIndex({ source: createChunks([text]), others: otherChunks })
    const unmatched = questions.filter((question) => search([index], createQuery(question))[0]?.key !== 'source')
    expect(unmatched).toEqual([])
  })

  test('match when one index has all languages', () => {
    const index = createIndex(Object.fromEntries(INFLECTED.map(([language, text]) => [language, createChunks([text])])))
    const misses = INFLECTED.flatMap(([language, , questions]) =>
      questions.filter((question) => {
        return !search([index], createQuery(question, { topK: 3 })).some(({ key }) => key === language)
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

  test('distinguishes words by their marks', () => {
    expect(findTexts(texts, 'bạn có bán bánh không')[0]).toBe(texts[0])
    const tones = ['Con bò ở trong làng và không có ai.', 'Có một cái bộ ở trong nhà của tôi.']
    expect(findTexts(tones, 'bò')).toEqual([tones[0]])
    expect(findTexts(tones, 'bo')).toHaveLength(2)
  })

  test('matches words typed without marks', () => {
    expect(findTexts(texts, 'banh bo')[0]).toBe(texts[0])
  })
})

test('languages of few sources do not affect how a question is stemmed', () => {
  const scoreAmong = (count: number): number => {
    const english = Array.from({ length: count }, (_, at) => [
      `en${at}`,
      createChunks([`The page ${at} is about a dam.`]),
    ])
    const french = createChunks(['Les clients sont dans la salle et ils ne sont pas seuls.'])
    const index = createIndex({ ...Object.fromEntries(english), fr: french })
    // "dames" is a form of "dam" in French only.
    return search([index], createQuery('dames'))[0]?.score ?? 0
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
    ['コーヒー', 1],
    ['早餐几点开始？', 2],
    ['停车场在哪里', 3],
    ['เช็คอินได้กี่โมง', 4],
    ['มีที่จอดรถไหม', 5],
    ['조식 시간', 6],
    ['주차장이 어디예요', 7],
  ])('%s', (question, position) => {
    expect(findTexts(texts, question)[0]).toBe(texts[position])
  })
})

test('folds case, width and optional marks', () => {
  expect(
    ['Größe', 'ＣＡＦÉ', 'ŁÓDŹ', 'İstanbul', 'Ångström', 'ﬁne', 'Δωμάτιο'].map((word) =>
      foldDiacritics(lowerCase(word)),
    ),
  ).toEqual(['grosse', 'cafe', 'lodz', 'istanbul', 'angstrom', 'fine', 'δωματιο'])
  expect(foldDiacritics(lowerCase('が ที่ क्षि й'))).toBe('が ที่ क्षि й')
})
