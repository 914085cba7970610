import { z } from 'zod'
import { id, integer, Timezone } from './fields.ts'

/** Routing of calls by time of day and weekday. */

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const Weekday = z.enum(WEEKDAYS)

const MAX_WINDOWS = 50

const TIMEZONE = { description: 'IANA time zone of all windows.' }
const WINDOWS = {
  description: 'Time windows and their agents. If windows overlap, the first one applies.',
}
const AGENT_VERSION = { description: 'Version of the agent. If null, the active version is used.' }
const FALLBACK = { description: 'ID of the agent outside all windows, or null.' }
const START = { description: 'Start of the window in local time, `HH:MM` (inclusive).' }
const END = { description: 'End of the window in local time, `HH:MM` (exclusive). `24:00` is the end of the day.' }

export const TimeRouting = z
  .object({
    timezone: z.string().meta(TIMEZONE),
    windows: z
      .array(
        z.object({
          days: z.array(Weekday),
          start: z.string().meta(START),
          end: z.string().meta(END),
          agent_id: z.string(),
          agent_version: z.int().nullable().meta(AGENT_VERSION),
        }),
      )
      .meta(WINDOWS),
    fallback_agent_id: z.string().nullable().meta(FALLBACK),
  })
  .meta({ id: 'TimeRouting' })
export type TimeRouting = z.infer<typeof TimeRouting>

const WindowInput = z
  .object({
    days: z
      .array(Weekday)
      .min(1)
      .max(WEEKDAYS.length)
      .refine((days) => new Set(days).size === days.length, { error: 'must contain each day only once' })
      .meta({ description: 'Weekdays of the window.' }),
    start: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time from "00:00" to "23:59"')
      .meta(START),
    end: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time from "00:01" to "24:00"')
      .meta(END),
    agent_id: id().meta({ description: 'ID of the agent in the window.' }),
    agent_version: integer(1).nullable().default(null).meta(AGENT_VERSION),
  })
  .refine(({ start, end }) => start < end, {
    path: ['end'],
    error: 'must be later than "start"; split hours across midnight into two windows',
  })

/** Time routing in a body. If windows overlap, the first one applies. */
export const TimeRoutingInput = z
  .object({
    timezone: Timezone.meta(TIMEZONE),
    windows: z.array(WindowInput).max(MAX_WINDOWS).meta(WINDOWS),
    fallback_agent_id: id().nullable().default(null).meta(FALLBACK),
  })
  .meta({ id: 'TimeRoutingInput', description: 'If windows overlap, the first one applies.' })
