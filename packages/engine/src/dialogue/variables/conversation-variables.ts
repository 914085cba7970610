import type { Conversation, ResponseEngine } from '../conversation.ts'
import { systemVariables } from './system-variables.ts'
import { mergeVariables, type VariableLookup } from './variables.ts'

/** Input of `conversationVariables`. */
export interface ConversationVariableSources {
  readonly engine: ResponseEngine
  readonly variables: Conversation['variables']
  readonly collected: Readonly<Record<string, string>>
  readonly timezone: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/** All variables of a conversation at one moment. */
export function conversationVariables(sources: ConversationVariableSources): VariableLookup {
  const { engine, variables, collected, timezone, nowMs } = sources
  return mergeVariables({
    system: systemVariables({ nowMs, timezone, session: variables.system }),
    engineDefaults: engine.defaultVariables,
    given: variables.given,
    collected,
    override: variables.override,
  })
}
