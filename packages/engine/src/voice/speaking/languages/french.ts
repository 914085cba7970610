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
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  )
const TENS = '- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(' ')
const POWERS = ['', 'mille', 'million', 'milliard', 'billion']

function formatBelowHundred(value: number, isLast: boolean): string {
  if (value < 20) return ONES[value] ?? ''
  const tens = Math.floor(value / 10)
  const remainder = tens === 7 || tens === 9 ? (value % 10) + 10 : value % 10
  const prefix = TENS[tens] ?? ''
  if (remainder === 0) return tens === 8 && isLast ? `${prefix}s` : prefix
  const separator = (remainder === 1 || remainder === 11) && tens < 8 ? ' et ' : '-'
  return prefix + separator + ONES[remainder]
}

function formatBelowThousand(value: number, isLast: boolean): string {
  const hundreds = Math.floor(value / 100)
  const remainder = value % 100
  if (hundreds === 0) return formatBelowHundred(remainder, isLast)
  const prefix = hundreds === 1 ? 'cent' : `${ONES[hundreds]} cent`
  if (remainder === 0) return hundreds > 1 && isLast ? `${prefix}s` : prefix
  return `${prefix} ${formatBelowHundred(remainder, isLast)}`
}

function formatCardinal(value: number): string {
  if (value === 0) return 'zéro'
  return splitThousands(value)
    .map((group) => {
      if (group.power === 0) return formatBelowThousand(group.value, true)
      if (group.power === 1) return group.value === 1 ? 'mille' : `${formatBelowThousand(group.value, false)} mille`
      return `${formatBelowThousand(group.value, true)} ${POWERS[group.power]}${group.value > 1 ? 's' : ''}`
    })
    .join(' ')
}

function formatOrdinal(value: number): string {
  if (value === 1) return 'premier'
  const cardinal = formatCardinal(value).replace(/s$/, (ending) => (value % 10 === 3 || value % 10 === 6 ? ending : ''))
  return `${cardinal.replace(/e$/, '').replace(/cinq$/, 'cinqu').replace(/neuf$/, 'neuv')}ième`
}

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ')
const formatDay = (value: number): string => (value === 1 ? 'premier' : formatCardinal(value))

function formatDate({ day, month, year }: SpokenDate): string {
  return `${formatDay(day)} ${MONTHS[month - 1]}${year === null ? '' : ` ${formatCardinal(year)}`}`
}

function formatTime({ hour, minute }: SpokenTime): string {
  const spokenText = hour === 1 ? 'une heure' : `${formatCardinal(hour).replace(/un$/, 'une')} heures`
  return minute === 0 ? spokenText : `${spokenText} ${formatCardinal(minute)}`
}

/** Joins a number and a noun, as in "deux millions d'euros". */
function joinNoun(spokenText: string, noun: string): string {
  if (!/illi(?:on|ard)s?$/.test(spokenText)) return `${spokenText} ${noun}`
  return `${spokenText} ${/^[aeiouéh]/.test(noun) ? "d'" : 'de '}${noun}`
}

export const french: SpokenLanguage = {
  decimalSeparator: ',',
  groupSeparators: '. \u202F\u00A0',
  formatCardinal,
  formatOrdinal,
  ordinalSuffix: '(?:ers?|res?|èmes?|emes?|es?)',
  formatYear: formatCardinal,
  joinNoun,
  months: MONTHS,
  shortMonths: 'janv févr - avr - - juil - sept oct nov déc'.split(' '),
  formatDate,
  formatDay,
  daySeparator: '(?:er)? ',
  formatTime,
  hasMeridiem: false,
  timeSuffix: ' ?(?:h|heures?)',
  words: parseSpokenSymbols(`
    virgule | moins | plus | égale | fois | et | à | environ | pour cent | numéro | arobase | point |
    barre oblique | tiret | tiret bas`),
  currencies: parseCurrencyTable(`
    €;EUR=un euro, euros, un centime, centimes | $=un dollar, dollars, un cent, cents |
    USD=un dollar américain, dollars américains, un cent, cents | £;GBP=une livre, livres, un penny, pence |
    CHF=un franc suisse, francs suisses, un centime, centimes`),
  moneyConjunction: ' ',
  magnitudes: parseMagnitudeTable('million;millions;M=millions, 1e6 | milliard;milliards=milliards, 1e9'),
  units: parseCountedTable(`
    km/h=un kilomètre à l'heure, kilomètres à l'heure | km=un kilomètre, kilomètres | m=un mètre, mètres |
    cm=un centimètre, centimètres | mm=un millimètre, millimètres | m²=un mètre carré, mètres carrés |
    kg=un kilogramme, kilogrammes | g=un gramme, grammes | mg=un milligramme, milligrammes | l=un litre, litres |
    ml=un millilitre, millilitres | °C;°=un degré, degrés | min=une minute, minutes | h=une heure, heures`),
  abbreviations: parseWordTable(`
    M.=Monsieur | MM=Messieurs | Mme.=Madame | Mme=Madame | Mmes=Mesdames | Mlle=Mademoiselle | Dr.=docteur |
    Dr=docteur | etc.=et cetera | p. ex.=par exemple | p.ex.=par exemple | env.=environ | bd.=boulevard |
    av.=avenue | tél.=téléphone | max.=maximum | min.=minimum | c.-à-d.=c'est-à-dire`),
  specialCases: [['[nN]°(?= ?\\d)', 'numéro']],
  readsFractionsAsNumbers: true,
  yearWords: "(?:en|depuis|année|jusqu'en)",
  fractions: parseWordTable(
    '1/2=un demi | ½=un demi | 1/3=un tiers | 2/3=deux tiers | 1/4=un quart | 3/4=trois quarts',
  ),
}
