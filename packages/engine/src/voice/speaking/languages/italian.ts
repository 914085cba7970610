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

function formatBelowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? ''
  const tens = TENS[Math.floor(value / 10)] ?? ''
  const ones = value % 10
  if (ones === 0) return tens
  return (ones === 1 || ones === 8 ? tens.slice(0, -1) : tens) + (ones === 3 ? 'tré' : ONES[ones])
}

function formatBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const remainder = value % 100
  const prefix = hundreds === 0 ? '' : `${hundreds === 1 ? '' : ONES[hundreds]}cento`
  return remainder === 0 ? prefix : prefix + formatBelowHundred(remainder)
}

function formatCardinal(value: number): string {
  if (value === 0) return 'zero'
  let word = ''
  const parts: string[] = []
  for (const group of splitThousands(value)) {
    const [singular = '', plural = ''] = POWERS[group.power] ?? []
    if (group.power === 0) word += formatBelowThousand(group.value)
    else if (group.power === 1)
      word += group.value === 1 ? singular : formatBelowThousand(group.value).replace(/tré$/, 'tre') + plural
    else parts.push(group.value === 1 ? singular : `${formatBelowThousand(group.value)} ${plural}`)
  }
  return [...parts, word].filter((part) => part !== '').join(' ')
}

const ORDINALS = ' primo secondo terzo quarto quinto sesto settimo ottavo nono decimo'.split(' ')

function formatOrdinal(value: number): string {
  if (value <= 10) return ORDINALS[value] ?? ''
  const spokenText = formatCardinal(value)
  return `${/(?:tré|sei)$/.test(spokenText) ? spokenText.replace(/é$/, 'e') : spokenText.slice(0, -1)}esimo`
}

const MONTHS = 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(
  ' ',
)
const formatDay = (value: number): string => (value === 1 ? 'primo' : formatCardinal(value))

function formatDate({ day, month, year }: SpokenDate): string {
  return `${formatDay(day)} ${MONTHS[month - 1]}${year === null ? '' : ` ${formatCardinal(year)}`}`
}

function formatTime({ hour, minute }: SpokenTime): string {
  const spokenText = hour === 1 ? "l'una" : formatCardinal(hour)
  return minute === 0 ? `${spokenText} in punto` : `${spokenText} e ${minute === 30 ? 'mezza' : formatCardinal(minute)}`
}

export const italian: SpokenLanguage = {
  decimalSeparator: ',',
  groupSeparators: ".'\u202F\u00A0",
  formatCardinal,
  formatOrdinal,
  ordinalSuffix: '[°ºª]',
  formatYear: formatCardinal,
  joinNoun: (spokenText, noun) => `${spokenText.replace(/(?:milion|miliard|bilion)[eio]$/, '$& di')} ${noun}`,
  months: MONTHS,
  shortMonths: 'gen feb - apr mag giu lug ago set ott nov dic'.split(' '),
  formatDate,
  formatDay,
  daySeparator: '[°º]? ',
  formatTime,
  hasMeridiem: false,
  timeSuffix: '',
  hourWords: '[Oo]re|[Dd]?[Aa]lle|[Ll]e',
  words: parseSpokenSymbols(`
    virgola | meno | più | uguale | per | e | a | circa | per cento | numero | chiocciola | punto | barra |
    trattino | trattino basso`),
  currencies: parseCurrencyTable(`
    €;EUR=un euro, euro, un centesimo, centesimi | $;USD=un dollaro, dollari, un centesimo, centesimi |
    £;GBP=una sterlina, sterline, un penny, pence | CHF=un franco, franchi, un centesimo, centesimi`),
  moneyConjunction: ' e ',
  magnitudes: parseMagnitudeTable('milione;milioni;mln=milioni, 1e6 | miliardo;miliardi;mld=miliardi, 1e9'),
  units: parseCountedTable(`
    km/h=un chilometro all'ora, chilometri all'ora | km=un chilometro, chilometri | m=un metro, metri |
    cm=un centimetro, centimetri | mm=un millimetro, millimetri | m²=un metro quadrato, metri quadrati |
    kg=un chilo, chili | g=un grammo, grammi | mg=un milligrammo, milligrammi | l=un litro, litri |
    ml=un millilitro, millilitri | °C;°=un grado, gradi | min=un minuto, minuti | h=un'ora, ore`),
  abbreviations: parseWordTable(`
    Sig.=signor | Sig.ra=signora | Dott.=dottor | Dott.ssa=dottoressa | Ing.=ingegner | Avv.=avvocato |
    ecc.=eccetera | es.=esempio | pag.=pagina | tel.=telefono | ca.=circa`),
  specialCases: [['[nN][.°º](?= ?\\d)', 'numero']],
  readsFractionsAsNumbers: true,
  yearWords: '(?:nel|dal|al|del|anno)',
  fractions: parseWordTable('1/2=mezzo | ½=mezzo | 1/3=un terzo | 2/3=due terzi | 1/4=un quarto | 3/4=tre quarti'),
}
