import { z } from 'zod'
import { integer } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { defineDescribedObject } from './named-object.ts'

/** Conversation state inside an engine, which playground clients pass back unchanged. */

const NodeLocation = z.object({ nodeId: FlowPartId, path: z.array(FlowPartId).max(20) })
const CountMap = z.record(z.string().max(3000), integer(0))

const FlowPosition = z.object({
  ...NodeLocation.shape,
  phase: z.enum(['entering', 'listening']),
  origins: z.array(NodeLocation).max(50),
  visits: CountMap,
  transitions: integer(0),
  globalEntries: CountMap,
})

export const PlaygroundState = defineDescribedObject(
  'PlaygroundState',
  'Conversation state from a previous response. Pass it back unchanged.',
  {
    collectedVariables: z.record(z.string().max(200), z.string()),
    stateName: z.string().max(100).nullable(),
    flow: FlowPosition.nullable(),
    approvals: z.array(z.object({ toolName: z.string().max(200), args: z.record(z.string(), z.unknown()) })).max(20),
  },
)
export type PlaygroundState = z.output<typeof PlaygroundState>
