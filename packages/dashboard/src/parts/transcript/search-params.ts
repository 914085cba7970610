/** Maximum length of a filter in a URL. Invalid values are omitted. */

const MAX_TEXT_LENGTH = 200
const MAX_COUNT = 2_147_483_647
const DAY = /^\d{4}-\d\d-\d\d$/

/** Reads text. The router has already converted numeric text to numbers. */
export function readText(given: unknown): string | undefined {
  const text = typeof given === 'number' ? String(given) : given
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, MAX_TEXT_LENGTH) : undefined
}

export function readChoice<Value extends string>(given: unknown, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === given)
}

/** Reads an integer of at least 1. */
export function readCount(given: unknown): number | undefined {
  const count = Number(given)
  return Number.isInteger(count) && count >= 1 && count <= MAX_COUNT ? count : undefined
}

export const readFlag = (given: unknown): true | undefined => (given === true ? true : undefined)

/** Reads a calendar day such as `2026-11-23`. */
export function readDay(given: unknown): string | undefined {
  if (typeof given !== 'string' || !DAY.test(given)) return undefined
  const date = new Date(`${given}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(given) ? given : undefined
}

/** Removes undefined fields so that the URL does not contain them. */
export function removeEmpty<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
}

/** Returns the first and last instant of the days in the browser's time zone. */
export function convertDaysToInstants(from: string | undefined, to: string | undefined) {
  return removeEmpty({
    startDate: from === undefined ? undefined : new Date(`${from}T00:00:00`).toISOString(),
    endDate: to === undefined ? undefined : new Date(`${to}T23:59:59.999`).toISOString(),
  })
}
