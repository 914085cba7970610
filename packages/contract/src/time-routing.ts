import { z } from 'zod'
import { id, integer, Timezone } from './fields.ts'

/** Which agent answers a number at which hours of the week. */

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const Weekday = z.enum(WEEKDAYS)

const MAX_WINDOWS = 50

const TIMEZONE = { description: 'IANA time zone of all windows.' }
const WINDOWS = {
  description: 'Hours of the week and who answers in them; of those that overlap the first one counts.',
}
const AGENT_VERSION = { description: 'Calls stay on this version; null follows the active one.' }
const FALLBACK = { description: 'Answers outside of all windows; null for none.' }
const START = { description: 'Local time `HH:MM`, included.' }
const END = { description: 'Local time `HH:MM`, not included; `24:00` is the end of the day.' }

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
      .refine((days) => new Set(days).size === days.length, { error: 'must name each day once' })
      .meta({ description: 'Days of the week that have the window.' }),
    start: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time from "00:00" to "23:59"')
      .meta(START),
    end: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time from "00:01" to "24:00"')
      .meta(END),
    agent_id: id().meta({ description: 'Agent of the workspace that answers in the window.' }),
    agent_version: integer(1).nullable().default(null).meta(AGENT_VERSION),
  })
  .refine(({ start, end }) => start < end, {
    path: ['end'],
    error: 'must be later than "start"; hours across midnight are two windows',
  })

/** As bodies carry it. Of windows that overlap the first one counts. */
export const TimeRoutingInput = z
  .object({
    timezone: Timezone.meta(TIMEZONE),
    windows: z.array(WindowInput).max(MAX_WINDOWS).meta(WINDOWS),
    fallback_agent_id: id().nullable().default(null).meta(FALLBACK),
  })
  .meta({ id: 'TimeRoutingInput', description: 'Of windows that overlap the first one counts.' })
