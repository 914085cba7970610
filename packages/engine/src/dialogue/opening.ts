import type { DialogueState, ResponseEngine } from './conversation.ts'
import { flowOpening } from './flow/flow-opening.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/** The agent's opening of a chat. */
export interface Opening {
  /** One or more messages. */
  readonly texts: readonly string[]
  /** The dialogue state after the opening; `null` when the engine needs none. */
  readonly state: DialogueState | null
}

/**
 * The agent's first messages in a chat, or `null` when the user speaks first: without `begin_message`, in a flow whose start
 * node has no static text, and with a custom LLM. Never calls a model.
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

/** How a call starts: with a fixed text, a generated one, or the caller's words. */
export type CallOpening =
  | { readonly type: 'say'; readonly text: string; readonly state: DialogueState | null }
  | { readonly type: 'generate' }
  | { readonly type: 'listen' }

/** The opening of a call. An agent without fixed first words generates them. */
export function openCall(engine: ResponseEngine, variables: VariableLookup): CallOpening {
  const fixed = openConversation(engine, variables)
  if (fixed !== null) return { type: 'say', text: fixed.texts.join(' '), state: fixed.state }
  const callerSpeaksFirst =
    (engine.kind === 'llm' && engine.beginMessage !== null) ||
    (engine.kind === 'conversation-flow' && engine.startSpeaker === 'user')
  return { type: callerSpeaksFirst ? 'listen' : 'generate' }
}
