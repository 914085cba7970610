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

const Part = LatencyFigures.nullable()

export const CallLatency = z
  .object({
    e2e: Part.meta({ description: 'From the last voiced sample of the caller to the first sound of the answer.' }),
    endOfTurn: Part.meta({ description: 'Silence that was waited for until the turn counted as over.' }),
    recogniser: Part,
    retrieval: Part,
    model: Part.meta({ description: 'Until the first token.' }),
    firstClause: Part,
    synthesis: Part.meta({ description: 'Until the first sound.' }),
    playout: Part,
  })
  .meta({
    id: 'CallLatency',
    description: 'Where the time between words and answers went; null where nothing was measured.',
  })
export type CallLatency = z.infer<typeof CallLatency>
