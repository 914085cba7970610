import { z } from 'zod'

/** Response latency of a call. */

export const LatencyFigures = z
  .object({
    p50: z.number(),
    p90: z.number(),
    p95: z.number(),
    p99: z.number(),
    min: z.number(),
    max: z.number(),
    num: z.int().meta({ description: 'Number of measured turns.' }),
  })
  .meta({ id: 'LatencyFigures', description: 'Statistics in milliseconds.' })
export type LatencyFigures = z.infer<typeof LatencyFigures>

const NullableStats = LatencyFigures.nullable()

export const CallLatency = z
  .object({
    e2e: NullableStats.meta({
      description: 'Time from the caller’s last voiced sample to the first audio of the answer.',
    }),
    endOfTurn: NullableStats.meta({ description: 'Silence until the turn ended.' }),
    recogniser: NullableStats,
    retrieval: NullableStats,
    model: NullableStats.meta({ description: 'Time to the first token.' }),
    firstClause: NullableStats,
    synthesis: NullableStats.meta({ description: 'Time to the first audio.' }),
    playout: NullableStats,
  })
  .meta({
    id: 'CallLatency',
    description: 'Latency of the answers by part; null where nothing was measured.',
  })
export type CallLatency = z.infer<typeof CallLatency>
