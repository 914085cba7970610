import { countedNoun, metricUnits } from './romance.ts'
import { type SpokenDate, type SpokenLanguage, type SpokenTime, splitThousands } from './spoken-language.ts'

const ONES = (
  'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette ' +
  'diciotto diciannove'
).split(' ')
const TENS = ['', '', 'venti', 'trenta', 'quaranta', 'cinquanta', 'sessanta', 'settanta', 'ottanta', 'novanta']
const POWERS = [
  ['', ''],
  ['mille', 'mila'],
  ['un milione', 'milioni'],
  ['un miliardo', 'miliardi'],
  ['un bilione', 'bilioni'],
]

function belowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? ''
  const front = TENS[Math.floor(value / 10)] ?? ''
  const ones = value % 10
  if (ones === 0) return front
  return (ones === 1 || ones === 8 ? front.slice(0, -1) : front) + (ones === 3 ? 'tré' : ONES[ones])
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const rest = value % 100
  const front = hundreds === 0 ? '' : `${hundreds === 1 ? '' : ONES[hundreds]}cento`
  return rest === 0 ? front : front + belowHundred(rest)
}

function cardinal(value: number): string {
  if (value === 0) return 'zero'
  let word = ''
  const parts: string[] = []
  for (const group of splitThousands(value)) {
    const [one = '', many = ''] = POWERS[group.power] ?? []
    if (group.power === 0) word += belowThousand(group.value)
    else if (group.power === 1)
      word += group.value === 1 ? one : belowThousand(group.value).replace(/tré$/, 'tre') + many
    else parts.push(group.value === 1 ? one : `${belowThousand(group.value)} ${many}`)
  }
  return [...parts, word].filter((part) => part !== '').join(' ')
}

const ORDINALS = ' primo secondo terzo quarto quinto sesto settimo ottavo nono decimo'.split(' ')

function ordinal(value: number): string {
  if (value <= 10) return ORDINALS[value] ?? ''
  const spoken = cardinal(value)
  return `${/(?:tré|sei)$/.test(spoken) ? spoken.replace(/é$/, 'e') : spoken.slice(0, -1)}esimo`
}

const MONTHS = 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(
  ' ',
)
const day = (value: number): string => (value === 1 ? 'primo' : cardinal(value))

function date({ day: dayValue, month, year }: SpokenDate): string {
  return `${day(dayValue)} ${MONTHS[month - 1]}${year === null ? '' : ` ${cardinal(year)}`}`
}

function time({ hour, minute }: SpokenTime): string {
  const spoken = hour === 1 ? "l'una" : cardinal(hour)
  return minute === 0 ? `${spoken} in punto` : `${spoken} e ${minute === 30 ? 'mezza' : cardinal(minute)}`
}

const un = countedNoun('un')
const una = countedNoun('una')

const MILIONI = { word: 'milioni', factor: 1e6 }
const MILIARDI = { word: 'miliardi', factor: 1e9 }

/** Italian. */
export const italian: SpokenLanguage = {
  decimalMark: ',',
  groupMarks: ".'\u202F\u00A0",
  cardinal,
  ordinal,
  ordinalMark: '[°ºª]',
  year: cardinal,
  withNoun: (spoken, noun) => `${spoken.replace(/(?:milion|miliard|bilion)[eio]$/, '$& di')} ${noun}`,
  months: MONTHS,
  shortMonths: 'gen feb - apr mag giu lug ago set ott nov dic'.split(' '),
  date,
  day,
  dayMark: '[°º]? ',
  time,
  hasMeridiem: false,
  timeMark: '',
  hourWords: '[Oo]re|[Dd]?[Aa]lle|[Ll]e',
  words: {
    point: 'virgola',
    minus: 'meno',
    plus: 'più',
    equals: 'uguale',
    times: 'per',
    and: 'e',
    to: 'a',
    about: 'circa',
    percent: 'per cento',
    number: 'numero',
    at: 'chiocciola',
    dot: 'punto',
    slash: 'barra',
    dash: 'trattino',
    underscore: 'trattino basso',
  },
  currencies: {
    '€': { major: un('euro', 'euro'), minor: un('centesimo', 'centesimi') },
    EUR: { major: un('euro', 'euro'), minor: un('centesimo', 'centesimi') },
    $: { major: un('dollaro', 'dollari'), minor: un('centesimo', 'centesimi') },
    USD: { major: un('dollaro', 'dollari'), minor: un('centesimo', 'centesimi') },
    '£': { major: una('sterlina', 'sterline'), minor: un('penny', 'pence') },
    GBP: { major: una('sterlina', 'sterline'), minor: un('penny', 'pence') },
    CHF: { major: un('franco', 'franchi'), minor: un('centesimo', 'centesimi') },
  },
  moneyConjunction: ' e ',
  magnitudes: {
    milione: MILIONI,
    milioni: MILIONI,
    mln: MILIONI,
    miliardo: MILIARDI,
    miliardi: MILIARDI,
    mld: MILIARDI,
  },
  units: metricUnits({
    kilometers: un('chilometro', 'chilometri'),
    meters: un('metro', 'metri'),
    centimeters: un('centimetro', 'centimetri'),
    millimeters: un('millimetro', 'millimetri'),
    squareMeters: un('metro quadrato', 'metri quadrati'),
    kilograms: un('chilo', 'chili'),
    grams: un('grammo', 'grammi'),
    milligrams: un('milligrammo', 'milligrammi'),
    liters: un('litro', 'litri'),
    milliliters: un('millilitro', 'millilitri'),
    degrees: un('grado', 'gradi'),
    minutes: un('minuto', 'minuti'),
    hours: ["un'ora", 'ore'],
    perHour: "all'ora",
  }),
  abbreviations: {
    'Sig.': 'signor',
    'Sig.ra': 'signora',
    'Dott.': 'dottor',
    'Dott.ssa': 'dottoressa',
    'Ing.': 'ingegner',
    'Avv.': 'avvocato',
    'ecc.': 'eccetera',
    'es.': 'esempio',
    'pag.': 'pagina',
    'tel.': 'telefono',
    'ca.': 'circa',
  },
  specialCases: [['[nN][.°º](?= ?\\d)', 'numero']],
  readsFractionsAsNumbers: true,
  yearWords: '(?:nel|dal|al|del|anno)',
  fractions: {
    '1/2': 'mezzo',
    '½': 'mezzo',
    '1/3': 'un terzo',
    '2/3': 'due terzi',
    '1/4': 'un quarto',
    '3/4': 'tre quarti',
  },
}
