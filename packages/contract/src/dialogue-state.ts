import { z } from 'zod'
import { integer } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { defineDescribedObject } from './named-object.ts'

/** Conversation state inside an engine, which playground clients pass back unchanged. */

const Place = z.object({ nodeId: FlowPartId, path: z.array(FlowPartId).max(20) })
const counts = z.record(z.string().max(3000), integer(0))

const Position = z.object({
  ...Place.shape,
  phase: z.enum(['entering', 'listening']),
  origins: z.array(Place).max(50),
  visits: counts,
  transitions: integer(0),
  globalEntries: counts,
})

export const PlaygroundState = defineDescribedObject(
  'PlaygroundState',
  'State from a previous response. Pass the state back unchanged.',
  {
    collectedVariables: z.record(z.string().max(200), z.string()),
    stateName: z.string().max(100).nullable(),
    flow: Position.nullable(),
    approvals: z.array(z.object({ toolName: z.string().max(200), args: z.record(z.string(), z.unknown()) })).max(20),
  },
)
export type PlaygroundState = z.output<typeof PlaygroundState>
