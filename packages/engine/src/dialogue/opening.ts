import type { ResponseEngine } from './conversation.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/**
 * The message that stands first in a chat, or `null` when the user opens: a `begin_message` that is blank or was never set
 * opens nothing, nor does the server of a custom LLM. Never calls a model.
 */
export function openingMessage(engine: ResponseEngine, variables: VariableLookup): string | null {
  if (engine.kind !== 'llm' || engine.beginMessage === null) return null
  const text = renderTemplate(engine.beginMessage, variables)
  return text.trim() === '' ? null : text
}
