import type { VariableLookup } from './variables.ts'

/** Sources of system variables. */
export interface SystemVariableSources {
  /** Milliseconds since the epoch, fixed per turn so that the prompt stays stable. */
  readonly nowMs: number
  /** IANA time zone. Unknown zones count as UTC. */
  readonly timezone: string
  /** Variables that the driver sets: `session_type`, `session_duration`, `chat_id`, `call_id`, `direction`, `user_number` … */
  readonly session: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000
const CALENDAR_DAYS = 14
const ZONE_PREFIX = 'current_time_'

/**
 * Creates a lookup that computes system variables on demand. `current_time`, `current_hour` (0–23) and `current_calendar`
 * (today and the next 13 days) use `timezone`. `current_time_[zone]` uses the named zone and is unset if the zone is unknown.
 */
export function createSystemVariables(sources: SystemVariableSources): VariableLookup {
  const { nowMs, session } = sources
  return (name) => {
    if (Object.hasOwn(session, name)) return session[name]
    if (!name.startsWith('current_')) return undefined
    switch (name) {
      case 'current_time':
        return getZoneFormats(sources.timezone).time.format(nowMs)
      case 'current_hour':
        return String(Number(getZoneFormats(sources.timezone).hour.format(nowMs)))
      case 'current_calendar':
        return formatCalendar(nowMs, getZoneFormats(sources.timezone).day)
      default:
        return name.startsWith(ZONE_PREFIX) ? findZone(name.slice(ZONE_PREFIX.length))?.time.format(nowMs) : undefined
    }
  }
}

/** Formats a session's duration for `session_duration`, such as `2 minutes 5 seconds`. */
export function describeDuration(durationMs: number): string {
  const totalSeconds = Math.max(0, Math.floor(durationMs / 1000))
  const hours = Math.floor(totalSeconds / 3600)
  const minutes = Math.floor((totalSeconds % 3600) / 60)
  const seconds = totalSeconds % 60
  const parts = [formatCount(hours, 'hour'), formatCount(minutes, 'minute'), formatCount(seconds, 'second')].filter(
    (part) => part !== '',
  )
  return parts.length === 0 ? '0 seconds' : parts.join(' ')
}

function formatCount(amount: number, unit: string): string {
  if (amount === 0) return ''
  return amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`
}

function formatCalendar(nowMs: number, format: Intl.DateTimeFormat): string {
  const days: string[] = []
  // Advance by half days and skip duplicates, because days with a time change last 23 or 25 hours.
  for (let timeMs = nowMs; days.length < CALENDAR_DAYS; timeMs += DAY_MS / 2) {
    const day = format.format(timeMs)
    if (days.at(-1) !== day) days.push(day)
  }
  return days.map((day, index) => (index === 0 ? `${day} (today)` : day)).join('\n')
}

interface ZoneFormats {
  readonly time: Intl.DateTimeFormat
  readonly hour: Intl.DateTimeFormat
  readonly day: Intl.DateTimeFormat
}

/** Maximum number of cached formats. About 420 zones exist, but templates can contain any spelling. */
const FORMAT_LIMIT = 500
const formatsByZone = new Map<string, ZoneFormats | null>()

function getZoneFormats(zone: string): ZoneFormats {
  return findZone(zone) ?? findZone('UTC') ?? createFormats('UTC')
}

/** Returns a zone's formats, or `null` for an unknown zone. Results are cached, because the lookup is slow. */
function findZone(zone: string): ZoneFormats | null {
  const cachedFormats = formatsByZone.get(zone)
  if (cachedFormats !== undefined) return cachedFormats
  if (zone === '' || zone.length > 64) return null
  const formats = tryCreateFormats(zone)
  if (formatsByZone.size >= FORMAT_LIMIT) formatsByZone.clear()
  formatsByZone.set(zone, formats)
  return formats
}

function tryCreateFormats(zone: string): ZoneFormats | null {
  try {
    return createFormats(zone)
  } catch {
    return null
  }
}

/** Creates a zone's formatters. Throws for an unknown zone. */
function createFormats(timeZone: string): ZoneFormats {
  const date = { timeZone, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const
  return {
    time: new Intl.DateTimeFormat('en-US', { ...date, ...time }),
    hour: new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', hourCycle: 'h23' }),
    day: new Intl.DateTimeFormat('en-US', date),
  }
}
