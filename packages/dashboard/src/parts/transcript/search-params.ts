/** Maximum length of a text filter in a URL. */
const MAX_TEXT_LENGTH = 200
const MAX_COUNT = 2_147_483_647
const DAY_PATTERN = /^\d{4}-\d\d-\d\d$/

/** Reads text. The router has already converted numeric text to numbers. */
export function readText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, MAX_TEXT_LENGTH) : undefined
}

export function readChoice<Value extends string>(input: unknown, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === input)
}

/** Reads an integer of at least 1. */
export function readCount(value: unknown): number | undefined {
  const count = Number(value)
  return Number.isInteger(count) && count >= 1 && count <= MAX_COUNT ? count : undefined
}

export const readFlag = (value: unknown): true | undefined => (value === true ? true : undefined)

/** Reads a calendar day such as `2026-11-23`. */
export function readDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DAY_PATTERN.test(value)) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

/** Removes undefined fields so that the URL does not contain them. */
export function removeUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
}

/** Returns the start of the first day and the end of the last day in the browser's time zone. */
export function toDateRange(from: string | undefined, to: string | undefined) {
  return removeUndefined({
    startDate: from === undefined ? undefined : new Date(`${from}T00:00:00`).toISOString(),
    endDate: to === undefined ? undefined : new Date(`${to}T23:59:59.999`).toISOString(),
  })
}
