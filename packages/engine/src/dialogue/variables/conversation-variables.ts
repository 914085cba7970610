import type { Conversation, ResponseEngine } from '../conversation.ts'
import { createSystemVariables } from './system-variables.ts'
import { mergeVariables, type VariableLookup } from './variables.ts'

/** Sources of a conversation's variables. */
export interface ConversationVariableSources {
  readonly engine: ResponseEngine
  readonly variables: Conversation['variables']
  readonly collected: Readonly<Record<string, string>>
  readonly timezone: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/** Merges all variables of a conversation at a point in time. */
export function mergeConversationVariables(sources: ConversationVariableSources): VariableLookup {
  const { engine, variables, collected, timezone, nowMs } = sources
  return mergeVariables({
    system: createSystemVariables({ nowMs, timezone, session: variables.system }),
    engineDefaults: engine.defaultVariables,
    given: variables.given,
    collected,
    override: variables.override,
  })
}
