import type { EngineSource } from '../../kernel/engine-source.ts'
import { createEngineSource } from '../../kernel/stored-engine-source.ts'
import type { FlowDefinition } from './flow-definition.ts'

/** How other features read and freeze conversation flows. */
export function createFlowSource(): EngineSource<FlowDefinition> {
  return createEngineSource('conversation-flow')
}
