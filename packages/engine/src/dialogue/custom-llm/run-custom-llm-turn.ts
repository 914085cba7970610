import type { CustomLlmEngine, DialogueEvent } from '../conversation.ts'
import type { EngineEnd } from '../respond.ts'
import type { Turn } from '../turn.ts'

/** One turn of an engine that a customer's own server is. (Being written by whoever owns this folder: return an EngineEnd; respond.ts yields the turn-end of a completed turn and the end action.) */
export async function* runCustomLlmTurn(_turn: Turn, _engine: CustomLlmEngine): AsyncGenerator<DialogueEvent, EngineEnd> {
  return { type: 'over' }
}
