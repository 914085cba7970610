import {
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

function formatBelowThousand(value: number): string {
  if (value === 100) return 'cem'
  const hundreds = value >= 100 ? (HUNDREDS[Math.floor(value / 100)] ?? '') : ''
  const remainder = value % 100
  const tens = remainder >= 20 ? (TENS[Math.floor(remainder / 10)] ?? '') : ''
  const ones = remainder < 20 ? remainder : remainder % 10
  return [hundreds, tens, ones === 0 ? '' : ONES[ones]].filter((part) => part !== '').join(' e ')
}

function formatCardinal(value: number): string {
  if (value === 0) return 'zero'
  const groups = splitThousands(value)
  return groups
    .map((group, index) => {
      const [singular = '', plural = ''] = POWERS[group.power] ?? []
      const spokenText =
        group.power === 0
          ? formatBelowThousand(group.value)
          : group.value === 1
            ? singular
            : `${formatBelowThousand(group.value)} ${plural}`
      const needsConjunction = index > 0 && group.power === 0 && (group.value < 100 || group.value % 100 === 0)
      return `${index === 0 ? '' : needsConjunction ? ' e ' : ' '}${spokenText}`
    })
    .join('')
}

const ORDINALS = ' primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo'.split(' ')
const MONTHS = 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ')
const formatDay = (value: number): string => (value === 1 ? 'primeiro' : formatCardinal(value))

function formatDate({ day, month, year }: SpokenDate): string {
  return `${formatDay(day)} de ${MONTHS[month - 1]}${year === null ? '' : ` de ${formatCardinal(year)}`}`
}

function formatTime({ hour, minute }: SpokenTime): string {
  const spokenText = formatCardinal(hour).replace(/um$/, 'uma').replace(/dois$/, 'duas')
  if (minute === 0) return `${spokenText} ${hour === 1 ? 'hora' : 'horas'}`
  return `${spokenText} e ${minute === 30 ? 'meia' : formatCardinal(minute)}`
}

/** Brazilian Portuguese by default. */
export const portuguese: SpokenLanguage = {
  decimalSeparator: ',',
  groupSeparators: '.\u202F\u00A0',
  formatCardinal,
  formatOrdinal: (value) => ORDINALS[value] ?? null,
  ordinalSuffix: '\\.?[ºª]',
  formatYear: formatCardinal,
  joinNoun: (spokenText, noun) => `${spokenText.replace(/ilh(?:ão|ões)$/, '$& de')} ${noun}`,
  months: MONTHS,
  shortMonths: 'jan fev - abr - jun jul ago set out nov dez'.split(' '),
  formatDate,
  formatDay,
  daySeparator: 'º? de ',
  formatTime,
  hasMeridiem: false,
  timeSuffix: ' ?(?:h|horas?)',
  words: parseSpokenSymbols(`
    vírgula | menos | mais | igual a | vezes | e | a | cerca de | por cento | número | arroba | ponto |
    barra | hífen | sublinhado`),
  currencies: parseCurrencyTable(`
    R$;BRL=um real, reais, um centavo, centavos | €;EUR=um euro, euros, um cêntimo, cêntimos |
    $;US$;USD=um dólar, dólares, um centavo, centavos | £=uma libra, libras, um pêni, pence`),
  moneyConjunction: ' e ',
  magnitudes: parseMagnitudeTable('mil=mil, 1000 | milhão;milhões;mi=milhões, 1e6 | bilhão;bilhões=bilhões, 1e9'),
  units: parseCountedTable(`
    km/h=um quilômetro por hora, quilômetros por hora | km=um quilômetro, quilômetros | m=um metro, metros |
    cm=um centímetro, centímetros | mm=um milímetro, milímetros | m²=um metro quadrado, metros quadrados |
    kg=um quilo, quilos | g=um grama, gramas | mg=um miligrama, miligramas | l=um litro, litros |
    ml=um mililitro, mililitros | °C;°=um grau, graus | min=um minuto, minutos | h=uma hora, horas`),
  abbreviations: parseWordTable(`
    Sr.=senhor | Sra.=senhora | Srta.=senhorita | Dr.=doutor | Dra.=doutora | etc.=et cetera |
    p. ex.=por exemplo | p.ex.=por exemplo | pág.=página | tel.=telefone | Av.=avenida |
    aprox.=aproximadamente`),
  specialCases: [['[nN][.º°]+(?= ?\\d)', 'número']],
  readsFractionsAsNumbers: true,
  yearWords: '(?:em|desde|até|de|ano)',
  fractions: parseWordTable('1/2=meio | ½=meio | 1/3=um terço | 2/3=dois terços | 1/4=um quarto | 3/4=três quartos'),
}
