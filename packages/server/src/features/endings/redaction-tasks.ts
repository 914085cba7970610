import type { Chat, ChatAnalysis } from '@parley/contract/chat'
import type { EndedCall } from './calls/ended-call-store.ts'
import { type RedactedCallWords, redactCallWords } from './calls/redact-call-words.ts'
import type { EndedChat } from './chats/ending-store.ts'
import { redactChat } from './chats/redact-chat.ts'
import { type RedactedStored, redactStored } from './chats/redact-stored.ts'
import type { StoragePolicy } from './policy/storage-policy.ts'

/** A conversation to redact, and what comes out of it. All of it is JSON. */
interface RedactionTasks {
  chat: {
    readonly given: { readonly chat: Chat; readonly policy: Pick<StoragePolicy, 'setting' | 'categories'> }
    readonly result: Chat
  }
  storedChat: {
    readonly given: {
      readonly ended: EndedChat
      readonly policy: StoragePolicy
      readonly analysis: ChatAnalysis | null
    }
    readonly result: RedactedStored
  }
  storedCall: {
    readonly given: { readonly ended: EndedCall; readonly policy: StoragePolicy; readonly analysis: ChatAnalysis }
    readonly result: RedactedCallWords
  }
}

type TaskKind = keyof RedactionTasks
type TaskOf<Kind extends TaskKind> = { readonly kind: Kind } & RedactionTasks[Kind]['given']
export type RedactionTask = { [Kind in TaskKind]: TaskOf<Kind> }[TaskKind]
export type RedactionResult = RedactionTasks[TaskKind]['result']

/** Redacts conversations away from the thread that serves requests. */
export interface RedactionRunner {
  /** Workspaces take turns. Rejects with a `RedactionFailedError` when nothing came of it. */
  run(workspaceId: number, task: RedactionTask): Promise<RedactionResult>
}

export class RedactionFailedError extends Error {
  /** The conversation itself takes too long; otherwise another attempt may succeed. */
  readonly tookTooLong: boolean

  constructor(message: string, { tookTooLong }: { readonly tookTooLong: boolean }) {
    super(message)
    this.name = 'RedactionFailedError'
    this.tookTooLong = tookTooLong
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
  const given = task as unknown as RedactionTask
  if (given.policy.setting !== 'everything_except_pii') return performRedaction(given)
  return await runner.run(workspaceId, given)
}

/** Redacts by a policy; a conversation that takes too long is reduced to its basic attributes. */
export async function redactOrWithhold<Policy extends Pick<StoragePolicy, 'setting'>, Result>(
  policy: Policy,
  redactBy: (policy: Policy) => Promise<Result>,
): Promise<{ readonly policy: Policy; readonly result: Result }> {
  try {
    return { policy, result: await redactBy(policy) }
  } catch (error) {
    if (!(error instanceof RedactionFailedError && error.tookTooLong)) throw error
    const strict: Policy = { ...policy, setting: 'basic_attributes_only' }
    return { policy: strict, result: await redactBy(strict) }
  }
}
