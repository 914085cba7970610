import type { DialogueState, ResponseEngine } from './conversation.ts'
import { buildFlowOpening } from './flow/flow-opening.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/** The agent's opening messages in a chat. */
export interface Opening {
  /** At least one message. */
  readonly texts: readonly string[]
  /** The dialogue state after the opening, or `null` if the engine needs none. */
  readonly state: DialogueState | null
}

/**
 * Returns the agent's first messages in a chat, or `null` if the user speaks first. The user speaks first without
 * `begin_message`, in a flow with no static text in its start node, and with a custom LLM. Never calls a model.
 */
export function openConversation(engine: ResponseEngine, variables: VariableLookup): Opening | null {
  switch (engine.kind) {
    case 'llm': {
      const text = renderTemplate(engine.beginMessage ?? '', variables)
      return text.trim() === '' ? null : { texts: [text], state: null }
    }
    case 'conversation-flow': {
      const opening = buildFlowOpening(engine, variables)
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

/** The start of a call: a fixed text, a generated text, or the caller's words. */
export type CallOpening =
  | { readonly type: 'say'; readonly text: string; readonly state: DialogueState | null }
  | { readonly type: 'generate' }
  | { readonly type: 'listen' }

/** Returns a call's opening. An agent without fixed first words generates them. */
export function openCall(engine: ResponseEngine, variables: VariableLookup): CallOpening {
  const opening = openConversation(engine, variables)
  if (opening !== null) return { type: 'say', text: opening.texts.join(' '), state: opening.state }
  const callerSpeaksFirst =
    (engine.kind === 'llm' && engine.beginMessage !== null) ||
    (engine.kind === 'conversation-flow' && engine.startSpeaker === 'user')
  return { type: callerSpeaksFirst ? 'listen' : 'generate' }
}
