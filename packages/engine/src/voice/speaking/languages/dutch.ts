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
  'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien'.split(
    ' ',
  )
const TENS = ['', '', 'twintig', 'dertig', 'veertig', 'vijftig', 'zestig', 'zeventig', 'tachtig', 'negentig']
const POWERS = ['', 'duizend', 'miljoen', 'miljard', 'biljoen']

function formatBelowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? ''
  const ones = ONES[value % 10] ?? ''
  const tens = TENS[Math.floor(value / 10)] ?? ''
  return value % 10 === 0 ? tens : `${ones}${ones.endsWith('e') ? 'ën' : 'en'}${tens}`
}

function formatBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const remainder = value % 100
  const prefix = hundreds === 0 ? '' : `${hundreds === 1 ? '' : ONES[hundreds]}honderd`
  return remainder === 0 ? prefix : prefix + formatBelowHundred(remainder)
}

function formatCardinal(value: number): string {
  if (value === 0) return 'nul'
  return splitThousands(value)
    .map((group) => {
      if (group.power === 0) return formatBelowThousand(group.value)
      if (group.power === 1) return `${group.value === 1 ? '' : formatBelowThousand(group.value)}duizend`
      return `${group.value === 1 ? 'een' : formatBelowThousand(group.value)} ${POWERS[group.power]}`
    })
    .join(' ')
}

function formatOrdinal(value: number): string {
  const remainder = value % 100
  const spokenText = formatCardinal(value)
  if (remainder === 1) return spokenText.replace(/een$/, 'eerste')
  if (remainder === 3) return spokenText.replace(/drie$/, 'derde')
  return `${spokenText}${remainder === 8 || remainder > 19 || remainder === 0 ? 'ste' : 'de'}`
}

function formatYear(value: number): string {
  const remainder = value % 100
  if (value < 1100 || value > 1999) return formatCardinal(value)
  return `${formatBelowHundred(Math.floor(value / 100))}${remainder === 0 ? 'honderd' : `honderd${formatBelowHundred(remainder)}`}`
}

const MONTHS = 'januari februari maart april mei juni juli augustus september oktober november december'.split(' ')

function formatDate({ day, month, year }: SpokenDate): string {
  return `${formatCardinal(day)} ${MONTHS[month - 1]}${year === null ? '' : ` ${formatYear(year)}`}`
}

function formatTime({ hour, minute }: SpokenTime): string {
  const spokenText = `${formatCardinal(hour)} uur`
  return minute === 0 ? spokenText : `${spokenText} ${formatCardinal(minute)}`
}

export const dutch: SpokenLanguage = {
  decimalSeparator: ',',
  groupSeparators: '.\u202F\u00A0',
  formatCardinal,
  formatOrdinal,
  ordinalSuffix: '(?:ste|de|e)',
  formatYear,
  months: MONTHS,
  shortMonths: 'jan feb mrt apr - jun jul aug sep okt nov dec'.split(' '),
  formatDate,
  formatDay: formatCardinal,
  daySeparator: ' ',
  formatTime,
  hasMeridiem: false,
  timeSuffix: ' ?uur',
  words: parseSpokenSymbols(`
    komma | min | plus | is | keer | en | tot | ongeveer | procent | nummer | apenstaartje | punt |
    schuine streep | streepje | laag streepje`),
  currencies: parseCurrencyTable(`
    €;EUR=een euro, euro, een cent, cent | $;USD=een dollar, dollar, een cent, cent |
    £;GBP=een pond, pond, een penny, pence`),
  moneyConjunction: ' en ',
  magnitudes: parseMagnitudeTable('duizend=duizend, 1000 | miljoen;mln=miljoen, 1e6 | miljard;mld=miljard, 1e9'),
  units: parseCountedTable(`
    km/u;km/h=een kilometer per uur, kilometer per uur | km=een kilometer, kilometer | m=een meter, meter |
    cm=een centimeter, centimeter | mm=een millimeter, millimeter | m²;m2=een vierkante meter, vierkante meter |
    kg=een kilo, kilo | g=een gram, gram | mg=een milligram, milligram | l=een liter, liter |
    ml=een milliliter, milliliter | °C=een graad Celsius, graden Celsius | °=een graad, graden |
    MB=een megabyte, megabyte | GB=een gigabyte, gigabyte | kWh=een kilowattuur, kilowattuur | min=een minuut, minuten`),
  abbreviations: parseWordTable(`
    dhr.=de heer | Dhr.=De heer | mevr.=mevrouw | Mevr.=Mevrouw | dr.=dokter | bijv.=bijvoorbeeld |
    bv.=bijvoorbeeld | d.w.z.=dat wil zeggen | o.a.=onder andere | m.b.t.=met betrekking tot |
    t/m=tot en met | enz.=enzovoort | etc.=et cetera | ca.=circa | nr.=nummer | tel.=telefoon |
    max.=maximaal | incl.=inclusief | excl.=exclusief`),
  specialCases: [],
  readsFractionsAsNumbers: true,
  yearWords: '(?:in|sinds|van|tot|jaar|voor|na)',
  fractions: parseWordTable(
    '1/2=een half | ½=een half | 1/3=een derde | 2/3=twee derde | 1/4=een kwart | 3/4=drie kwart',
  ),
}
