import { message } from '../../lib/language.ts'

/** When a new token stops working. `date` is a day that the person names. */
export const EXPIRIES = ['never', '7', '30', '90', '365', 'date'] as const
export type Expiry = (typeof EXPIRIES)[number]

/** The choices in words for `t`. */
export const EXPIRY_WORDS: Readonly<Record<Expiry, string>> = {
  never: message('Never'),
  7: message('In 7 days'),
  30: message('In 30 days'),
  90: message('In 90 days'),
  365: message('In a year'),
  date: message('On a day of your choice'),
}

const DAY_MS = 86_400_000

/** The time of a choice as the API takes it; null for never. A day counts to its end, where the person is. */
export function expiresAtOf(expiry: Expiry, day: string, nowMs: number): string | null {
  if (expiry === 'never') return null
  if (expiry !== 'date') return new Date(nowMs + Number(expiry) * DAY_MS).toISOString()
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? null : end.toISOString()
}

/** Whether a choice says a time, or that there is none. */
export function isExpiryComplete(expiry: Expiry, day: string): boolean {
  return expiry === 'never' || expiresAtOf(expiry, day, 0) !== null
}
