import { z } from 'zod'
import { id, integer, Timezone } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'

/** Routing of calls by time of day and weekday. */

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const Weekday = z.enum(WEEKDAYS)

const MAX_WINDOWS = 50

const TIMEZONE = 'IANA time zone of all windows.'
const WINDOWS = 'Time windows and their agents. If windows overlap, the first matching window applies.'
const AGENT_VERSION = 'Version of the agent. If null, the active version is used.'
const FALLBACK = 'ID of the agent that answers outside all windows, or null if there is none.'
const START = 'Start of the window in local time, `HH:MM` (inclusive).'
const END = 'End of the window in local time, `HH:MM` (exclusive). `24:00` is the end of the day.'

export const TimeRouting = defineObject('TimeRouting', {
  timezone: z.string().describe(TIMEZONE),
  windows: z
    .array(
      z.object({
        days: z.array(Weekday),
        start: z.string().describe(START),
        end: z.string().describe(END),
        agent_id: z.string(),
        agent_version: z.int().nullable().describe(AGENT_VERSION),
      }),
    )
    .describe(WINDOWS),
  fallback_agent_id: z.string().nullable().describe(FALLBACK),
})
export type TimeRouting = z.infer<typeof TimeRouting>

const WindowInput = z
  .object({
    days: z
      .array(Weekday)
      .min(1)
      .max(WEEKDAYS.length)
      .refine((weekdays) => new Set(weekdays).size === weekdays.length, { error: 'must contain each day only once' })
      .describe('Weekdays of the window.'),
    start: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time from "00:00" to "23:59"')
      .describe(START),
    end: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time from "00:01" to "24:00"')
      .describe(END),
    agent_id: id().describe('ID of the agent that answers in the window.'),
    agent_version: integer(1).nullable().default(null).describe(AGENT_VERSION),
  })
  .refine(({ start, end }) => start < end, {
    path: ['end'],
    error: 'must be later than "start"; split hours across midnight into two windows',
  })

/** Time routing in a body. If windows overlap, the first matching window applies. */
export const TimeRoutingInput = defineDescribedObject(
  'TimeRoutingInput',
  'If windows overlap, the first matching window applies.',
  {
    timezone: Timezone.describe(TIMEZONE),
    windows: z.array(WindowInput).max(MAX_WINDOWS).describe(WINDOWS),
    fallback_agent_id: id().nullable().default(null).describe(FALLBACK),
  },
)
