import type { VariableLookup } from './variables.ts'

/** What system variables are made from. */
export interface SystemVariableSources {
  /** Milliseconds since the epoch, fixed for a turn so that its prompt stays the same. */
  readonly nowMs: number
  /** IANA zone; one that does not exist counts as UTC. */
  readonly timezone: string
  /** What the driver knows: `session_type`, `session_duration`, `chat_id`, `call_id`, `direction`, `user_number` … */
  readonly session: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000
const CALENDAR_DAYS = 14
const ZONE_PREFIX = 'current_time_'

/**
 * Looks up system variables; each is computed when it is asked for. `current_time`, `current_hour` (0–23) and
 * `current_calendar` (today and the 13 days after it) are in `timezone`; `current_time_[zone]` names its own and is unset when
 * that zone does not exist.
 */
export function systemVariables(sources: SystemVariableSources): VariableLookup {
  const { nowMs, session } = sources
  return (name) => {
    if (Object.hasOwn(session, name)) return session[name]
    if (!name.startsWith('current_')) return undefined
    switch (name) {
      case 'current_time':
        return zoneFormats(sources.timezone).time.format(nowMs)
      case 'current_hour':
        return String(Number(zoneFormats(sources.timezone).hour.format(nowMs)))
      case 'current_calendar':
        return calendar(nowMs, zoneFormats(sources.timezone).day)
      default:
        return name.startsWith(ZONE_PREFIX) ? findZone(name.slice(ZONE_PREFIX.length))?.time.format(nowMs) : undefined
    }
  }
}

/** Words for the length of a session, as `session_duration` has them: `2 minutes 5 seconds`. */
export function describeDuration(durationMs: number): string {
  const totalSeconds = Math.max(0, Math.floor(durationMs / 1000))
  const hours = Math.floor(totalSeconds / 3600)
  const minutes = Math.floor((totalSeconds % 3600) / 60)
  const seconds = totalSeconds % 60
  const parts = [count(hours, 'hour'), count(minutes, 'minute'), count(seconds, 'second')].filter((part) => part !== '')
  return parts.length === 0 ? '0 seconds' : parts.join(' ')
}

function count(amount: number, unit: string): string {
  if (amount === 0) return ''
  return amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`
}

function calendar(nowMs: number, format: Intl.DateTimeFormat): string {
  const days: string[] = []
  // Half-day steps with repeats left out: a day of 23 or 25 hours is neither skipped nor told twice.
  for (let at = nowMs; days.length < CALENDAR_DAYS; at += DAY_MS / 2) {
    const day = format.format(at)
    if (days.at(-1) !== day) days.push(day)
  }
  return days.map((day, index) => (index === 0 ? `${day} (today)` : day)).join('\n')
}

interface ZoneFormats {
  readonly time: Intl.DateTimeFormat
  readonly hour: Intl.DateTimeFormat
  readonly day: Intl.DateTimeFormat
}

/** There are about 420 zones; a template could still name any number of spellings. */
const FORMAT_LIMIT = 500
const formatsByZone = new Map<string, ZoneFormats | null>()

function zoneFormats(zone: string): ZoneFormats {
  return findZone(zone) ?? findZone('UTC') ?? makeFormats('UTC')
}

/** `null` when the zone does not exist; that is remembered too, because finding out is slow. */
function findZone(zone: string): ZoneFormats | null {
  const known = formatsByZone.get(zone)
  if (known !== undefined) return known
  if (zone === '' || zone.length > 64) return null
  const formats = tryFormats(zone)
  if (formatsByZone.size >= FORMAT_LIMIT) formatsByZone.clear()
  formatsByZone.set(zone, formats)
  return formats
}

function tryFormats(zone: string): ZoneFormats | null {
  try {
    return makeFormats(zone)
  } catch {
    return null
  }
}

/** Making a formatter takes about 50 µs, using one about 2 µs. Throws when the zone does not exist. */
function makeFormats(timeZone: string): ZoneFormats {
  const date = { timeZone, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const
  return {
    time: new Intl.DateTimeFormat('en-US', { ...date, ...time }),
    hour: new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', hourCycle: 'h23' }),
    day: new Intl.DateTimeFormat('en-US', date),
  }
}
