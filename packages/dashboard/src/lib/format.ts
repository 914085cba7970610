import { useLingui } from '@lingui/react'

const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400

/** Formats numbers and times in the language of the page and the browser's time zone. */
export interface Formatter {
  /** For example, `19 Nov 2026, 14:05`. */
  dateTime(iso: string): string
  date(iso: string): string
  /** For example, `14:05:09`. */
  time(iso: string): string
  /** For example, `3 minutes ago`, relative to `nowMs`. */
  relativeTime(iso: string, nowMs: number): string
  /** For example, `4:09` or `1:02:09`. */
  timecode(seconds: number): string
  number(value: number, digits?: number): string
  /** For example, `87 %` for 0.87. */
  percent(ratio: number): string
  /** Formats US dollars, with four digits below one dollar. */
  dollars(amount: number): string
  /** Formats US dollars with two or three digits, for prices. */
  price(amount: number): string
  /** For example, `1.2 MB`. */
  bytes(sizeBytes: number): string
  /** For example, `850 ms` or `1.2 s`. */
  duration(milliseconds: number): string
}

/** Returns the preferred regional variant of a language, such as `en-GB` for `en`. */
export function findLocale(language: string, preferredLocales: readonly string[]): string {
  return preferredLocales.find((name) => name.split('-')[0]?.toLowerCase() === language) ?? language
}

export function createFormatter(locale: string): Formatter {
  // Created on first use, because each formatter takes milliseconds to create.
  const dateTime = createLazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
  const date = createLazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))
  const time = createLazy(() => new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }))
  const relativeTimeFormat = createLazy(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  const numbers = new Map<number, Intl.NumberFormat>()
  const number = (value: number, digits = 0): string => {
    const formatter = numbers.get(digits) ?? new Intl.NumberFormat(locale, { maximumFractionDigits: digits })
    numbers.set(digits, formatter)
    return formatter.format(value)
  }
  const formatDollars = (amount: number, digitOptions: Intl.NumberFormatOptions): string => {
    const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
    return new Intl.NumberFormat(locale, { ...style, ...digitOptions }).format(amount)
  }
  return {
    dateTime: (iso) => dateTime().format(new Date(iso)),
    date: (iso) => date().format(new Date(iso)),
    time: (iso) => time().format(new Date(iso)),
    relativeTime(iso, nowMs) {
      // A future time counts as now, because server and browser clocks differ slightly.
      const seconds = Math.min(0, Math.round((new Date(iso).getTime() - nowMs) / 1_000))
      const elapsedSeconds = Math.abs(seconds)
      if (elapsedSeconds < MINUTE_S) return relativeTimeFormat().format(seconds, 'second')
      if (elapsedSeconds < HOUR_S) return relativeTimeFormat().format(Math.round(seconds / MINUTE_S), 'minute')
      if (elapsedSeconds < DAY_S) return relativeTimeFormat().format(Math.round(seconds / HOUR_S), 'hour')
      return relativeTimeFormat().format(Math.round(seconds / DAY_S), 'day')
    },
    timecode(seconds) {
      const wholeSeconds = Math.max(0, Math.floor(seconds))
      const hours = Math.floor(wholeSeconds / HOUR_S)
      const minutes = Math.floor((wholeSeconds % HOUR_S) / MINUTE_S)
      const secondsText = String(wholeSeconds % MINUTE_S).padStart(2, '0')
      return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${secondsText}` : `${minutes}:${secondsText}`
    },
    number,
    percent: (share) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(share),
    dollars(amount) {
      const digits = Math.abs(amount) >= 1 || amount === 0 ? 2 : 4
      return formatDollars(amount, { minimumFractionDigits: digits, maximumFractionDigits: digits })
    },
    price: (amount) => formatDollars(amount, { minimumFractionDigits: 2, maximumFractionDigits: 3 }),
    bytes(sizeBytes) {
      const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
      if (sizeBytes < 1_000) return `${number(sizeBytes)} B`
      const unitIndex = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, sizeBytes)) / 3))
      return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: units[unitIndex] ?? 'byte',
        maximumFractionDigits: 1,
      }).format(sizeBytes / 1_000 ** unitIndex)
    },
    duration: (milliseconds) =>
      milliseconds < 1_000 ? `${number(milliseconds)} ms` : `${number(milliseconds / 1_000, 1)} s`,
  }
}

function createLazy<Value>(create: () => Value): () => Value {
  let cachedValue: Value | undefined
  return () => {
    cachedValue ??= create()
    return cachedValue
  }
}

const formattersByLocale = new Map<string, Formatter>()

export function useFormatter(): Formatter {
  const { i18n } = useLingui()
  const locale = findLocale(i18n.locale, navigator.languages)
  const formatter = formattersByLocale.get(locale) ?? createFormatter(locale)
  formattersByLocale.set(locale, formatter)
  return formatter
}
