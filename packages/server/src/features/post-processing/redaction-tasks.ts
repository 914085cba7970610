import type { Chat, ChatAnalysis } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { EndedCall } from './calls/ended-call-store.ts'
import { type RedactedCallContent, redactCallContent } from './calls/redact-call.ts'
import type { ChatChange, EndedChat, StoredTurn } from './chats/ended-chat-store.ts'
import type { StoragePolicy } from './policy/storage-policy.ts'
import {
  createConversationRedactor,
  NO_VARIABLES,
  parseVariableColumns,
  redactAnalysis,
  redactMessages,
  redactVariables,
  reduceToBasicAnalysis,
} from './redaction/redact-conversation.ts'
import type { Redactor } from './redaction/redactor.ts'

/** Tasks and their results. All values are JSON. */
interface RedactionTasks {
  chat: {
    readonly input: { readonly chat: Chat; readonly policy: Pick<StoragePolicy, 'setting' | 'categories'> }
    readonly result: Chat
  }
  storedChat: {
    readonly input: {
      readonly endedChat: EndedChat
      readonly policy: StoragePolicy
      readonly analysis: ChatAnalysis | null
    }
    readonly result: RedactedStoredChat
  }
  storedCall: {
    readonly input: { readonly endedCall: EndedCall; readonly policy: StoragePolicy; readonly analysis: ChatAnalysis }
    readonly result: RedactedCallContent
  }
}

type TaskKind = keyof RedactionTasks
type TypedTask<Kind extends TaskKind> = { readonly kind: Kind } & RedactionTasks[Kind]['input']
export type RedactionTask = { [Kind in TaskKind]: TypedTask<Kind> }[TaskKind]
export type RedactionResult = RedactionTasks[TaskKind]['result']

/** Redacts conversations off the request thread. */
export interface RedactionRunner {
  /** Runs a task with fair scheduling among workspaces. Rejects with a `RedactionFailedError` if the task fails. */
  run(workspaceId: number, task: RedactionTask): Promise<RedactionResult>
}

export class RedactionFailedError extends Error {
  /** Whether the redaction timed out. After other failures, a retry may succeed. */
  readonly isTimeout: boolean

  constructor(message: string, { isTimeout }: { readonly isTimeout: boolean }) {
    super(message)
    this.name = 'RedactionFailedError'
    this.isTimeout = isTimeout
  }
}

/** Runs a task on this thread. */
export function performRedaction(task: RedactionTask): RedactionResult {
  switch (task.kind) {
    case 'chat':
      return redactChat(task.chat, task.policy)
    case 'storedChat':
      return redactStoredChat(task.endedChat, task.policy, task.analysis)
    case 'storedCall':
      return redactCallContent(task.endedCall, task.policy, task.analysis)
  }
}

/** Redacts a conversation according to its policy. Policies that need no text search run on this thread. */
export async function redact<Kind extends TaskKind>(
  runner: RedactionRunner,
  workspaceId: number,
  task: TypedTask<Kind>,
): Promise<RedactionTasks[Kind]['result']> {
  const input = task as unknown as RedactionTask
  if (input.policy.setting !== 'everything_except_pii') return performRedaction(input)
  return await runner.run(workspaceId, input)
}

interface RedactionOutcome<Policy, Result> {
  readonly policy: Policy
  readonly result: Result
}

/** Redacts a conversation according to a policy. If the redaction takes too long, only the basic attributes remain. */
export async function redactOrOmit<Policy extends Pick<StoragePolicy, 'setting'>, Result>(
  policy: Policy,
  redactWith: (policy: Policy) => Promise<Result>,
  omitsUnredacted = true,
): Promise<RedactionOutcome<Policy, Result>> {
  try {
    return { policy, result: await redactWith(policy) }
  } catch (error) {
    if (!omitsUnredacted || !(error instanceof RedactionFailedError && error.isTimeout)) throw error
    const basicPolicy: Policy = { ...policy, setting: 'basic_attributes_only' }
    return { policy: basicPolicy, result: await redactWith(basicPolicy) }
  }
}

