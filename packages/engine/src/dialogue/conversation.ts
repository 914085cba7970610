import type { Tool } from '@parley/contract/tools'
import type { Clock, HttpToolClient, JsonObject, MakeId, ModelFailure, ModelUsage, ResolveModel } from '../ports.ts'

/** A tool call under our own id (models reuse theirs). `argumentsText` is what the model wrote. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** One message of a conversation's history, as drivers store it. */
export type HistoryMessage =
  | { readonly role: 'user' | 'system'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly content: string }

/** The `llm` response engine at one frozen version. */
export interface LlmEngine {
  readonly kind: 'llm'
  readonly id: string
  readonly version: number
  /** As configured; resolved through `ResolveModel`. */
  readonly model: string
  readonly generalPrompt: string
  readonly beginMessage: string | null
  readonly tools: readonly Tool[]
  readonly temperature: number | null
  readonly defaultVariables: Readonly<Record<string, string>>
}

/** The engines that exist. Conversation flows and custom LLMs join with later versions. */
export type ResponseEngine = LlmEngine

/**
 * The dialogue's own memory: a plain serialisable value, written with every turn, so that a conversation survives a restart
 * and can be rewound. `schema` grows when its shape changes.
 */
export interface DialogueState {
  readonly schema: 1
  readonly engine: { readonly kind: ResponseEngine['kind']; readonly id: string; readonly version: number }
  /** Collected during the conversation: response variables, extractions. */
  readonly collectedVariables: Readonly<Record<string, string>>
}

/** Variables by origin; `mergeVariables` applies their precedence. */
export interface VariableSources {
  readonly system: Readonly<Record<string, string>>
  readonly given: Readonly<Record<string, string>>
  readonly override: Readonly<Record<string, string>>
}

/** Everything one turn starts from. Drivers build it; the engine never changes it. */
export interface Conversation {
  readonly engine: ResponseEngine
  /** `null` before the first turn. */
  readonly state: DialogueState | null
  /** Oldest first, without the input of this turn. */
  readonly history: readonly HistoryMessage[]
  readonly variables: VariableSources
  /** IANA zone of `{{current_time}}`. */
  readonly timezone: string
  /** Models to try when the engine's own fails before its first token. */
  readonly fallbackModels: readonly string[]
  /** Said when all models fail; `null` lets the turn fail. */
  readonly fallbackMessage: string | null
  /** What custom tools are told of the conversation: `{chat: {...}}` or `{call: {...}}`. */
  readonly toolContext: JsonObject
}

/** `continue` answers the user's message that already ends the history (after a failure or a crash). */
export type TurnInput = { readonly type: 'user-message'; readonly content: string } | { readonly type: 'continue' }

export interface DialogueDependencies {
  readonly resolveModel: ResolveModel
  readonly httpTools: HttpToolClient
  readonly clock: Clock
  readonly makeId: MakeId
  readonly deadlines: ModelDeadlines
}

/** Upper bounds of one generation, in milliseconds. */
export interface ModelDeadlines {
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** Something the driver must do once the turn's text is delivered. */
export type DialogueAction = { readonly type: 'end'; readonly reason: string }

/** Why something was decided; stored with the turn and shown to the builder of the agent. */
export type Explanation =
  | { readonly type: 'model-retry'; readonly model: string; readonly failure: ModelFailure }
  | {
      readonly type: 'model-fallback'
      readonly from: string
      readonly to: string
      readonly failure: ModelFailure | null
    }
  | { readonly type: 'fallback-message'; readonly failure: ModelFailure | null }
  | { readonly type: 'history-trimmed'; readonly droppedTurns: number }
  | { readonly type: 'blank-answer'; readonly model: string }
  | { readonly type: 'tool-limit'; readonly steps: number }

/**
 * What happens in a turn, in order. A message's text streams as `text-delta`s and is closed by one `message-end`; the driver
 * stores it before it asks for the next event, so that a tool call is on record before it is sent.
 */
export type DialogueEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | {
      readonly type: 'message-end'
      readonly content: string
      readonly toolCalls: readonly ToolCall[]
      /** The stream died after its first token: the text is what was received. */
      readonly incomplete: boolean
    }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly name: string
      /** What the model sees (at most 15,000 characters). */
      readonly content: string
      /** The whole result, when it was longer. */
      readonly fullContent: string
      readonly ok: boolean
      readonly durationMs: number
    }
  /** Comes before the `tool-result` that it was taken from, so that both can be stored together. */
  | { readonly type: 'variables-collected'; readonly variables: Readonly<Record<string, string>> }
  | { readonly type: 'action'; readonly action: DialogueAction }
  | { readonly type: 'usage'; readonly model: string; readonly usage: ModelUsage }
  | { readonly type: 'explanation'; readonly explanation: Explanation }
  | TurnEnd

/** The last event of every turn that was not cancelled. A cancelled turn ends without it, after the `message-end` of its partial text. */
export type TurnEnd =
  | { readonly type: 'turn-end'; readonly outcome: 'completed'; readonly state: DialogueState }
  | {
      readonly type: 'turn-end'
      readonly outcome: 'failed'
      readonly state: DialogueState
      readonly failure: ModelFailure
    }
