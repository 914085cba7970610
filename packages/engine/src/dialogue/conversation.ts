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
import type { Explanation } from './explanation.ts'
import type { KnowledgeUse } from './knowledge/knowledge-use.ts'
import type { VariableUpdates } from './variables/variable-updates.ts'
import type { VariableOverrides } from './variables/variables.ts'

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
  readonly mcps: readonly McpServerSetting[]
  /** Without states the general prompt is all there is. */
  readonly states: readonly LlmState[]
  /** `null`: the first of `states`. */
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
  /** Most transitions without the user in one turn that cost a model call or a tool. */
  readonly maxHopsPerTurn: number
  /** Of nodes that name none of their own. */
  readonly knowledge: KnowledgeUse
  /** Every component that is run, those within components included: local ones and shared ones, by id. */
  readonly components: Readonly<Record<string, FlowGraph>>
  readonly defaultVariables: Readonly<Record<string, string>>
}

/** The `custom-llm` response engine: a server of the customer answers. It has neither id nor versions. */
export interface CustomLlmEngine {
  readonly kind: 'custom-llm'
  readonly id: null
  readonly version: null
  readonly url: string
  readonly defaultVariables: Readonly<Record<string, string>>
}

export type ResponseEngine = LlmEngine | FlowEngine | CustomLlmEngine

/** A place in a flow: a node, and the nodes of type `component` that lead to its graph, outermost first. */
export interface FlowPlace {
  readonly nodeId: string
  readonly path: readonly string[]
}

/** Where a conversation stands in a flow, and what it needs to remember of its way. */
export interface FlowPosition extends FlowPlace {
  /** `entering`: entered, but what the node does or says is not done; `listening`: its turn is over, the user's words decide. */
  readonly phase: 'entering' | 'listening'
  /** Where go-back conditions lead, the latest last. */
  readonly origins: readonly FlowPlace[]
  /** How often each place was entered, by `placeKey`. */
  readonly visits: Readonly<Record<string, number>>
  /** Transitions so far. */
  readonly transitions: number
  /** At which of the transitions each global node was entered as such last, by `placeKey`. */
  readonly globalEntries: Readonly<Record<string, number>>
  /** How many messages the conversation had when the node was entered: what follows them is the node's. */
  readonly messagesBefore?: number
}

/**
 * The dialogue's own memory: a plain serialisable value, written with every turn, so that a conversation survives a restart
 * and can be rewound. `schema` grows when its shape changes.
 */
export interface DialogueState {
  readonly schema: 1
  readonly engine: {
    readonly kind: ResponseEngine['kind']
    readonly id: string | null
    readonly version: number | null
  }
  /** Collected during the conversation: response variables, extractions. */
  readonly collectedVariables: Readonly<Record<string, string>>
  /** The agent that holds the conversation since a hand-over; absent while it is the one it began with. */
  readonly agent?: { readonly agentId: string; readonly agentVersion: number }
  /** For `llm` engines with states: the name of the current one. */
  readonly stateName?: string
  /** For flows, from the moment the first node is entered. */
  readonly flow?: FlowPosition
  /** Calls of MCP tools that wait for the user's approval. */
  readonly approvals?: readonly PendingApproval[]
}

/** A call that the model may repeat once the user has agreed to it. */
export interface PendingApproval {
  readonly toolName: string
  /** As the model wrote them, for comparison. */
  readonly args: JsonObject
}

/** An agent's answer to a call of a tool in a test: the tool itself is not run. */
export interface ToolMock {
  readonly toolName: string
  /** `null` matches any call; otherwise these arguments must be among those of the call, with the same values. */
  readonly args: JsonObject | null
  readonly output: string
  /** Whether the call counts as successful. */
  readonly ok: boolean
}

/** Variables by origin; `mergeVariables` applies their precedence. */
export interface VariableSources {
  readonly system: Readonly<Record<string, string>>
  readonly given: Readonly<Record<string, string>>
  readonly override: VariableOverrides
}

