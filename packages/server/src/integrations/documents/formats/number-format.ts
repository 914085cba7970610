/** Formats a number as a spreadsheet does, for example with the format code `#,##0.00 "€"`. */
export type NumberFormatter = (value: number) => string

const DATE_FORMAT_IDS: readonly number[] = [
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]

/** Built-in format codes, which files reference by ID. */
const BUILT_IN_CODES: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0',
  6: '$#,##0',
  7: '$#,##0.00',
  8: '$#,##0.00',
  9: '0%',
  10: '0.00%',
  18: 'h:mm',
  19: 'h:mm:ss',
  20: 'h:mm',
  21: 'h:mm:ss',
  32: 'h:mm',
  33: 'h:mm:ss',
  34: 'h:mm',
  35: 'h:mm:ss',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  41: '#,##0',
  42: '$#,##0',
  43: '#,##0.00',
  44: '$#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
}

/** Windows language IDs (the low ten bits) of languages that format numbers as 1.234,50. */
const COMMA_LANGUAGE_IDS = new Set([
  0x02, 0x05, 0x06, 0x07, 0x08, 0x0a, 0x0b, 0x0c, 0x0e, 0x10, 0x13, 0x14, 0x15, 0x16, 0x18, 0x19, 0x1a, 0x1b, 0x1d,
  0x1f, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27, 0x2d,
])
const DAY_MS = 86_400_000
const DAY_SECONDS = 86_400
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/** Creates a formatter from a format code. If `code` is undefined, the built-in code with this ID applies. */
export function createNumberFormatter(id: number, code: string | undefined, uses1904Dates: boolean): NumberFormatter {
  const formatCode = code ?? BUILT_IN_CODES[id] ?? (DATE_FORMAT_IDS.includes(id) ? 'yyyy-mm-dd' : 'General')
  const plainCode = formatCode.replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/general|@|[#?0]\/|E[+-]/i.test(plainCode)) return formatPlainNumber
  if (/[ymdhs]/i.test(plainCode.replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, ''))) {
    return createDateFormatter(
      id === 22 && code === undefined ? 'yyyy-mm-dd h:mm' : plainCode.toLowerCase(),
      uses1904Dates,
    )
  }
  const sections = splitSections(formatCode)
  return (value) => {
    const section = value < 0 ? sections[1] : value === 0 ? (sections[2] ?? sections[0]) : sections[0]
    if (section !== undefined) return formatSection(Math.abs(value), section)
    return (value < 0 ? '-' : '') + formatSection(Math.abs(value), sections[0] ?? '')
  }
}

/** Formats a number without the rounding noise of binary fractions. */
export function formatPlainNumber(value: number): string {
  return String(Number(value.toPrecision(12)))
}

function splitSections(code: string): string[] {
  return code.match(/(?:"[^"]*"|\\.|[^;])+/g) ?? []
}

function formatSection(value: number, section: string): string {
  const currency = /\[\$([^[\]-]*)(?=[-\]])(?:-([\da-f]+)(?![\da-f]))?[^[\]]*\]/i.exec(section)
  const languageId = Number.parseInt(currency?.[2] ?? '0', 16) & 0x3ff
  const template = section
    .replace(/\[\$([^[\]-]*)(?=[-\]])[^[\]]*\]/g, (_, symbol: string) => `"${symbol}"`)
    .replace(/\[[^[\]]*\]|_.|\*./g, '')
  const digitPattern = /[#0?][#0?,]*(?:\.[#0?]*)?|\.[#0?]+/.exec(
    template.replace(/"[^"]*"|\\./g, (quoted) => ' '.repeat(quoted.length)),
  )
  if (digitPattern === null) return unquote(template)
  const isPercent = /%/.test(template.replace(/"[^"]*"/g, ''))
  const scaledValue =
    (isPercent ? value * 100 : value) / 1000 ** (/(,+)(?!.*[#0?])/.exec(digitPattern[0])?.[1]?.length ?? 0)
  const text = formatDigits(scaledValue, digitPattern[0], COMMA_LANGUAGE_IDS.has(languageId))
  const prefix = unquote(template.slice(0, digitPattern.index))
  return `${prefix}${text}${unquote(template.slice(digitPattern.index + digitPattern[0].length))}`.trim()
}

function unquote(literal: string): string {
  return literal.replace(/"([^"]*)"|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? '')
}

function formatDigits(value: number, pattern: string, usesDecimalComma: boolean): string {
  const [integerPattern = '', fractionPattern = ''] = pattern.split('.')
  const maxDecimals = Math.min(fractionPattern.length, 20)
  const minDecimals = fractionPattern.replace(/[^0]/g, '').length
  const [integer = '', decimals = ''] = value.toFixed(maxDecimals).split('.')
  const usesGrouping = /[#0?],+[#0?]/.test(integerPattern)
  const formattedInteger = usesGrouping ? groupThousands(integer, usesDecimalComma ? '.' : ',') : integer
  let digits = decimals
  while (digits.length > minDecimals && digits.endsWith('0')) digits = digits.slice(0, -1)
  return digits === '' ? formattedInteger : `${formattedInteger}${usesDecimalComma ? ',' : '.'}${digits}`
}

function groupThousands(digits: string, separator: string): string {
  const headLength = digits.length % 3
  const groups = digits.slice(headLength).match(/\d{3}/g) ?? []
  return (headLength === 0 ? groups : [digits.slice(0, headLength), ...groups]).join(separator)
}

/** Creates a formatter that writes dates in ISO format, which is unambiguous. */
function createDateFormatter(code: string, uses1904Dates: boolean): NumberFormatter {
  if (/\[h/.test(code)) return (value) => formatHours(Math.round(value * DAY_SECONDS), /s/.test(code))
  const hasTime = /[hs]/.test(code)
  const hasDate = /[yd]/.test(code) || (/m/.test(code) && !hasTime)
  const dateLength = /d/.test(code) || !/[ym]/.test(code) ? 10 : /m/.test(code) ? 7 : 4
  return (value) => {
    // Rounded to seconds, because times are inexact fractions of a day.
    const date = new Date(
      (uses1904Dates ? EPOCH_1904 : EPOCH_1900) + Math.round(value * DAY_SECONDS) * (DAY_MS / DAY_SECONDS),
    )
    if (Number.isNaN(date.getTime())) return formatPlainNumber(value)
    const iso = date.toISOString()
    const time = iso.slice(11, /s/.test(code) ? 19 : 16)
    if (!hasDate) return time
    const datePart = iso.slice(0, dateLength)
    return hasTime && value % 1 !== 0 ? `${datePart} ${time}` : datePart
  }
}

function formatHours(seconds: number, showsSeconds: boolean): string {
  const pad = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const text = `${Math.floor(minutes / 60)}:${pad(minutes % 60)}`
  return showsSeconds ? `${text}:${pad(seconds % 60)}` : text
}
