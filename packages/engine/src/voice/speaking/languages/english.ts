import {
  type Counted,
  type SpokenDate,
  type SpokenLanguage,
  type SpokenTime,
  splitThousands,
} from './spoken-language.ts'

const ONES = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ')
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const POWERS = ['', ' thousand', ' million', ' billion', ' trillion']
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

function belowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? ''
  const ones = value % 10
  return `${TENS[Math.floor(value / 10)]}${ones === 0 ? '' : `-${ONES[ones]}`}`
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const rest = value % 100
  if (hundreds === 0) return belowHundred(rest)
  return `${ONES[hundreds]} hundred${rest === 0 ? '' : ` ${belowHundred(rest)}`}`
}

function cardinal(value: number): string {
  if (value === 0) return 'zero'
  return splitThousands(value)
    .map((group) => belowThousand(group.value) + POWERS[group.power])
    .join(' ')
}

function ordinal(value: number): string {
  return cardinal(value).replace(/(?<![a-z])[a-z]+$/, (last) => ORDINALS[last] ?? `${last.replace(/y$/, 'ie')}th`)
}

function year(value: number): string {
  const century = Math.floor(value / 100)
  const rest = value % 100
  if (value < 1100 || value > 2099 || (century === 20 && rest < 10)) return cardinal(value)
  if (rest === 0) return `${belowHundred(century)} hundred`
  return `${belowHundred(century)} ${rest < 10 ? `oh ${ONES[rest]}` : belowHundred(rest)}`
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

function date({ day, month, year: yearValue }: SpokenDate): string {
  return `${MONTHS[month - 1]} ${ordinal(day)}${yearValue === null ? '' : `, ${year(yearValue)}`}`
}

function time({ hour, minute, half }: SpokenTime): string {
  const suffix = half === null ? '' : half === 'am' ? ' AM' : ' PM'
  if (minute === 0 && hour === 0) return half === null ? 'midnight' : `twelve${suffix}`
  const spokenHour = cardinal(hour)
  if (minute === 0)
    return suffix === '' ? (hour > 12 ? `${spokenHour} hundred` : `${spokenHour} o'clock`) : spokenHour + suffix
  return `${spokenHour} ${minute < 10 ? `oh ${ONES[minute]}` : belowHundred(minute)}${suffix}`
}

const counted = (one: string, many = `${one}s`): Counted => [`one ${one}`, many]
const cents = counted('cent')

const THOUSAND = { word: 'thousand', factor: 1_000 }
const MILLION = { word: 'million', factor: 1e6 }
const BILLION = { word: 'billion', factor: 1e9 }

/** English, American where it matters. */
export const english: SpokenLanguage = {
  decimalMark: '.',
  groupMarks: ',',
  cardinal,
  ordinal,
  ordinalMark: '(?:st|nd|rd|th)',
  year,
  months: MONTHS,
  shortMonths: 'Jan Feb Mar Apr - Jun Jul Aug Sep Oct Nov Dec'.split(' '),
  date,
  day: ordinal,
  dayMark: '(?:st|nd|rd|th)?(?: of)? ',
  time,
  hasMeridiem: true,
  timeMark: '',
  words: {
    point: 'point',
    minus: 'minus',
    plus: 'plus',
    equals: 'equals',
    times: 'times',
    and: 'and',
    to: 'to',
    about: 'about',
    percent: 'percent',
    number: 'number',
    at: 'at',
    dot: 'dot',
    slash: 'slash',
    dash: 'dash',
    underscore: 'underscore',
  },
  currencies: {
    $: { major: counted('dollar'), minor: cents },
    US$: { major: counted('US dollar'), minor: cents },
    USD: { major: counted('US dollar'), minor: cents },
    C$: { major: counted('Canadian dollar'), minor: cents },
    CAD: { major: counted('Canadian dollar'), minor: cents },
    A$: { major: counted('Australian dollar'), minor: cents },
    AUD: { major: counted('Australian dollar'), minor: cents },
    '€': { major: counted('euro'), minor: cents },
    EUR: { major: counted('euro'), minor: cents },
    '£': { major: counted('pound'), minor: ['one penny', 'pence'] },
    GBP: { major: counted('pound'), minor: ['one penny', 'pence'] },
    '¥': { major: ['one yen', 'yen'], minor: null },
    JPY: { major: ['one yen', 'yen'], minor: null },
    '₹': { major: counted('rupee'), minor: ['one paisa', 'paise'] },
    INR: { major: counted('rupee'), minor: ['one paisa', 'paise'] },
    CHF: { major: counted('Swiss franc'), minor: counted('centime') },
  },
  moneyConjunction: ' and ',
  magnitudes: {
    k: THOUSAND,
    K: THOUSAND,
    thousand: THOUSAND,
    M: MILLION,
    m: MILLION,
    million: MILLION,
    bn: BILLION,
    B: BILLION,
    billion: BILLION,
    trillion: { word: 'trillion', factor: 1e12 },
  },
  units: {
    'km/h': counted('kilometer per hour', 'kilometers per hour'),
    mph: counted('mile per hour', 'miles per hour'),
    km: counted('kilometer'),
    m: counted('meter'),
    cm: counted('centimeter'),
    mm: counted('millimeter'),
    'm²': counted('square meter'),
    mi: counted('mile'),
    ft: ['one foot', 'feet'],
    'sq ft': ['one square foot', 'square feet'],
    yd: counted('yard'),
    kg: counted('kilogram'),
    g: counted('gram'),
    mg: counted('milligram'),
    lb: counted('pound'),
    lbs: counted('pound'),
    oz: counted('ounce'),
    l: counted('liter'),
    L: counted('liter'),
    ml: counted('milliliter'),
    mL: counted('milliliter'),
    '°C': counted('degree Celsius', 'degrees Celsius'),
    '°F': counted('degree Fahrenheit', 'degrees Fahrenheit'),
    '°': counted('degree'),
    kB: counted('kilobyte'),
    KB: counted('kilobyte'),
    MB: counted('megabyte'),
    GB: counted('gigabyte'),
    TB: counted('terabyte'),
    Mbps: counted('megabit per second', 'megabits per second'),
    kWh: counted('kilowatt hour'),
    kW: counted('kilowatt'),
    W: counted('watt'),
    V: counted('volt'),
    Hz: ['one hertz', 'hertz'],
    hr: counted('hour'),
    hrs: counted('hour'),
    h: counted('hour'),
    min: counted('minute'),
    mins: counted('minute'),
    sec: counted('second'),
    ms: counted('millisecond'),
  },
  abbreviations: {
    'Mr.': 'Mister',
    'Mrs.': 'Missus',
    'Ms.': 'Miz',
    'Prof.': 'Professor',
    'Sr.': 'Senior',
    'Jr.': 'Junior',
    'Rev.': 'Reverend',
    'Gen.': 'General',
    'Capt.': 'Captain',
    'Lt.': 'Lieutenant',
    'Sgt.': 'Sergeant',
    'e.g.': 'for example',
    'i.e.': 'that is',
    'etc.': 'et cetera',
    'vs.': 'versus',
    vs: 'versus',
    'approx.': 'approximately',
    'appt.': 'appointment',
    'dept.': 'department',
    'Dept.': 'Department',
    'Inc.': 'Incorporated',
    'Ltd.': 'Limited',
    'Corp.': 'Corporation',
    'Ave.': 'Avenue',
    'Blvd.': 'Boulevard',
    'Rd.': 'Road',
    'Apt.': 'Apartment',
    'Ext.': 'Extension',
    'ext.': 'extension',
    'min.': 'minutes',
    'hrs.': 'hours',
    'w/': 'with',
    'w/o': 'without',
    ASAP: 'as soon as possible',
    FYI: 'for your information',
  },
  specialCases: [
    ['(?<=\\p{Lu}\\p{L}+ )Dr\\.(?! \\p{Lu})', 'Drive'],
    ['Dr\\.', 'Doctor'],
    ['(?<=\\p{Lu}\\p{L}+ )St\\.', 'Street'],
    ['St\\.(?= \\p{Lu})', 'Saint'],
    ['Nos?\\.(?= ?\\d)', 'number'],
  ],
  readsFractionsAsNumbers: false,
  yearWords: '(?:in|since|by|of|from|until|till|year|during|before|after|early|late|spring|summer|autumn|fall|winter)',
  fractions: {
    '1/2': 'one half',
    '1/3': 'one third',
    '2/3': 'two thirds',
    '1/4': 'one quarter',
    '3/4': 'three quarters',
    '24/7': 'twenty-four seven',
    '½': 'one half',
    '¼': 'one quarter',
    '¾': 'three quarters',
  },
}
