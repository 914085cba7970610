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

/** A tool call with an engine-assigned ID, because models reuse IDs. `argumentsText` is the model's raw output. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** A message in a conversation's history, as drivers store it. */
export type HistoryMessage =
  | { readonly role: 'user' | 'system'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly content: string }

/** A frozen version of an `llm` response engine. */
export interface LlmEngine {
  readonly kind: 'llm'
  readonly id: string
  readonly version: number
  /** Configured model name, resolved by `ResolveModel`. */
  readonly model: string
  readonly generalPrompt: string
  readonly beginMessage: string | null
  readonly tools: readonly Tool[]
  readonly mcps: readonly McpServerSetting[]
  /** The engine's states. If empty, only the general prompt is used. */
  readonly states: readonly LlmState[]
  /** Name of the starting state, or `null` for the first one. */
  readonly startingState: string | null
  readonly temperature: number | null
  readonly knowledge: KnowledgeUse
  readonly defaultVariables: Readonly<Record<string, string>>
}

/** A graph of nodes: a flow, or a component that a node runs. */
export interface FlowGraph {
  readonly startNodeId: string
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
  readonly mcps: readonly McpServerSetting[]
}

/** A frozen version of a `conversation-flow` response engine. */
export interface FlowEngine extends FlowGraph {
  readonly kind: 'conversation-flow'
  readonly id: string
  readonly version: number
  readonly model: string
  readonly temperature: number | null
  readonly globalPrompt: string
  readonly startSpeaker: 'agent' | 'user'
  /** Maximum number of transitions per turn that require a model or tool call but no user input. */
  readonly maxHopsPerTurn: number
  /** Default for nodes without knowledge bases. */
  readonly knowledge: KnowledgeUse
  /** All local, shared and nested components by ID. */
  readonly components: Readonly<Record<string, FlowGraph>>
  readonly defaultVariables: Readonly<Record<string, string>>
}

/** The `custom-llm` response engine, where the customer's server answers. It has no ID and no versions. */
export interface CustomLlmEngine {
  readonly kind: 'custom-llm'
  readonly id: null
  readonly version: null
  readonly url: string
  readonly defaultVariables: Readonly<Record<string, string>>
}

export type ResponseEngine = LlmEngine | FlowEngine | CustomLlmEngine

/** A place in a flow: a node and its enclosing `component` nodes, outermost first. */
export interface FlowPlace {
  readonly nodeId: string
  readonly path: readonly string[]
}

/** The current place in a flow and the history that later decisions require. */
export interface FlowPosition extends FlowPlace {
  /** `entering`: the node has not finished its work. `listening`: the node has finished, and the user's words decide. */
  readonly phase: 'entering' | 'listening'
  /** Places that go-back conditions lead to, newest last. */
  readonly origins: readonly FlowPlace[]
  /** Number of visits to each place, by `toPlaceKey`. */
  readonly visits: Readonly<Record<string, number>>
  /** Number of completed transitions. */
  readonly transitions: number
  /** For each global node, the number of the transition that last entered it through its condition, by `toPlaceKey`. */
  readonly globalEntries: Readonly<Record<string, number>>
  /** Number of messages when the flow entered the node. Later messages belong to the node. */
  readonly messagesBefore?: number
}

/**
 * Serializable dialogue state, written with every turn so that a conversation can be rewound or continued after a restart.
 * `schema` increases when the shape changes.
 */
export interface DialogueState {
  readonly schema: 1
  readonly engine: {
    readonly kind: ResponseEngine['kind']
    readonly id: string | null
    readonly version: number | null
  }
  /** Variables collected from responses and extractions. */
  readonly collectedVariables: Readonly<Record<string, string>>
  /** The agent that took over the conversation. Absent if the first agent is in charge. */
  readonly agent?: { readonly agentId: string; readonly agentVersion: number }
  /** The current state of an `llm` engine that has states. */
  readonly stateName?: string
  /** The position in a flow. Absent before the first node. */
  readonly flow?: FlowPosition
  /** MCP tool calls that are pending the user's approval. */
  readonly approvals?: readonly PendingApproval[]
}

/** A tool call that may run once the user approves it. */
export interface PendingApproval {
  readonly toolName: string
  /** The model's arguments. A repeated call must have the same arguments. */
  readonly args: JsonObject
}

/** A mocked tool result, used in tests in place of running the tool. */
export interface ToolMock {
  readonly toolName: string
  /** Arguments that a call must include, or `null` to match any call. */
  readonly args: JsonObject | null
  readonly output: string
  /** Whether the call succeeds. */
  readonly ok: boolean
}

/** Variables by source. `mergeVariables` applies the precedence. */
export interface VariableSources {
  readonly system: Readonly<Record<string, string>>
  readonly given: Readonly<Record<string, string>>
  readonly override: VariableOverrides
}

