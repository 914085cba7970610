import {
  parseCountedTable,
  parseCurrencyTable,
  parseMagnitudeTable,
  parseSpokenSymbols,
  parseWordTable,
  type SpokenDate,
  type SpokenLanguage,
  type SpokenTime,
} from './spoken-language.ts'

const ONES = (
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho ' +
  'diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'
).split(' ')
const TENS = ['', '', '', 'treinta', 'cuarenta', 'cincuenta', 'sesenta', 'setenta', 'ochenta', 'noventa']
const HUNDREDS =
  '- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(' ')

function formatBelowHundred(value: number): string {
  if (value < 30) return ONES[value] ?? ''
  const tens = TENS[Math.floor(value / 10)] ?? ''
  return value % 10 === 0 ? tens : `${tens} y ${ONES[value % 10]}`
}

function formatBelowThousand(value: number): string {
  if (value === 100) return 'cien'
  const hundreds = Math.floor(value / 100)
  const remainder = value % 100
  if (hundreds === 0) return formatBelowHundred(remainder)
  return remainder === 0 ? (HUNDREDS[hundreds] ?? '') : `${HUNDREDS[hundreds]} ${formatBelowHundred(remainder)}`
}

/** Inflects numbers before a noun: "veintiún mil", "un euro". */
const inflectBeforeNoun = (spokenText: string): string =>
  spokenText
    .replace(/veintiuno$/, 'veintiún')
    .replace(/uno$/, 'un')
    .replace(/ill(?:ón|ones)$/, '$& de')

function formatBelowMillion(value: number): string {
  const thousands = Math.floor(value / 1000)
  const prefix =
    thousands === 0 ? '' : thousands === 1 ? 'mil' : `${inflectBeforeNoun(formatBelowThousand(thousands))} mil`
  const remainder = value % 1000
  return [prefix, remainder === 0 ? '' : formatBelowThousand(remainder)].filter((part) => part !== '').join(' ')
}

/** Returns the words for a number in groups of six digits, because a Spanish billion is a million millions. */
function formatCardinal(value: number): string {
  if (value === 0) return 'cero'
  const groups = [Math.floor(value / 1e12), Math.floor(value / 1e6) % 1e6, value % 1e6]
  return groups
    .map((group, index) => {
      if (group === 0) return ''
      if (index === 2) return formatBelowMillion(group)
      const name = index === 0 ? 'bill' : 'mill'
      return group === 1 ? `un ${name}ón` : `${inflectBeforeNoun(formatBelowMillion(group))} ${name}ones`
    })
    .filter((part) => part !== '')
    .join(' ')
}

const ORDINALS = ' primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo'.split(' ')
const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')
const formatDay = (value: number): string => (value === 1 ? 'primero' : formatCardinal(value))

function formatDate({ day, month, year }: SpokenDate): string {
  return `${formatDay(day)} de ${MONTHS[month - 1]}${year === null ? '' : ` de ${formatCardinal(year)}`}`
}

function formatTime({ hour, minute, meridiem }: SpokenTime): string {
  const suffix =
    meridiem === null
      ? ''
      : meridiem === 'am'
        ? ' de la mañana'
        : hour < 8 || hour === 12
          ? ' de la tarde'
          : ' de la noche'
  const spokenText = formatCardinal(hour).replace(/uno$/, 'una')
  if (minute === 0) return `${spokenText}${suffix === '' ? ' en punto' : suffix}`
  const minutes = minute === 15 ? 'cuarto' : minute === 30 ? 'media' : formatCardinal(minute)
  return `${spokenText} y ${minutes}${suffix}`
}

export const spanish: SpokenLanguage = {
  decimalSeparator: ',',
  groupSeparators: '.\u202F\u00A0',
  formatCardinal,
  formatOrdinal: (value) => ORDINALS[value] ?? null,
  ordinalSuffix: '\\.?[ºª]',
  formatYear: formatCardinal,
  joinNoun: (spokenText, noun) => `${inflectBeforeNoun(spokenText)} ${noun}`,
  months: MONTHS,
  shortMonths: 'ene feb mar abr - jun jul ago sept oct nov dic'.split(' '),
  formatDate,
  formatDay,
  daySeparator: '(?:º)? de ',
  formatTime,
  hasMeridiem: true,
  timeSuffix: ' ?(?:h|horas?)',
  hourWords: '[Ll]as?',
  words: parseSpokenSymbols(`
    coma | menos | más | igual a | por | y | a | unos | por ciento | número | arroba | punto | barra |
    guion | guion bajo`),
  currencies: parseCurrencyTable(`
    €;EUR=un euro, euros, un céntimo, céntimos | $;US$;USD=un dólar, dólares, un centavo, centavos |
    MXN=un peso mexicano, pesos mexicanos, un centavo, centavos |
    ARS=un peso argentino, pesos argentinos, un centavo, centavos | £;GBP=una libra, libras, un penique, peniques`),
  moneyConjunction: ' con ',
  magnitudes: parseMagnitudeTable('mil=mil, 1000 | millón;millones;M=millones, 1e6'),
  units: parseCountedTable(`
    km/h=un kilómetro por hora, kilómetros por hora | km=un kilómetro, kilómetros | m=un metro, metros |
    cm=un centímetro, centímetros | mm=un milímetro, milímetros | m²=un metro cuadrado, metros cuadrados |
    kg=un kilo, kilos | g=un gramo, gramos | mg=un miligramo, miligramos | l=un litro, litros |
    ml=un mililitro, mililitros | °C;°=un grado, grados | min=un minuto, minutos | h=una hora, horas`),
  abbreviations: parseWordTable(`
    Sr.=señor | Sra.=señora | Srta.=señorita | Dr.=doctor | Dra.=doctora | Ud.=usted | Uds.=ustedes |
    D.=don | etc.=etcétera | p. ej.=por ejemplo | p.ej.=por ejemplo | pág.=página | núm.=número |
    aprox.=aproximadamente | tel.=teléfono | Avda.=avenida | EE. UU.=Estados Unidos | EE.UU.=Estados Unidos`),
  specialCases: [['[nN][.º°]+(?= ?\\d)', 'número']],
  readsFractionsAsNumbers: true,
  yearWords: '(?:en|desde|hasta|de|año)',
  fractions: parseWordTable(
    '1/2=un medio | ½=un medio | 1/3=un tercio | 2/3=dos tercios | 1/4=un cuarto | 3/4=tres cuartos',
  ),
}
