import { z } from 'zod'

/** How long callers waited for answers in a call. */

export const LatencyFigures = z
  .object({
    p50: z.number(),
    p90: z.number(),
    p95: z.number(),
    p99: z.number(),
    min: z.number(),
    max: z.number(),
    num: z.int().meta({ description: 'Turns that were measured.' }),
  })
  .meta({ id: 'LatencyFigures', description: 'Milliseconds.' })
export type LatencyFigures = z.infer<typeof LatencyFigures>

const NullableStats = LatencyFigures.nullable()

export const CallLatency = z
  .object({
    e2e: NullableStats.meta({
      description: 'From the last voiced sample of the caller to the first sound of the answer.',
    }),
    endOfTurn: NullableStats.meta({ description: 'Silence that was waited for until the turn counted as over.' }),
    recogniser: NullableStats,
    retrieval: NullableStats,
    model: NullableStats.meta({ description: 'Until the first token.' }),
    firstClause: NullableStats,
    synthesis: NullableStats.meta({ description: 'Until the first sound.' }),
    playout: NullableStats,
  })
  .meta({
    id: 'CallLatency',
    description: 'Where the time between words and answers went; null where nothing was measured.',
  })
export type CallLatency = z.infer<typeof CallLatency>
