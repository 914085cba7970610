import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import type { LlmState } from '@parley/contract/llm-state'
import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { Tool } from '@parley/contract/tools'
import type {
  Clock,
  CodeRunner,
  CustomLlmClient,
  HttpToolClient,
  JsonObject,
  KnowledgeSearch,
  MakeId,
  McpClient,
  ModelFailure,
  ModelUsage,
  OutgoingSms,
  ResolveModel,
  SecretReader,
  SmsOutcome,
  SmsSender,
} from '../ports.ts'
import type { Channel } from './channel.ts'
import type { ExplanationEvent } from './explanation.ts'
import type { KnowledgeUse } from './knowledge/knowledge-use.ts'
import type { VariableUpdates } from './variables/variable-updates.ts'
import type { VariableOverrides } from './variables/variables.ts'

/** A tool call with an id of the engine, since models reuse theirs. `argumentsText` is the model's raw output. */
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
  /** Configured name, resolved by `ResolveModel`. */
  readonly model: string
  readonly generalPrompt: string
  readonly beginMessage: string | null
  readonly tools: readonly Tool[]
  readonly mcps: readonly McpServerSetting[]
  /** Empty: the general prompt is used alone. */
  readonly states: readonly LlmState[]
  /** `null`: the first state. */
  readonly startingState: string | null
  readonly temperature: number | null
  readonly knowledge: KnowledgeUse
  readonly defaultVariables: Readonly<Record<string, string>>
}

/** A graph of nodes: a flow, or a component that one of its nodes runs. */
export interface FlowGraph {
  readonly startNodeId: string
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
  readonly mcps: readonly McpServerSetting[]
}

/** The `conversation-flow` response engine at one frozen version. */
export interface FlowEngine extends FlowGraph {
  readonly kind: 'conversation-flow'
  readonly id: string
  readonly version: number
  readonly model: string
  readonly temperature: number | null
  readonly globalPrompt: string
  readonly startSpeaker: 'agent' | 'user'
  /** Maximum number of transitions per turn that cost a model call or a tool, without the user. */
  readonly maxHopsPerTurn: number
  /** Default for nodes without their own knowledge bases. */
  readonly knowledge: KnowledgeUse
  /** All components, local, shared and nested, by id. */
  readonly components: Readonly<Record<string, FlowGraph>>
  readonly defaultVariables: Readonly<Record<string, string>>
}

/** The `custom-llm` response engine: the customer's server answers. It has no id and no versions. */
export interface CustomLlmEngine {
  readonly kind: 'custom-llm'
  readonly id: null
  readonly version: null
  readonly url: string
  readonly defaultVariables: Readonly<Record<string, string>>
}

export type ResponseEngine = LlmEngine | FlowEngine | CustomLlmEngine

/** A place in a flow: a node and the enclosing `component` nodes, outermost first. */
export interface FlowPlace {
  readonly nodeId: string
  readonly path: readonly string[]
}

/** The current place in a flow and the history that later decisions need. */
export interface FlowPosition extends FlowPlace {
  /** `entering`: the node has not finished its work; `listening`: it has, and the user's words decide. */
  readonly phase: 'entering' | 'listening'
  /** Places that go-back conditions lead to, latest last. */
  readonly origins: readonly FlowPlace[]
  /** How often each place was entered, by `placeKey`. */
  readonly visits: Readonly<Record<string, number>>
  /** Number of transitions so far. */
  readonly transitions: number
  /** Transition number at which each global node was last entered through its condition, by `placeKey`. */
  readonly globalEntries: Readonly<Record<string, number>>
  /** Number of messages when the node was entered; later messages belong to the node. */
  readonly messagesBefore?: number
}

/**
 * Serializable dialogue state, written with every turn, so that a conversation survives a restart and can be rewound.
 * `schema` grows when the shape changes.
 */
export interface DialogueState {
  readonly schema: 1
  readonly engine: {
    readonly kind: ResponseEngine['kind']
    readonly id: string | null
    readonly version: number | null
  }
  /** From response variables and extractions. */
  readonly collectedVariables: Readonly<Record<string, string>>
  /** The agent after a handover; absent while the first agent is in charge. */
  readonly agent?: { readonly agentId: string; readonly agentVersion: number }
  /** The current state of an `llm` engine with states. */
  readonly stateName?: string
  /** For flows; absent until the first node is entered. */
  readonly flow?: FlowPosition
  /** MCP tool calls that wait for the user's approval. */
  readonly approvals?: readonly PendingApproval[]
}

/** A call that may run after the user approves it. */
export interface PendingApproval {
  readonly toolName: string
  /** The model's arguments; a repeated call must have the same ones. */
  readonly args: JsonObject
}

/** The result of a tool in a test; the tool itself does not run. */
export interface ToolMock {
  readonly toolName: string
  /** `null` matches any call; otherwise the call must have these arguments among its own. */
  readonly args: JsonObject | null
  readonly output: string
  /** Whether the call succeeds. */
  readonly ok: boolean
}

/** Variables by origin; `mergeVariables` applies their precedence. */
export interface VariableSources {
  readonly system: Readonly<Record<string, string>>
  readonly given: Readonly<Record<string, string>>
  readonly override: VariableOverrides
}

