import {
  type CountedNoun,
  parseCountedTable,
  parseCurrencyTable,
  parseMagnitudeTable,
  parseSpokenSymbols,
  parseWordTable,
  type SpokenDate,
  type SpokenLanguage,
  type SpokenTime,
  splitThousands,
} from './spoken-language.ts'

const ONES = (
  'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn ' +
  'achtzehn neunzehn'
).split(' ')
const TENS = ['', '', 'zwanzig', 'dreißig', 'vierzig', 'fünfzig', 'sechzig', 'siebzig', 'achtzig', 'neunzig']
const POWERS: readonly CountedNoun[] = [
  ['', ''],
  ['', ''],
  ['eine Million', 'Millionen'],
  ['eine Milliarde', 'Milliarden'],
  ['eine Billion', 'Billionen'],
]

/** Returns the word for a number below 1000 inside a larger number: "ein" instead of "eins". */
function formatBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const remainder = value % 100
  const prefix = hundreds === 0 ? '' : `${ONES[hundreds]}hundert`
  if (remainder === 0) return prefix
  if (remainder < 20) return prefix + ONES[remainder]
  const ones = remainder % 10
  return `${prefix}${ones === 0 ? '' : `${ONES[ones]}und`}${TENS[Math.floor(remainder / 10)]}`
}

function formatCardinal(value: number): string {
  if (value === 0) return 'null'
  const parts: string[] = []
  let word = ''
  for (const group of splitThousands(value)) {
    if (group.power >= 2) {
      const [singular, plural] = POWERS[group.power] ?? ['', '']
      parts.push(group.value === 1 ? singular : `${formatBelowThousand(group.value)} ${plural}`)
    } else word += formatBelowThousand(group.value) + (group.power === 1 ? 'tausend' : '')
  }
  if (word !== '') parts.push(word)
  const spokenText = parts.join(' ')
  return value % 100 === 1 ? `${spokenText}s` : spokenText
}

const IRREGULAR_STEMS: Readonly<Record<number, string>> = { 1: 'erst', 3: 'dritt', 7: 'siebt', 8: 'acht' }

/** Returns an ordinal such as "dritter", inflected for the previous word if necessary. */
function formatOrdinal(value: number, previousWord: string): string {
  const remainder = value % 100
  const prefix = value - remainder === 0 ? '' : formatCardinal(value - remainder)
  const stem =
    remainder === 0
      ? `${formatCardinal(value)}st`
      : prefix + (IRREGULAR_STEMS[remainder] ?? `${formatBelowThousand(remainder)}${remainder < 20 ? 't' : 'st'}`)
  return `${stem}${findEnding(previousWord) ?? 'er'}`
}

const PRONOUNS = '(?:[kmds]?ein|ihr|unser|euer|eur)'
/** Words before an ordinal, with the required ending. */
const ENDINGS: readonly (readonly [previousWord: RegExp, ending: string])[] = [
  [/^(?:am|vom|zum|dem|den|des|bis|seit|ab|im|beim|zur|jede[mn]|diese[mn])$/i, 'en'],
  [new RegExp(`^${PRONOUNS}e[mnrs]$`, 'i'), 'en'],
  [/^(?:der|die|das|jede[rs]?|diese[rs]?)$/i, 'e'],
  [new RegExp(`^${PRONOUNS}e$`, 'i'), 'e'],
  [new RegExp(`^${PRONOUNS}$`, 'i'), 'er'],
]

function findEnding(previousWord: string): string | undefined {
  return ENDINGS.find(([words]) => words.test(previousWord))?.[1]
}

/** Whether a number with a period is an ordinal rather than the end of a sentence. */
export function isOrdinal(previousWord: string, followingText: string): boolean {
  return (
    findEnding(previousWord) !== undefined || /^\p{Ll}/u.test(followingText) || STARTS_WITH_MONTH.test(followingText)
  )
}

function formatYear(value: number): string {
  if (value < 1100 || value > 1999) return formatCardinal(value)
  const remainder = value % 100
  return `${formatBelowThousand(Math.floor(value / 100))}hundert${remainder === 0 ? '' : formatCardinal(remainder)}`
}

const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ')

const SHORT_MONTHS = 'Jan Feb - Apr - Jun Jul Aug Sep Okt Nov Dez'.split(' ')
const STARTS_WITH_MONTH = new RegExp(
  `^(?:${[...MONTHS, ...SHORT_MONTHS].filter((month) => month !== '-').join('|')})(?!\\p{L})`,
  'u',
)

