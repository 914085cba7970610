import { countedNoun, metricUnits } from './romance.ts'
import type { SpokenDate, SpokenLanguage, SpokenTime } from './spoken-language.ts'

const ONES = (
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho ' +
  'diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'
).split(' ')
const TENS = ['', '', '', 'treinta', 'cuarenta', 'cincuenta', 'sesenta', 'setenta', 'ochenta', 'noventa']
const HUNDREDS =
  '- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(' ')

function belowHundred(value: number): string {
  if (value < 30) return ONES[value] ?? ''
  const front = TENS[Math.floor(value / 10)] ?? ''
  return value % 10 === 0 ? front : `${front} y ${ONES[value % 10]}`
}

function belowThousand(value: number): string {
  if (value === 100) return 'cien'
  const hundreds = Math.floor(value / 100)
  const rest = value % 100
  if (hundreds === 0) return belowHundred(rest)
  return rest === 0 ? (HUNDREDS[hundreds] ?? '') : `${HUNDREDS[hundreds]} ${belowHundred(rest)}`
}

/** "veintiún mil", "un euro". */
const beforeNoun = (spoken: string): string =>
  spoken
    .replace(/veintiuno$/, 'veintiún')
    .replace(/uno$/, 'un')
    .replace(/ill(?:ón|ones)$/, '$& de')

function belowMillion(value: number): string {
  const thousand = Math.floor(value / 1000)
  const front = thousand === 0 ? '' : thousand === 1 ? 'mil' : `${beforeNoun(belowThousand(thousand))} mil`
  const rest = value % 1000
  return [front, rest === 0 ? '' : belowThousand(rest)].filter((part) => part !== '').join(' ')
}

/** Millions are counted in thousands of their own: a billion here is a million millions. */
function cardinal(value: number): string {
  if (value === 0) return 'cero'
  const pairs = [Math.floor(value / 1e12), Math.floor(value / 1e6) % 1e6, value % 1e6]
  return pairs
    .map((pair, index) => {
      if (pair === 0) return ''
      if (index === 2) return belowMillion(pair)
      const name = index === 0 ? 'bill' : 'mill'
      return pair === 1 ? `un ${name}ón` : `${beforeNoun(belowMillion(pair))} ${name}ones`
    })
    .filter((part) => part !== '')
    .join(' ')
}

const ORDINALS = ' primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo'.split(' ')
const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')
const day = (value: number): string => (value === 1 ? 'primero' : cardinal(value))

function date({ day: dayValue, month, year }: SpokenDate): string {
  return `${day(dayValue)} de ${MONTHS[month - 1]}${year === null ? '' : ` de ${cardinal(year)}`}`
}

function time({ hour, minute, half }: SpokenTime): string {
  const suffix =
    half === null ? '' : half === 'am' ? ' de la mañana' : hour < 8 || hour === 12 ? ' de la tarde' : ' de la noche'
  const spoken = cardinal(hour).replace(/uno$/, 'una')
  if (minute === 0) return `${spoken}${suffix === '' ? ' en punto' : suffix}`
  const minutes = minute === 15 ? 'cuarto' : minute === 30 ? 'media' : cardinal(minute)
  return `${spoken} y ${minutes}${suffix}`
}

const un = countedNoun('un')
const una = countedNoun('una')
const centavo = un('centavo')
const centimo = un('céntimo')

const MILLONES = { word: 'millones', factor: 1e6 }

/** Spanish. */
export const spanish: SpokenLanguage = {
  decimalMark: ',',
  groupMarks: '.\u202F\u00A0',
  cardinal,
  ordinal: (value) => ORDINALS[value] ?? null,
  ordinalMark: '\\.?[ºª]',
  year: cardinal,
  withNoun: (spoken, noun) => `${beforeNoun(spoken)} ${noun}`,
  months: MONTHS,
  shortMonths: 'ene feb mar abr - jun jul ago sept oct nov dic'.split(' '),
  date,
  day,
  dayMark: '(?:º)? de ',
  time,
  hasMeridiem: true,
  timeMark: ' ?(?:h|horas?)',
  hourWords: '[Ll]as?',
  words: {
    point: 'coma',
    minus: 'menos',
    plus: 'más',
    equals: 'igual a',
    times: 'por',
    and: 'y',
    to: 'a',
    about: 'unos',
    percent: 'por ciento',
    number: 'número',
    at: 'arroba',
    dot: 'punto',
    slash: 'barra',
    dash: 'guion',
    underscore: 'guion bajo',
  },
  currencies: {
    '€': { major: un('euro'), minor: centimo },
    EUR: { major: un('euro'), minor: centimo },
    $: { major: un('dólar', 'dólares'), minor: centavo },
    US$: { major: un('dólar', 'dólares'), minor: centavo },
    USD: { major: un('dólar', 'dólares'), minor: centavo },
    MXN: { major: un('peso mexicano', 'pesos mexicanos'), minor: centavo },
    ARS: { major: un('peso argentino', 'pesos argentinos'), minor: centavo },
    '£': { major: una('libra'), minor: un('penique') },
    GBP: { major: una('libra'), minor: un('penique') },
  },
  moneyConjunction: ' con ',
  magnitudes: { mil: { word: 'mil', factor: 1_000 }, millón: MILLONES, millones: MILLONES, M: MILLONES },
  units: metricUnits({
    kilometers: un('kilómetro'),
    meters: un('metro'),
    centimeters: un('centímetro'),
    millimeters: un('milímetro'),
    squareMeters: un('metro cuadrado', 'metros cuadrados'),
    kilograms: un('kilo'),
    grams: un('gramo'),
    milligrams: un('miligramo'),
    liters: un('litro'),
    milliliters: un('mililitro'),
    degrees: un('grado'),
    minutes: un('minuto'),
    hours: una('hora'),
    perHour: 'por hora',
  }),
  abbreviations: {
    'Sr.': 'señor',
    'Sra.': 'señora',
    'Srta.': 'señorita',
    'Dr.': 'doctor',
    'Dra.': 'doctora',
    'Ud.': 'usted',
    'Uds.': 'ustedes',
    'D.': 'don',
    'etc.': 'etcétera',
    'p. ej.': 'por ejemplo',
    'p.ej.': 'por ejemplo',
    'pág.': 'página',
    'núm.': 'número',
    'aprox.': 'aproximadamente',
    'tel.': 'teléfono',
    'Avda.': 'avenida',
    'EE. UU.': 'Estados Unidos',
    'EE.UU.': 'Estados Unidos',
  },
  specialCases: [['[nN][.º°]+(?= ?\\d)', 'número']],
  readsFractionsAsNumbers: true,
  yearWords: '(?:en|desde|hasta|de|año)',
  fractions: {
    '1/2': 'un medio',
    '½': 'un medio',
    '1/3': 'un tercio',
    '2/3': 'dos tercios',
    '1/4': 'un cuarto',
    '3/4': 'tres cuartos',
  },
}
