import type { Chat, ChatAnalysis } from '@parley/contract/chat'
import type { EndedCall } from './calls/ended-call-store.ts'
import { type RedactedCallWords, redactCallWords } from './calls/redact-call-words.ts'
import type { ChatChange, EndedChat, StoredTurn } from './chats/ended-chat-store.ts'
import { redactChat } from './chats/redact-chat.ts'
import type { StoragePolicy } from './policy/storage-policy.ts'
import { basicAnalysis, redactAnalysis, redactMessages, redactorFor } from './redaction/redact-conversation.ts'
import type { Redactor } from './redaction/redactor.ts'
import { NO_VARIABLES, redactVariables, variablesOf } from './redaction/variable-columns.ts'

/** A conversation to redact, and what comes out of it. All of it is JSON. */
interface RedactionTasks {
  chat: {
    readonly input: { readonly chat: Chat; readonly policy: Pick<StoragePolicy, 'setting' | 'categories'> }
    readonly result: Chat
  }
  storedChat: {
    readonly input: {
      readonly ended: EndedChat
      readonly policy: StoragePolicy
      readonly analysis: ChatAnalysis | null
    }
    readonly result: RedactedStored
  }
  storedCall: {
    readonly input: { readonly ended: EndedCall; readonly policy: StoragePolicy; readonly analysis: ChatAnalysis }
    readonly result: RedactedCallWords
  }
}

type TaskKind = keyof RedactionTasks
type TaskOf<Kind extends TaskKind> = { readonly kind: Kind } & RedactionTasks[Kind]['input']
export type RedactionTask = { [Kind in TaskKind]: TaskOf<Kind> }[TaskKind]
export type RedactionResult = RedactionTasks[TaskKind]['result']

/** Redacts conversations away from the thread that serves requests. */
export interface RedactionRunner {
  /** Workspaces take turns. Rejects with a `RedactionFailedError` when nothing came of it. */
  run(workspaceId: number, task: RedactionTask): Promise<RedactionResult>
}

export class RedactionFailedError extends Error {
  /** The conversation itself takes too long; otherwise another attempt may succeed. */
  readonly isTimeout: boolean

  constructor(message: string, { isTimeout }: { readonly isTimeout: boolean }) {
    super(message)
    this.name = 'RedactionFailedError'
    this.isTimeout = isTimeout
  }
}

/** Does a task on this thread. */
export function performRedaction(task: RedactionTask): RedactionResult {
  switch (task.kind) {
    case 'chat':
      return redactChat(task.chat, task.policy)
    case 'storedChat':
      return redactStored(task.ended, task.policy, task.analysis)
    case 'storedCall':
      return redactCallWords(task.ended, task.policy, task.analysis)
  }
}

/** Redacts a conversation as its policy says. Policies that look at no words are applied on this thread. */
export async function redact<Kind extends TaskKind>(
  runner: RedactionRunner,
  workspaceId: number,
  task: TaskOf<Kind>,
): Promise<RedactionTasks[Kind]['result']> {
  const input = task as unknown as RedactionTask
  if (input.policy.setting !== 'everything_except_pii') return performRedaction(input)
  return await runner.run(workspaceId, input)
}

/** Redacts by a policy; a conversation that takes too long is reduced to its basic attributes. */
export async function redactOrOmit<Policy extends Pick<StoragePolicy, 'setting'>, Result>(
  policy: Policy,
  redactWith: (policy: Policy) => Promise<Result>,
): Promise<{ readonly policy: Policy; readonly result: Result }> {
  try {
    return { policy, result: await redactWith(policy) }
  } catch (error) {
    if (!(error instanceof RedactionFailedError && error.isTimeout)) throw error
    const strict: Policy = { ...policy, setting: 'basic_attributes_only' }
    return { policy: strict, result: await redactWith(strict) }
  }
}

interface RedactedStored {
  readonly change: ChatChange
  readonly analysis: ChatAnalysis | null
}

/** What a policy leaves of a chat in the database and of what was found out about it. */
function redactStored(ended: EndedChat, policy: StoragePolicy, analysis: ChatAnalysis | null): RedactedStored {
  const { chat, messages, turns } = ended
  if (policy.setting === 'everything') {
    return { change: { columns: {}, messages, turns, dropsEvents: false }, analysis }
  }
  if (policy.setting === 'basic_attributes_only') {
    const withoutContent = turns.map((turn) => changed(turn, { explanation: '[]', error_message: null }))
    const change = { columns: NO_VARIABLES, messages: null, turns: withoutContent, dropsEvents: true }
    return { change, analysis: analysis === null ? null : basicAnalysis(analysis) }
  }
  const redactor = redactorFor({ messages, variables: variablesOf(chat) }, policy)
  const change = {
    columns: redactVariables(chat, redactor),
    messages: redactMessages(messages, redactor),
    turns: turns.map((turn) => redactTurn(turn, redactor)),
    dropsEvents: true,
  }
  return { change, analysis: analysis === null ? null : redactAnalysis(analysis, redactor) }
}

function redactTurn(turn: StoredTurn, redactor: Redactor): StoredTurn {
  const { explanation, error_message } = turn
  return changed(turn, {
    explanation: redactor.json(explanation),
    error_message: error_message === null ? null : redactor.text(error_message),
  })
}

/** The same object when nothing is different. */
function changed(turn: StoredTurn, columns: Pick<StoredTurn, 'explanation' | 'error_message'>): StoredTurn {
  const isSame = turn.explanation === columns.explanation && turn.error_message === columns.error_message
  return isSame ? turn : { ...turn, ...columns }
}
