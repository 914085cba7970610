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

function formatBelowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? ''
  const ones = value % 10
  return `${TENS[Math.floor(value / 10)]}${ones === 0 ? '' : `-${ONES[ones]}`}`
}

function formatBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const remainder = value % 100
  if (hundreds === 0) return formatBelowHundred(remainder)
  return `${ONES[hundreds]} hundred${remainder === 0 ? '' : ` ${formatBelowHundred(remainder)}`}`
}

function formatCardinal(value: number): string {
  if (value === 0) return 'zero'
  return splitThousands(value)
    .map((group) => formatBelowThousand(group.value) + POWERS[group.power])
    .join(' ')
}

function formatOrdinal(value: number): string {
  return formatCardinal(value).replace(
    /(?<![a-z])[a-z]+$/,
    (lastWord) => ORDINALS[lastWord] ?? `${lastWord.replace(/y$/, 'ie')}th`,
  )
}

function formatYear(value: number): string {
  const century = Math.floor(value / 100)
  const remainder = value % 100
  if (value < 1100 || value > 2099 || (century === 20 && remainder < 10)) return formatCardinal(value)
  if (remainder === 0) return `${formatBelowHundred(century)} hundred`
  return `${formatBelowHundred(century)} ${remainder < 10 ? `oh ${ONES[remainder]}` : formatBelowHundred(remainder)}`
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

function formatDate({ day, month, year }: SpokenDate): string {
  return `${MONTHS[month - 1]} ${formatOrdinal(day)}${year === null ? '' : `, ${formatYear(year)}`}`
}

function formatTime({ hour, minute, meridiem }: SpokenTime): string {
  const suffix = meridiem === null ? '' : meridiem === 'am' ? ' AM' : ' PM'
  if (minute === 0 && hour === 0) return meridiem === null ? 'midnight' : `twelve${suffix}`
  const spokenHour = formatCardinal(hour)
  if (minute === 0)
    return suffix === '' ? (hour > 12 ? `${spokenHour} hundred` : `${spokenHour} o'clock`) : spokenHour + suffix
  return `${spokenHour} ${minute < 10 ? `oh ${ONES[minute]}` : formatBelowHundred(minute)}${suffix}`
}

/** American English by default. */
export const english: SpokenLanguage = {
  decimalSeparator: '.',
  groupSeparators: ',',
  formatCardinal,
  formatOrdinal,
  ordinalSuffix: '(?:st|nd|rd|th)',
  formatYear,
  months: MONTHS,
  shortMonths: 'Jan Feb Mar Apr - Jun Jul Aug Sep Oct Nov Dec'.split(' '),
  formatDate,
  formatDay: formatOrdinal,
  daySeparator: '(?:st|nd|rd|th)?(?: of)? ',
  formatTime,
  hasMeridiem: true,
  timeSuffix: '',
  words: parseSpokenSymbols(`
    point | minus | plus | equals | times | and | to | about | percent | number | at | dot | slash | dash |
    underscore`),
  currencies: parseCurrencyTable(`
    $=one dollar, dollars, one cent, cents | US$;USD=one US dollar, US dollars, one cent, cents |
    C$;CAD=one Canadian dollar, Canadian dollars, one cent, cents |
    A$;AUD=one Australian dollar, Australian dollars, one cent, cents | €;EUR=one euro, euros, one cent, cents |
    £;GBP=one pound, pounds, one penny, pence | ¥;JPY=one yen, yen | ₹;INR=one rupee, rupees, one paisa, paise |
    CHF=one Swiss franc, Swiss francs, one centime, centimes`),
  moneyConjunction: ' and ',
  magnitudes: parseMagnitudeTable(`
    k;K;thousand=thousand, 1000 | M;m;million=million, 1e6 | bn;B;billion=billion, 1e9 |
    trillion=trillion, 1e12`),
  units: parseCountedTable(`
    km/h=one kilometer per hour, kilometers per hour | mph=one mile per hour, miles per hour |
    km=one kilometer, kilometers | m=one meter, meters | cm=one centimeter, centimeters |
    mm=one millimeter, millimeters | m²=one square meter, square meters | mi=one mile, miles | ft=one foot, feet |
    sq ft=one square foot, square feet | yd=one yard, yards | kg=one kilogram, kilograms | g=one gram, grams |
    mg=one milligram, milligrams | lb;lbs=one pound, pounds | oz=one ounce, ounces | l;L=one liter, liters |
    ml;mL=one milliliter, milliliters | °C=one degree Celsius, degrees Celsius |
    °F=one degree Fahrenheit, degrees Fahrenheit | °=one degree, degrees | kB;KB=one kilobyte, kilobytes |
    MB=one megabyte, megabytes | GB=one gigabyte, gigabytes | TB=one terabyte, terabytes |
    Mbps=one megabit per second, megabits per second | kWh=one kilowatt hour, kilowatt hours |
    kW=one kilowatt, kilowatts | W=one watt, watts | V=one volt, volts | Hz=one hertz, hertz |
    hr;hrs;h=one hour, hours | min;mins=one minute, minutes | sec=one second, seconds |
    ms=one millisecond, milliseconds`),
  abbreviations: parseWordTable(`
    Mr.=Mister | Mrs.=Missus | Ms.=Miz | Prof.=Professor | Sr.=Senior | Jr.=Junior | Rev.=Reverend |
    Gen.=General | Capt.=Captain | Lt.=Lieutenant | Sgt.=Sergeant | e.g.=for example | i.e.=that is |
    etc.=et cetera | vs.=versus | vs=versus | approx.=approximately | appt.=appointment | dept.=department |
    Dept.=Department | Inc.=Incorporated | Ltd.=Limited | Corp.=Corporation | Ave.=Avenue | Blvd.=Boulevard |
    Rd.=Road | Apt.=Apartment | Ext.=Extension | ext.=extension | min.=minutes | hrs.=hours | w/=with |
    w/o=without | ASAP=as soon as possible | FYI=for your information`),
  specialCases: [
    ['(?<=\\p{Lu}\\p{L}+ )Dr\\.(?! \\p{Lu})', 'Drive'],
    ['Dr\\.', 'Doctor'],
    ['(?<=\\p{Lu}\\p{L}+ )St\\.', 'Street'],
    ['St\\.(?= \\p{Lu})', 'Saint'],
    ['Nos?\\.(?= ?\\d)', 'number'],
  ],
  readsFractionsAsNumbers: false,
  yearWords: '(?:in|since|by|of|from|until|till|year|during|before|after|early|late|spring|summer|autumn|fall|winter)',
  fractions: parseWordTable(`
    1/2=one half | 1/3=one third | 2/3=two thirds | 1/4=one quarter | 3/4=three quarters |
    24/7=twenty-four seven | ½=one half | ¼=one quarter | ¾=three quarters`),
}
