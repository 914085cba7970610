import type { Agent } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import type { Answer, OperationName } from '../../lib/api/request.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'

/** An agent of any kind: those of calls, and those that only write. */
export type AnyAgent = Agent | ChatAgent

/** What agents of every kind have. */
export type SharedAgent = Pick<Agent, keyof Agent & keyof ChatAgent>

/** Which agent of which workspace. */
export interface AgentTarget {
  readonly workspaceId: number
  readonly agentId: string
}

export interface PublishedNotes {
  /** The newest when absent. */
  readonly version?: number
  readonly title: string | null
  readonly description: string | null
}

/** Names of the operations of one kind, for rights and for what has to be read again. */
export interface AgentOperations {
  readonly read: OperationName
  readonly list: OperationName
  readonly versions: OperationName
  readonly create: OperationName
  readonly update: OperationName
  readonly remove: OperationName
  readonly publish: OperationName
  readonly activate: OperationName
}

/** What a write answers: the record, with what may not work as expected. */
export type Written<Value> = Value & { readonly warnings: readonly string[] }

/** Edits of an agent and of what it answers with, each with the tag of what they began from; null for none. */
export interface DraftToSave<Value> {
  readonly agent: { readonly base: Snapshot<Value>; readonly edits: Partial<Value> } | null
  readonly llm: { readonly base: Snapshot<Llm>; readonly edits: Partial<Llm> } | null
}

/** Both records as they are stored then; `llm` null where the agent answers with something else. */
export interface SavedDraft<Value> {
  readonly agent: Snapshot<Value>
  readonly llm: Snapshot<Llm> | null
  readonly warnings: readonly string[]
}

/** The operations of one kind of agent. All throw a `Problem`. */
export interface AgentApi<Value extends AnyAgent> {
  readonly kind: 'agent' | 'chat-agent'
  readonly operations: AgentOperations
  read(
    target: AgentTarget,
    version: number | 'latest' | 'active',
    signal?: AbortSignal | undefined,
  ): Promise<Answer<Value>>
  /** Sends the edited fields; `etag` null takes any state. */
  update(target: AgentTarget, edits: Partial<Value>, etag: string | null): Promise<Answer<Written<Value>>>
  /** Saves the edits of both records or of neither. */
  saveDraft(target: AgentTarget, draft: DraftToSave<Value>): Promise<SavedDraft<Value>>
  /** Makes an agent with the settings of `settings`; what is absent has its default. */
  create(workspaceId: number, settings: NewAgent<Value>): Promise<Answer<Written<Value>>>
  remove(target: AgentTarget): Promise<unknown>
  publish(target: AgentTarget, notes: PublishedNotes, etag: string | null): Promise<unknown>
  activate(target: AgentTarget, version: number | null): Promise<unknown>
}

/** What an agent is made from: its engine, and whatever else is known. */
export type NewAgent<Value extends AnyAgent> = Partial<Value> & { readonly response_engine: ResponseEngine }

/** Everything that an edit of an agent of a kind makes untrue, that of its LLM configuration included. */
export function refreshedBy({ read, list, versions }: AgentOperations): readonly OperationName[] {
  return [read, list, versions, 'getLlm', 'listLlms', 'listLlmVersions']
}
