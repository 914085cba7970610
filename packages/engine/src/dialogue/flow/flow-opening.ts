import type { FlowEngine, FlowPosition } from '../conversation.ts'
import type { VariableLookup } from '../variables/variables.ts'

/** (Placeholder of the maintainer: whoever owns this folder writes it.) */
export function flowOpening(
  _engine: FlowEngine,
  _lookup: VariableLookup,
): { readonly text: string; readonly flow: FlowPosition } | null {
  return null
}
