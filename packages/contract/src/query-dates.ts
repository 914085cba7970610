import { z } from 'zod'

/** Date filters of lists: ISO 8601 dates or date-times; without an offset they are UTC. */

const DAY_MS = 86_400_000
const HAS_OFFSET = /(Z|[+-]\d\d:\d\d)$/

const DateText = z.union([z.iso.date(), z.iso.datetime({ local: true, offset: true })], {
  error: 'must be an ISO 8601 date or date-time',
})

/** Milliseconds since the Unix epoch; a bare date is its first instant. */
function toEpochMs(date: string): number {
  const isBareDate = !date.includes('T')
  return Date.parse(isBareDate || HAS_OFFSET.test(date) ? date : `${date}Z`)
}

/** First instant that is included, in milliseconds since the Unix epoch. */
export const StartDate = DateText.transform(toEpochMs).meta({
  type: 'string',
  description: 'Only what began at or after this time.',
})

/** Last instant that is included, in milliseconds since the Unix epoch; a bare date means the end of that day. */
export const EndDate = DateText.transform((date) =>
  date.includes('T') ? toEpochMs(date) : toEpochMs(date) + DAY_MS - 1,
).meta({ type: 'string', description: 'Only what began at or before this time; a bare date includes its whole day.' })
