import { z } from 'zod'

/** Date filters of lists: ISO 8601 dates or date-times. The time zone is UTC unless the value has an offset. */

const DAY_MS = 86_400_000
const OFFSET_SUFFIX = /(Z|[+-]\d\d:\d\d)$/

const DateText = z.union([z.iso.date(), z.iso.datetime({ local: true, offset: true })], {
  error: 'must be an ISO 8601 date or date-time',
})

/** Converts a date to milliseconds since the Unix epoch. A date without a time starts at midnight. */
function toEpochMs(date: string): number {
  const isDateOnly = !date.includes('T')
  return Date.parse(isDateOnly || OFFSET_SUFFIX.test(date) ? date : `${date}Z`)
}

/** Start of the range (inclusive), in milliseconds since the Unix epoch. */
export const StartDate = DateText.transform(toEpochMs).meta({
  type: 'string',
  description: 'Start of the range (inclusive).',
})

/** End of the range (inclusive), in milliseconds since the Unix epoch. A date without a time includes the whole day. */
export const EndDate = DateText.transform((date) =>
  date.includes('T') ? toEpochMs(date) : toEpochMs(date) + DAY_MS - 1,
).meta({ type: 'string', description: 'End of the range (inclusive). A date without a time includes the whole day.' })
