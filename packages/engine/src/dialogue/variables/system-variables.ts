import type { VariableLookup } from './variables.ts'

/** Input of system variables. */
export interface SystemVariableSources {
  /** Milliseconds since the epoch, fixed per turn so that the prompt stays stable. */
  readonly nowMs: number
  /** IANA time zone; unknown zones count as UTC. */
  readonly timezone: string
  /** Set by the driver: `session_type`, `session_duration`, `chat_id`, `call_id`, `direction`, `user_number` … */
  readonly session: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000
const CALENDAR_DAYS = 14
const ZONE_PREFIX = 'current_time_'

/**
 * Looks up system variables, computed on demand. `current_time`, `current_hour` (0–23) and `current_calendar` (today and the
 * next 13 days) use `timezone`; `current_time_[zone]` names another zone and is unset when that is unknown.
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

/** Formats the length of a session for `session_duration`: `2 minutes 5 seconds`. */
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
  // Half-day steps without repeats neither skip nor repeat a day of 23 or 25 hours.
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

/** About 420 zones exist, but templates can contain any spelling. */
const FORMAT_LIMIT = 500
const formatsByZone = new Map<string, ZoneFormats | null>()

function zoneFormats(zone: string): ZoneFormats {
  return findZone(zone) ?? findZone('UTC') ?? makeFormats('UTC')
}

/** `null` for an unknown zone, which is cached because the check is slow. */
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

/** Cached because creating a formatter takes 50 µs and using it 2 µs. Throws for an unknown zone. */
function makeFormats(timeZone: string): ZoneFormats {
  const date = { timeZone, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const
  return {
    time: new Intl.DateTimeFormat('en-US', { ...date, ...time }),
    hour: new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', hourCycle: 'h23' }),
    day: new Intl.DateTimeFormat('en-US', date),
  }
}