/** Input of one turn. Drivers build it; the engine never changes it. */
export interface Conversation {
  readonly engine: ResponseEngine
  /** Decides which tools and nodes work. */
  readonly channel: Channel
  /** `null` before the first turn. */
  readonly state: DialogueState | null
  /** The newest messages, oldest first, without this turn's input. */
  readonly history: readonly HistoryMessage[]
  /** Number of older messages that `history` omits. */
  readonly omittedMessages?: number
  readonly variables: VariableSources
  /** IANA zone of `{{current_time}}`. */
  readonly timezone: string
  /** Models to try when the engine's model fails before its first token. */
  readonly fallbackModels: readonly string[]
  /** Said when all models fail; `null` lets the turn fail. */
  readonly fallbackMessage: string | null
  /** Conversation details for custom tools: `{chat: {...}}` or `{call: {...}}`. */
  readonly toolContext: JsonObject
  /** Metadata that the customer stored with the conversation; `code` tools read it. */
  readonly metadata: JsonObject
  /** Chat or call id. */
  readonly conversationId: string
  /** Index of the first model to try among the engine's model and its fallbacks; earlier ones were too slow. */
  readonly firstModel?: number
  /** Replace tools in tests. */
  readonly toolMocks?: readonly ToolMock[]
}

/**
 * `continue` answers the user's message at the end of the history, after a failure or a crash. `unprompted`: the agent speaks
 * without user input, in calls.
 */
export type TurnInput =
  | { readonly type: 'user-message'; readonly content: string }
  | { readonly type: 'continue' }
  | { readonly type: 'unprompted'; readonly reason: UnpromptedReason }

/** `opening`: the call starts. `reminder`: the user has been silent. `update`: the last message is an update from outside. */
export type UnpromptedReason = 'opening' | 'reminder' | 'update'

export interface DialogueDependencies {
  readonly resolveModel: ResolveModel
  readonly httpTools: HttpToolClient
  readonly code: CodeRunner
  readonly mcp: McpClient
  readonly secrets: SecretReader
  readonly customLlm: CustomLlmClient
  readonly sms: SmsSender
  readonly knowledge: KnowledgeSearch
  readonly agents: AgentLoader
  readonly clock: Clock
  readonly makeId: MakeId
  readonly deadlines: ModelDeadlines
}

/** The settings of an agent that takes over a conversation. */
export interface LoadedAgent {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engine: ResponseEngine
  readonly timezone: string
  readonly fallbackModels: readonly string[]
  readonly fallbackMessage: string | null
}

/** Loads the agent of a handover at a fixed version. Never rejects. */
export interface AgentLoader {
  /** `null` loads the live version. `message`: a sentence for the model on why the handover failed. */
  load(
    agentId: string,
    agentVersion: number | null,
  ): Promise<{ readonly ok: true; readonly agent: LoadedAgent } | { readonly ok: false; readonly message: string }>
}

/** Deadlines of one generation, in milliseconds. */
export interface ModelDeadlines {
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** An action that the driver must perform. */
export type DialogueAction =
  /** After the turn's text is delivered. */
  | { readonly type: 'end'; readonly reason: 'agent_ended' }
  /** The new agent takes over within this turn. */
  | {
      readonly type: 'agent-swap'
      readonly agent: Pick<LoadedAgent, 'agentId' | 'agentVersion' | 'agentName'>
      readonly settings: SwapSettings
    }
  /** Already sent or refused; the driver stores it. */
  | { readonly type: 'send-sms'; readonly message: OutgoingSms; readonly outcome: SmsOutcome }

/** Settings of a handover for analysis and webhooks. */
export interface SwapSettings {
  readonly analysis: 'both_agents' | 'only_destination_agent'
  readonly webhooks: 'both_agents' | 'only_destination_agent' | 'only_source_agent'
}

/** Type of a transition between two nodes. */
export type TransitionType = 'normal' | 'global' | 'global_go_back'

/**
 * Events of a turn, in order. The text of a message streams as `text-delta`s until `message-end`; the driver stores the message
 * before it requests the next event, so that a tool call is on record before it is sent.
 */
export type DialogueEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | {
      readonly type: 'message-end'
      readonly content: string
      readonly toolCalls: readonly ToolCall[]
      /** The stream failed after its first token; `content` is the received part. */
      readonly incomplete: boolean
    }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly name: string
      /** What the model sees, at most 15,000 characters. */
      readonly content: string
      /** The untruncated result. */
      readonly fullContent: string
      readonly ok: boolean
      readonly durationMs: number
    }
  /** Precedes its `tool-result`, so that both can be stored together. */
  | { readonly type: 'variables-collected'; readonly variables: VariableUpdates }
  /**
   * A transition between nodes of a flow or states of an `llm` engine. The driver stores it with `state` before it requests the
   * next event, so that later messages never precede it.
   */
  | {
      readonly type: 'node-transition'
      /** `null`: the conversation starts here. */
      readonly from: TransitionEnd | null
      readonly to: TransitionEnd
      readonly transitionType: TransitionType
      readonly state: DialogueState
    }
  | { readonly type: 'state-transition'; readonly from: string; readonly to: string; readonly state: DialogueState }
  /** `state`: the new dialogue state, if the action changes it. */
  | { readonly type: 'action'; readonly action: DialogueAction; readonly state?: DialogueState }
  | { readonly type: 'usage'; readonly model: string; readonly usage: ModelUsage }
  | ExplanationEvent
  | TurnEnd

/** A node in a transition. */
export interface TransitionEnd {
  readonly nodeId: string
  /** Enclosing `component` nodes, outermost first. */
  readonly path: readonly string[]
  /** `''` for an unnamed node. */
  readonly nodeName: string
}

/** The last event of a turn. A cancelled turn ends without it, after the `message-end` of its partial text. */
export type TurnEnd =
  | { readonly type: 'turn-end'; readonly outcome: 'completed'; readonly state: DialogueState }
  | {
      readonly type: 'turn-end'
      readonly outcome: 'failed'
      readonly state: DialogueState
      readonly failure: ModelFailure
    }
