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
const TENS = [
  '',
  '',
  'vingt',
  'trente',
  'quarante',
  'cinquante',
  'soixante',
  'soixante',
  'quatre-vingt',
  'quatre-vingt',
]
const POWERS = ['', 'mille', 'million', 'milliard', 'billion']

function belowHundred(value: number, last: boolean): string {
  if (value < 20) return ONES[value] ?? ''
  const ten = Math.floor(value / 10)
  const rest = ten === 7 || ten === 9 ? (value % 10) + 10 : value % 10
  const front = TENS[ten] ?? ''
  if (rest === 0) return ten === 8 && last ? `${front}s` : front
  const joint = (rest === 1 || rest === 11) && ten < 8 ? ' et ' : '-'
  return front + joint + ONES[rest]
}

function belowThousand(value: number, last: boolean): string {
  const hundreds = Math.floor(value / 100)
  const rest = value % 100
  if (hundreds === 0) return belowHundred(rest, last)
  const front = hundreds === 1 ? 'cent' : `${ONES[hundreds]} cent`
  if (rest === 0) return hundreds > 1 && last ? `${front}s` : front
  return `${front} ${belowHundred(rest, last)}`
}

function cardinal(value: number): string {
  if (value === 0) return 'zéro'
  return splitThousands(value)
    .map((group) => {
      if (group.power === 0) return belowThousand(group.value, true)
      if (group.power === 1) return group.value === 1 ? 'mille' : `${belowThousand(group.value, false)} mille`
      return `${belowThousand(group.value, true)} ${POWERS[group.power]}${group.value > 1 ? 's' : ''}`
    })
    .join(' ')
}

function ordinal(value: number): string {
  if (value === 1) return 'premier'
  const spoken = cardinal(value).replace(/s$/, (ending) => (value % 10 === 3 || value % 10 === 6 ? ending : ''))
  return `${spoken.replace(/e$/, '').replace(/cinq$/, 'cinqu').replace(/neuf$/, 'neuv')}ième`
}

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ')
const day = (value: number): string => (value === 1 ? 'premier' : cardinal(value))

function date({ day: dayValue, month, year }: SpokenDate): string {
  return `${day(dayValue)} ${MONTHS[month - 1]}${year === null ? '' : ` ${cardinal(year)}`}`
}

function time({ hour, minute }: SpokenTime): string {
  const spoken = hour === 1 ? 'une heure' : `${cardinal(hour).replace(/un$/, 'une')} heures`
  return minute === 0 ? spoken : `${spoken} ${cardinal(minute)}`
}

/** Joins a number and a noun, as in "deux millions d'euros". */
function joinNoun(spoken: string, noun: string): string {
  if (!/illi(?:on|ard)s?$/.test(spoken)) return `${spoken} ${noun}`
  return `${spoken} ${/^[aeiouéh]/.test(noun) ? "d'" : 'de '}${noun}`
}

export const french: SpokenLanguage = {
  decimalMark: ',',
  groupMarks: '. \u202F\u00A0',
  cardinal,
  ordinal,
  ordinalMark: '(?:ers?|res?|èmes?|emes?|es?)',
  year: cardinal,
  withNoun: joinNoun,
  months: MONTHS,
  shortMonths: 'janv févr - avr - - juil - sept oct nov déc'.split(' '),
  date,
  day,
  dayMark: '(?:er)? ',
  time,
  hasMeridiem: false,
  timeMark: ' ?(?:h|heures?)',
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