/** The input of one turn. Drivers build it, and the engine never changes it. */
export interface Conversation {
  readonly engine: ResponseEngine
  /** The channel, which determines the tools and nodes that work. */
  readonly channel: Channel
  /** The stored state, or `null` before the first turn. */
  readonly state: DialogueState | null
  /** The newest messages, oldest first, excluding this turn's input. */
  readonly history: readonly HistoryMessage[]
  /** Number of older messages that are not in `history`. */
  readonly omittedMessages?: number
  readonly variables: VariableSources
  /** IANA time zone for `{{current_time}}`. */
  readonly timezone: string
  /** Models to try if the engine's model fails before its first token. */
  readonly fallbackModels: readonly string[]
  /** Message to say if all models fail, or `null` to let the turn fail. */
  readonly fallbackMessage: string | null
  /** Conversation details for custom tools: `{chat: {...}}` or `{call: {...}}`. */
  readonly toolContext: JsonObject
  /** Metadata that the customer stored with the conversation, available to `code` tools. */
  readonly metadata: JsonObject
  /** Chat or call ID. */
  readonly conversationId: string
  /** Index of the first model to try, counting from the engine's model. Earlier models were too slow. */
  readonly firstModelIndex?: number
  /** Mocks that replace tools in tests. */
  readonly toolMocks?: readonly ToolMock[]
}

/**
 * `continue` answers the user's message at the end of the history after a failure or a crash. `unprompted` lets the agent speak
 * without user input in calls.
 */
export type TurnInput =
  | { readonly type: 'user-message'; readonly content: string }
  | { readonly type: 'continue' }
  | { readonly type: 'unprompted'; readonly reason: UnpromptedReason }

/** `opening`: the call starts. `reminder`: the user has been silent. `update`: the last message is an external update. */
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

/** Settings of an agent that takes over a conversation. */
export interface LoadedAgent {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engine: ResponseEngine
  readonly timezone: string
  readonly fallbackModels: readonly string[]
  readonly fallbackMessage: string | null
}

/** Loads the agent that takes over a conversation, at a fixed version. Never rejects. */
export interface AgentLoader {
  /** Loads an agent's version, or the live version for `null`. `message` explains to the model why the handover failed. */
  load(
    agentId: string,
    agentVersion: number | null,
  ): Promise<{ readonly ok: true; readonly agent: LoadedAgent } | { readonly ok: false; readonly message: string }>
}

/** Deadlines of a generation, in milliseconds. */
export interface ModelDeadlines {
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** An action that the driver must perform. */
export type DialogueAction =
  /** Takes effect after the turn's text is delivered. */
  | { readonly type: 'end'; readonly reason: 'agent_ended' }
  /** The new agent takes over within this turn. */
  | {
      readonly type: 'agent-swap'
      readonly agent: Pick<LoadedAgent, 'agentId' | 'agentVersion' | 'agentName'>
      readonly settings: SwapSettings
    }
  /** The message is already sent or refused, and the driver stores it. */
  | { readonly type: 'send-sms'; readonly message: OutgoingSms; readonly outcome: SmsOutcome }

/** Settings of the new agent's analysis and webhooks. */
export interface SwapSettings {
  readonly analysis: 'both_agents' | 'only_destination_agent'
  readonly webhooks: 'both_agents' | 'only_destination_agent' | 'only_source_agent'
}

/** The type of a transition between two nodes. */
export type TransitionType = 'normal' | 'global' | 'global_go_back'

/**
 * Events of a turn, in order. A message's text streams as `text-delta`s until `message-end`. The driver stores the message
 * before it requests the next event, so that a tool call is recorded before it is sent.
 */
export type DialogueEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | {
      readonly type: 'message-end'
      readonly content: string
      readonly toolCalls: readonly ToolCall[]
      /** Whether the stream failed after its first token. `content` is the received part. */
      readonly incomplete: boolean
    }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly name: string
      /** Text for the model, at most 15,000 characters. */
      readonly content: string
      /** The full result. */
      readonly fullContent: string
      readonly ok: boolean
      readonly durationMs: number
    }
  /** Emitted before the matching `tool-result`, so that both can be stored together. */
  | { readonly type: 'variables-collected'; readonly variables: VariableUpdates }
  /**
   * A transition between nodes of a flow or states of an `llm` engine. The driver stores it with `state` before it requests the
   * next event, so that it precedes later messages.
   */
  | {
      readonly type: 'node-transition'
      /** The previous node, or `null` at the start of the conversation. */
      readonly from: TransitionEnd | null
      readonly to: TransitionEnd
      readonly transitionType: TransitionType
      readonly state: DialogueState
    }
  | { readonly type: 'state-transition'; readonly from: string; readonly to: string; readonly state: DialogueState }
  /** `state` is the new dialogue state if the action changes it. */
  | { readonly type: 'action'; readonly action: DialogueAction; readonly state?: DialogueState }
  | { readonly type: 'usage'; readonly model: string; readonly usage: ModelUsage }
  | ExplanationEvent
  | TurnEnd

/** The source or destination node of a transition. */
export interface TransitionEnd {
  readonly nodeId: string
  /** Enclosing `component` nodes, outermost first. */
  readonly path: readonly string[]
  /** Empty for an unnamed node. */
  readonly nodeName: string
}

/** The last event of a turn. A canceled turn ends without it, after the `message-end` of its partial text. */
export type TurnEnd =
  | { readonly type: 'turn-end'; readonly outcome: 'completed'; readonly state: DialogueState }
  | {
      readonly type: 'turn-end'
      readonly outcome: 'failed'
      readonly state: DialogueState
      readonly failure: ModelFailure
    }
