import type { DialogueState, ResponseEngine } from './conversation.ts'
import { flowOpening } from './flow/flow-opening.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/** How a chat begins when the agent opens it. */
export interface Opening {
  /** A message each; at least one. */
  readonly texts: readonly string[]
  /** The memory after it; `null` where the engine needs none. */
  readonly state: DialogueState | null
}

/**
 * The messages that stand first in a chat, or `null` when the user opens: a `begin_message` that is blank or was never set
 * opens nothing, nor does a flow whose first node is not a fixed text, nor the server of a custom LLM. Never calls a model.
 */
export function openConversation(engine: ResponseEngine, variables: VariableLookup): Opening | null {
  switch (engine.kind) {
    case 'llm': {
      const text = renderTemplate(engine.beginMessage ?? '', variables)
      return text.trim() === '' ? null : { texts: [text], state: null }
    }
    case 'conversation-flow': {
      const opening = flowOpening(engine, variables)
      if (opening === null) return null
      const { kind, id, version } = engine
      const state: DialogueState = {
        schema: 1,
        engine: { kind, id, version },
        collectedVariables: {},
        flow: opening.flow,
      }
      return { texts: opening.texts, state }
    }
    case 'custom-llm':
      return null
  }
}

/** How a call begins: with words that stand fixed, with words that are made, or with the caller's. */
export type CallOpening =
  | { readonly type: 'say'; readonly text: string; readonly state: DialogueState | null }
  | { readonly type: 'generate' }
  | { readonly type: 'listen' }

/** The same for calls, where an agent that was told no first words finds them itself. */
export function openCall(engine: ResponseEngine, variables: VariableLookup): CallOpening {
  const fixed = openConversation(engine, variables)
  if (fixed !== null) return { type: 'say', text: fixed.texts.join(' '), state: fixed.state }
  const callerSpeaksFirst =
    (engine.kind === 'llm' && engine.beginMessage !== null) ||
    (engine.kind === 'conversation-flow' && engine.startSpeaker === 'user')
  return { type: callerSpeaksFirst ? 'listen' : 'generate' }
}
