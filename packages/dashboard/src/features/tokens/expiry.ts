import { message } from '../../lib/language.ts'

/** Expiry options for a new token. `date` is a day that the user enters. */
export const EXPIRY_OPTIONS = ['7', '30', '90', '365', 'date', 'never'] as const
export type Expiry = (typeof EXPIRY_OPTIONS)[number]
export const DEFAULT_EXPIRY: Expiry = '90'

/** Catalog messages. */
export const EXPIRY_LABELS: Readonly<Record<Expiry, string>> = {
  7: message('In 7 days'),
  30: message('In 30 days'),
  90: message('In 90 days'),
  365: message('In a year'),
  date: message('On a specific day'),
  never: message('Never'),
}

const DAY_MS = 86_400_000

/** Returns when a token expires, or null if it never expires. Days end in the browser's time zone. */
export function calculateExpiresAt(expiry: Expiry, day: string, nowMs: number): string | null {
  if (expiry === 'never') return null
  if (expiry !== 'date') return new Date(nowMs + Number(expiry) * DAY_MS).toISOString()
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? null : end.toISOString()
}

export function isExpiryComplete(expiry: Expiry, day: string): boolean {
  return expiry === 'never' || calculateExpiresAt(expiry, day, 0) !== null
}