function formatDate({ day, month, year }: SpokenDate, previousWord: string): string {
  return `${formatOrdinal(day, previousWord)} ${MONTHS[month - 1]}${year === null ? '' : ` ${formatYear(year)}`}`
}

function formatTime({ hour, minute }: SpokenTime): string {
  const spokenText = `${hour === 1 ? 'ein' : formatCardinal(hour)} Uhr`
  return minute === 0 ? spokenText : `${spokenText} ${formatCardinal(minute)}`
}

export const german: SpokenLanguage = {
  decimalSeparator: ',',
  groupSeparators: ".'\u202F\u00A0",
  formatCardinal,
  formatOrdinal,
  ordinalSuffix: '\\.(?= \\p{L})',
  isOrdinal,
  formatYear,
  months: MONTHS,
  shortMonths: SHORT_MONTHS,
  formatDate,
  formatDay: formatOrdinal,
  daySeparator: '\\. ?',
  formatTime,
  hasMeridiem: false,
  timeSuffix: ' ?Uhr',
  words: parseSpokenSymbols(`
    Komma | minus | plus | gleich | mal | und | bis | etwa | Prozent | Nummer | at | Punkt | Schrägstrich |
    Bindestrich | Unterstrich`),
  currencies: parseCurrencyTable(`
    €;EUR=ein Euro, Euro, ein Cent, Cent | $=ein Dollar, Dollar, ein Cent, Cent |
    USD=ein US-Dollar, US-Dollar, ein Cent, Cent | £;GBP=ein Pfund, Pfund, ein Penny, Pence |
    CHF;Fr=ein Franken, Franken, ein Rappen, Rappen`),
  moneyConjunction: ' ',
  magnitudes: parseMagnitudeTable(`
    Tsd.=tausend, 1000 | Mio;Mio.;Million;Millionen=Millionen, 1e6 |
    Mrd;Mrd.;Milliarde;Milliarden=Milliarden, 1e9`),
  units: parseCountedTable(`
    km/h=ein Kilometer pro Stunde, Kilometer pro Stunde | km=ein Kilometer, Kilometer | m=ein Meter, Meter |
    cm=ein Zentimeter, Zentimeter | mm=ein Millimeter, Millimeter | m²;qm=ein Quadratmeter, Quadratmeter |
    kg=ein Kilogramm, Kilogramm | g=ein Gramm, Gramm | mg=ein Milligramm, Milligramm | l=ein Liter, Liter |
    ml=ein Milliliter, Milliliter | °C=ein Grad Celsius, Grad Celsius | °=ein Grad, Grad | MB=ein Megabyte, Megabyte |
    GB=ein Gigabyte, Gigabyte | kWh=eine Kilowattstunde, Kilowattstunden | kW=ein Kilowatt, Kilowatt |
    Std;Std.;h=eine Stunde, Stunden | min;Min.=eine Minute, Minuten | s=eine Sekunde, Sekunden`),
  abbreviations: parseWordTable(`
    Dr.=Doktor | Prof.=Professor | Hr.=Herr | Fr.=Frau | z.B.=zum Beispiel | z. B.=zum Beispiel |
    d.h.=das heißt | d. h.=das heißt | u.a.=unter anderem | u. a.=unter anderem | usw.=und so weiter |
    bzw.=beziehungsweise | ca.=circa | ggf.=gegebenenfalls | evtl.=eventuell | inkl.=inklusive |
    zzgl.=zuzüglich | etc.=et cetera | vgl.=vergleiche | Nr.=Nummer | Str.=Straße | Tel.=Telefon |
    max.=maximal | mind.=mindestens | St.=Sankt`),
  specialCases: [['§(?= ?\\d)', 'Paragraf']],
  readsFractionsAsNumbers: false,
  yearWords: '(?:im Jahr|Jahr|seit|von|bis|vor|nach|um|Jahre|Frühling|Sommer|Herbst|Winter|Ende|Anfang|Mitte)',
  fractions: parseWordTable(`
    1/2=ein halb | ½=ein halb | 1/3=ein Drittel | 2/3=zwei Drittel | 1/4=ein Viertel | 3/4=drei Viertel |
    ¼=ein Viertel | ¾=drei Viertel`),
}
