import { z } from 'zod'

/** Date filters of lists: ISO 8601 dates or date-times, in UTC unless they have an offset. */

const DAY_MS = 86_400_000
const HAS_OFFSET = /(Z|[+-]\d\d:\d\d)$/

const DateText = z.union([z.iso.date(), z.iso.datetime({ local: true, offset: true })], {
  error: 'must be an ISO 8601 date or date-time',
})

/** Milliseconds since the Unix epoch; a date starts at midnight. */
function toEpochMs(date: string): number {
  const isBareDate = !date.includes('T')
  return Date.parse(isBareDate || HAS_OFFSET.test(date) ? date : `${date}Z`)
}

/** Start of the range (inclusive), in milliseconds since the Unix epoch. */
export const StartDate = DateText.transform(toEpochMs).meta({
  type: 'string',
  description: 'Start of the range (inclusive).',
})

/** End of the range (inclusive), in milliseconds since the Unix epoch. A date ends at midnight. */
export const EndDate = DateText.transform((date) =>
  date.includes('T') ? toEpochMs(date) : toEpochMs(date) + DAY_MS - 1,
).meta({ type: 'string', description: 'End of the range (inclusive). A date without a time includes the whole day.' })