interface RedactedStoredChat {
  readonly change: ChatChange
  readonly analysis: ChatAnalysis | null
}

/** Applies a policy to a stored chat and its analysis. */
function redactStoredChat(
  endedChat: EndedChat,
  policy: StoragePolicy,
  analysis: ChatAnalysis | null,
): RedactedStoredChat {
  const { chat, messages, turns } = endedChat
  if (policy.setting === 'everything') {
    return { change: { columns: {}, messages, turns, deletesEvents: false }, analysis }
  }
  if (policy.setting === 'basic_attributes_only') {
    const clearedTurns = turns.map((turn) => updateTurnColumns(turn, { explanation: '[]', error_message: null }))
    const change = { columns: NO_VARIABLES, messages: null, turns: clearedTurns, deletesEvents: true }
    return { change, analysis: analysis === null ? null : reduceToBasicAnalysis(analysis) }
  }
  const redactor = createConversationRedactor({ messages, variables: parseVariableColumns(chat) }, policy)
  const change = {
    columns: redactVariables(chat, redactor),
    messages: redactMessages(messages, redactor),
    turns: turns.map((turn) => redactTurn(turn, redactor)),
    deletesEvents: true,
  }
  return { change, analysis: analysis === null ? null : redactAnalysis(analysis, redactor) }
}

function redactTurn(turn: StoredTurn, redactor: Redactor): StoredTurn {
  const { explanation, error_message } = turn
  return updateTurnColumns(turn, {
    explanation: redactor.redactJson(explanation),
    error_message: error_message === null ? null : redactor.redactText(error_message),
  })
}

/** Updates the columns of a turn. Returns the same object if nothing changed. */
function updateTurnColumns(turn: StoredTurn, columns: Pick<StoredTurn, 'explanation' | 'error_message'>): StoredTurn {
  const isUnchanged = turn.explanation === columns.explanation && turn.error_message === columns.error_message
  return isUnchanged ? turn : { ...turn, ...columns }
}

/** Removes the content that a chat's policy excludes. Keeps metadata and attributes. Idempotent. */
export function redactChat(chat: Chat, policy: Pick<StoragePolicy, 'setting' | 'categories'>): Chat {
  if (policy.setting === 'everything') return chat
  if (policy.setting === 'basic_attributes_only') {
    return {
      ...chat,
      messages: [],
      transcript: '',
      retrievedPassages: [],
      chatAnalysis: reduceToBasicAnalysis(chat.chatAnalysis),
      collectedDynamicVariables: {},
      service_dynamic_variables: {},
      overrideDynamicVariables: {},
    }
  }
  const variables = [chat.service_dynamic_variables, chat.collectedDynamicVariables, chat.overrideDynamicVariables]
  const redactor = createConversationRedactor({ messages: chat.messages, variables }, policy)
  const messages = redactMessages(chat.messages, redactor)
  return {
    ...chat,
    messages,
    transcript: formatTranscript(messages),
    retrievedPassages: redactor.redactValue(chat.retrievedPassages) as Chat['retrievedPassages'],
    chatAnalysis: redactAnalysis(chat.chatAnalysis, redactor),
    collectedDynamicVariables: redactor.redactVariables(chat.collectedDynamicVariables),
    service_dynamic_variables: redactor.redactVariables(chat.service_dynamic_variables),
    overrideDynamicVariables: redactor.redactVariables(chat.overrideDynamicVariables),
  }
}

/** Formats all messages as `Agent: …` and `User: …` lines. */
function formatTranscript(messages: readonly ChatMessage[]): string {
  const dialogueMessages = messages.filter(
    ({ role, content }) => (role === 'user' || role === 'assistant') && content !== '',
  )
  return dialogueMessages.map(({ role, content }) => `${role === 'user' ? 'User' : 'Agent'}: ${content}`).join('\n')
}