/** Everything one turn starts from. Drivers build it; the engine never changes it. */
export interface Conversation {
  readonly engine: ResponseEngine
  /** What it is held over; decides which tools and nodes work. */
  readonly channel: Channel
  /** `null` before the first turn. */
  readonly state: DialogueState | null
  /** The newest messages, oldest first, without the input of this turn. */
  readonly history: readonly HistoryMessage[]
  /** Number of messages before `history`; absent when `history` has them all. */
  readonly omittedMessages?: number
  readonly variables: VariableSources
  /** IANA zone of `{{current_time}}`. */
  readonly timezone: string
  /** Models to try when the engine's own fails before its first token. */
  readonly fallbackModels: readonly string[]
  /** Said when all models fail; `null` lets the turn fail. */
  readonly fallbackMessage: string | null
  /** What custom tools are told of the conversation: `{chat: {...}}` or `{call: {...}}`. */
  readonly toolContext: JsonObject
  /** What the customer stored with the conversation; `code` tools see it. */
  readonly metadata: JsonObject
  /** Of the chat or call. */
  readonly conversationId: string
  /** The turn begins with this one of the engine's model and its fallbacks, counted from 0: those before it were too slow. */
  readonly firstModel?: number
  /** Answer in the place of tools; none outside of tests. */
  readonly toolMocks?: readonly ToolMock[]
}

/**
 * `continue` answers the user's message that already ends the history (after a failure or a crash). `unasked`: the agent speaks
 * of its own accord, in calls, for a reason.
 */
export type TurnInput =
  | { readonly type: 'user-message'; readonly content: string }
  | { readonly type: 'continue' }
  | { readonly type: 'unasked'; readonly reason: UnpromptedReason }

/** `opening`: the call begins. `reminder`: the user has been silent. `told`: the history ends in news from outside. */
export type UnpromptedReason = 'opening' | 'reminder' | 'told'

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

/** The part of an agent that a conversation goes on with after a hand-over. */
export interface LoadedAgent {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engine: ResponseEngine
  readonly timezone: string
  readonly fallbackModels: readonly string[]
  readonly fallbackMessage: string | null
}

/** Finds the agent of a hand-over and freezes the version that it chose, as a conversation's first agent is. Never rejects. */
export interface AgentLoader {
  /** A version of `null` means the active one. `message` is a sentence for the model: why it cannot be handed over to. */
  load(
    agentId: string,
    agentVersion: number | null,
  ): Promise<{ readonly ok: true; readonly agent: LoadedAgent } | { readonly ok: false; readonly message: string }>
}

/** Upper bounds of one generation, in milliseconds. */
export interface ModelDeadlines {
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** Something the driver must do. */
export type DialogueAction =
  /** Once the turn's text is delivered. */
  | { readonly type: 'end'; readonly reason: 'agent_ended' }
  /** The agent of `agent` holds the conversation from here on, in this turn already. */
  | {
      readonly type: 'agent-swap'
      readonly agent: Pick<LoadedAgent, 'agentId' | 'agentVersion' | 'agentName'>
      readonly settings: SwapSettings
    }
  /** To be stored; what became of it is known. */
  | { readonly type: 'send-sms'; readonly message: OutgoingSms; readonly outcome: SmsOutcome }

/** What a hand-over says about analysis and webhooks afterwards. */
export interface SwapSettings {
  readonly analysis: 'both_agents' | 'only_destination_agent'
  readonly webhooks: 'both_agents' | 'only_destination_agent' | 'only_source_agent'
}

/** How a flow comes from one node to another. */
export type TransitionType = 'normal' | 'global' | 'global_go_back'

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
  | { readonly type: 'variables-collected'; readonly variables: VariableUpdates }
  /**
   * A flow goes from one node to another, or an `llm` engine from one state to another. `state` is the memory as it is from
   * here on: the driver stores both before it asks for the next event, so that what is said afterwards never precedes them.
   */
  | {
      readonly type: 'node-transition'
      /** `null`: the conversation begins here. */
      readonly from: TransitionEnd | null
      readonly to: TransitionEnd
      readonly transitionType: TransitionType
      readonly state: DialogueState
    }
  | { readonly type: 'state-transition'; readonly from: string; readonly to: string; readonly state: DialogueState }
  /** `state`: the memory as it is from here on, when the action changes it. */
  | { readonly type: 'action'; readonly action: DialogueAction; readonly state?: DialogueState }
  | { readonly type: 'usage'; readonly model: string; readonly usage: ModelUsage }
  | { readonly type: 'explanation'; readonly explanation: Explanation }
  | TurnEnd

/** A node as a transition tells of it. */
export interface TransitionEnd {
  readonly nodeId: string
  /** The nodes of type `component` around it, outermost first. */
  readonly path: readonly string[]
  /** `''` when the node has none. */
  readonly nodeName: string
}

/** The last event of every turn that was not cancelled. A cancelled turn ends without it, after the `message-end` of its partial text. */
export type TurnEnd =
  | { readonly type: 'turn-end'; readonly outcome: 'completed'; readonly state: DialogueState }
  | {
      readonly type: 'turn-end'
      readonly outcome: 'failed'
      readonly state: DialogueState
      readonly failure: ModelFailure
    }
