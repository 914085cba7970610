import type { DialogueEvent, FlowEngine } from '../conversation.ts'
import type { EngineEnd } from '../respond.ts'
import type { Turn } from '../turn.ts'

/** One turn of a conversation flow. */
export async function* runFlowTurn(_turn: Turn, _engine: FlowEngine): AsyncGenerator<DialogueEvent, EngineEnd> {
  // Being written.
  return { type: 'over' }
}
