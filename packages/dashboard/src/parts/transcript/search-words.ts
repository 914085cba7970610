/** Reads what an address says of filters. Whatever somebody has typed into it that means nothing is left out. */

type Given = unknown

const LONGEST_TEXT = 200
const DAY = /^\d{4}-\d\d-\d\d$/

/** A text; the router has made numbers out of texts that look like one. */
export function textIn(given: Given): string | undefined {
  const text = typeof given === 'number' ? String(given) : given
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, LONGEST_TEXT) : undefined
}

/** One of a few words. */
export function wordIn<Word extends string>(given: Given, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === given)
}

/** A whole number from 1. */
export function countIn(given: Given): number | undefined {
  const count = Number(given)
  return Number.isInteger(count) && count >= 1 && count <= 2_147_483_647 ? count : undefined
}

/** A day such as `2026-11-23` that the calendar has. */
export function dayIn(given: Given): string | undefined {
  if (typeof given !== 'string' || !DAY.test(given)) return undefined
  const date = new Date(`${given}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(given) ? given : undefined
}

/** Without the fields that say nothing, so that the address does not name them. */
export function withoutEmpty<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept: { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } = {}
  for (const name in fields) {
    const value = fields[name]
    if (isGiven(value)) kept[name] = value
  }
  return kept
}

const isGiven = <Value>(value: Value): value is Exclude<Value, undefined> => value !== undefined

/** The first and the last instant of days as the clock of the person has them. */
export function daysToInstants(
  from: string | undefined,
  to: string | undefined,
): { startDate?: string; endDate?: string } {
  return {
    ...(from !== undefined && { startDate: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to !== undefined && { endDate: new Date(`${to}T23:59:59.999`).toISOString() }),
  }
}
