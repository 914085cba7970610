import { countedNoun, metricUnits } from './romance.ts'
import { type SpokenDate, type SpokenLanguage, type SpokenTime, splitThousands } from './spoken-language.ts'

const ONES =
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove'.split(
    ' ',
  )
const TENS = ['', '', 'vinte', 'trinta', 'quarenta', 'cinquenta', 'sessenta', 'setenta', 'oitenta', 'noventa']
const HUNDREDS = '- cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos'.split(
  ' ',
)
const POWERS = [
  ['', ''],
  ['mil', 'mil'],
  ['um milhão', 'milhões'],
  ['um bilhão', 'bilhões'],
  ['um trilhão', 'trilhões'],
]

function belowThousand(value: number): string {
  if (value === 100) return 'cem'
  const hundreds = value >= 100 ? (HUNDREDS[Math.floor(value / 100)] ?? '') : ''
  const rest = value % 100
  const tens = rest >= 20 ? (TENS[Math.floor(rest / 10)] ?? '') : ''
  const ones = rest < 20 ? rest : rest % 10
  return [hundreds, tens, ones === 0 ? '' : ONES[ones]].filter((part) => part !== '').join(' e ')
}

function cardinal(value: number): string {
  if (value === 0) return 'zero'
  const groups = splitThousands(value)
  return groups
    .map((group, index) => {
      const [one = '', many = ''] = POWERS[group.power] ?? []
      const spoken =
        group.power === 0
          ? belowThousand(group.value)
          : group.value === 1
            ? one
            : `${belowThousand(group.value)} ${many}`
      const joined = index > 0 && group.power === 0 && (group.value < 100 || group.value % 100 === 0)
      return `${index === 0 ? '' : joined ? ' e ' : ' '}${spoken}`
    })
    .join('')
}

const ORDINALS = ' primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo'.split(' ')
const MONTHS = 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ')
const day = (value: number): string => (value === 1 ? 'primeiro' : cardinal(value))

function date({ day: dayValue, month, year }: SpokenDate): string {
  return `${day(dayValue)} de ${MONTHS[month - 1]}${year === null ? '' : ` de ${cardinal(year)}`}`
}

function time({ hour, minute }: SpokenTime): string {
  const spoken = cardinal(hour).replace(/um$/, 'uma').replace(/dois$/, 'duas')
  if (minute === 0) return `${spoken} ${hour === 1 ? 'hora' : 'horas'}`
  return `${spoken} e ${minute === 30 ? 'meia' : cardinal(minute)}`
}

const um = countedNoun('um')
const uma = countedNoun('uma')
const centavo = um('centavo')

const MILHOES = { word: 'milhões', factor: 1e6 }
const BILHOES = { word: 'bilhões', factor: 1e9 }

/** Portuguese, Brazilian where it matters. */
export const portuguese: SpokenLanguage = {
  decimalMark: ',',
  groupMarks: '.\u202F\u00A0',
  cardinal,
  ordinal: (value) => ORDINALS[value] ?? null,
  ordinalMark: '\\.?[ºª]',
  year: cardinal,
  withNoun: (spoken, noun) => `${spoken.replace(/ilh(?:ão|ões)$/, '$& de')} ${noun}`,
  months: MONTHS,
  shortMonths: 'jan fev - abr - jun jul ago set out nov dez'.split(' '),
  date,
  day,
  dayMark: 'º? de ',
  time,
  hasMeridiem: false,
  timeMark: ' ?(?:h|horas?)',
  words: {
    point: 'vírgula',
    minus: 'menos',
    plus: 'mais',
    equals: 'igual a',
    times: 'vezes',
    and: 'e',
    to: 'a',
    about: 'cerca de',
    percent: 'por cento',
    number: 'número',
    at: 'arroba',
    dot: 'ponto',
    slash: 'barra',
    dash: 'hífen',
    underscore: 'sublinhado',
  },
  currencies: {
    R$: { major: um('real', 'reais'), minor: centavo },
    BRL: { major: um('real', 'reais'), minor: centavo },
    '€': { major: um('euro'), minor: um('cêntimo') },
    EUR: { major: um('euro'), minor: um('cêntimo') },
    $: { major: um('dólar', 'dólares'), minor: centavo },
    US$: { major: um('dólar', 'dólares'), minor: centavo },
    USD: { major: um('dólar', 'dólares'), minor: centavo },
    '£': { major: uma('libra'), minor: um('pêni', 'pence') },
  },
  moneyConjunction: ' e ',
  magnitudes: {
    mil: { word: 'mil', factor: 1_000 },
    milhão: MILHOES,
    milhões: MILHOES,
    mi: MILHOES,
    bilhão: BILHOES,
    bilhões: BILHOES,
  },
  units: metricUnits({
    kilometers: um('quilômetro'),
    meters: um('metro'),
    centimeters: um('centímetro'),
    millimeters: um('milímetro'),
    squareMeters: um('metro quadrado', 'metros quadrados'),
    kilograms: um('quilo'),
    grams: um('grama'),
    milligrams: um('miligrama'),
    liters: um('litro'),
    milliliters: um('mililitro'),
    degrees: um('grau'),
    minutes: um('minuto'),
    hours: uma('hora'),
    perHour: 'por hora',
  }),
  abbreviations: {
    'Sr.': 'senhor',
    'Sra.': 'senhora',
    'Srta.': 'senhorita',
    'Dr.': 'doutor',
    'Dra.': 'doutora',
    'etc.': 'et cetera',
    'p. ex.': 'por exemplo',
    'p.ex.': 'por exemplo',
    'pág.': 'página',
    'tel.': 'telefone',
    'Av.': 'avenida',
    'aprox.': 'aproximadamente',
  },
  specialCases: [['[nN][.º°]+(?= ?\\d)', 'número']],
  readsFractionsAsNumbers: true,
  yearWords: '(?:em|desde|até|de|ano)',
  fractions: {
    '1/2': 'meio',
    '½': 'meio',
    '1/3': 'um terço',
    '2/3': 'dois terços',
    '1/4': 'um quarto',
    '3/4': 'três quartos',
  },
}
