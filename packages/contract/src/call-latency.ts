import { z } from 'zod'
import { defineDescribedObject } from './named-object.ts'

/** Response latency of a call. */

export const LatencyFigures = defineDescribedObject('LatencyFigures', 'Statistics in milliseconds.', {
  p50: z.number().describe('Median.'),
  p90: z.number(),
  p95: z.number(),
  p99: z.number(),
  min: z.number(),
  max: z.number(),
  num: z.int().describe('Number of measured turns.'),
})
export type LatencyFigures = z.infer<typeof LatencyFigures>

const NullableStats = LatencyFigures.nullable()

export const CallLatency = defineDescribedObject(
  'CallLatency',
  'Latency of the answers by part, or null for parts without measurements.',
  {
    e2e: NullableStats.describe('Time from the caller’s last voiced sample to the first audio of the answer.'),
    endOfTurn: NullableStats.describe('Silence until the turn ended.'),
    recogniser: NullableStats.describe('Time until the final transcript.'),
    retrieval: NullableStats.describe('Time to search knowledge bases.'),
    model: NullableStats.describe('Time to the first token.'),
    firstClause: NullableStats.describe('Time from the first token to the first complete clause.'),
    synthesis: NullableStats.describe('Time to the first audio.'),
    playout: NullableStats.describe('Time from the first audio to its playback.'),
  },
)
export type CallLatency = z.infer<typeof CallLatency>
