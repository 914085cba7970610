import { CHAT_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { Clock } from '@parley/engine/ports'
import { BatchConflictError, type Database } from '../../../kernel/database.ts'
import type { AgentUse } from '../../../kernel/pinned-agent.ts'
import type { ChatRow } from '../../../kernel/tables/chat-tables.ts'
import type { WebhookEvents } from '../../../kernel/webhook-events.ts'
import { type AnalyseDependencies, AnalysisFailedError, type EndedAnalysisOutcome } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { type HoldingAgent, webhooksOf } from '../policy/holding-agents.ts'
import { type EndingPlan, planEnding } from '../policy/plan-ending.ts'
import { deletionTime, isStricter, readPolicy } from '../policy/storage-policy.ts'
import { addUsages, analyseChat } from './analyse-chat.ts'
import { loadChatAgents } from './chat-agents.ts'
import { type EndedChat, findChatRow, readEndedChat, settleStatements } from './ending-store.ts'
import { redactStored } from './redact-stored.ts'

export interface SettleDependencies extends AnalyseDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly agents: Pick<AgentUse, 'load'>
  readonly webhooks: WebhookEvents
}

export interface SettleOptions {
  /** False: rules find out what they can. */
  readonly asksModels: boolean
  readonly signal: AbortSignal
}

/** `busy`: a turn of the chat still runs. */
export type Settlement = 'done' | 'busy'

/** What a chat needs, and whose webhooks are told of it. */
export interface LoadedEnding {
  readonly plan: EndingPlan
  readonly agents: readonly HoldingAgent[]
}

export async function loadEnding({ agents }: Pick<SettleDependencies, 'agents'>, chat: ChatRow): Promise<LoadedEnding> {
  const loaded = await loadChatAgents(agents, chat)
  return { plan: planEnding(readPolicy(chat.storage), loaded, CHAT_ANALYSIS_PRESETS), agents: loaded }
}

/** A chat that is written to meanwhile is read again; more often than this nobody writes to one that is over. */
const MOST_TRIES = 5

/**
 * Does what is left to do about a chat that is over: tells its end, analyses it, applies its storage setting and forgets its
 * live state. May be done again and again; what was done stays. Throws when models fail in a way that may pass.
 */
export async function settleChat(
  dependencies: SettleDependencies,
  chatId: string,
  options: SettleOptions,
): Promise<Settlement> {
  const { database } = dependencies
  let found: EndedAnalysisOutcome | null = null
  for (let attempt = 1; ; attempt += 1) {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.status === 'ongoing') return 'done'
    if (chat.active_turn_id !== null) return 'busy'
    const ending = await loadEnding(dependencies, chat)
    await tellEnd(dependencies, chat, ending)
    if (!isLeftToDo(chat, ending.plan)) return 'done'
    const ended = await readEndedChat(database.read, chat)
    if (chat.stored_as === null) found ??= await analyse(dependencies, ended, ending.plan, options)
    try {
      await write(dependencies, ended, { ending, found })
      return 'done'
    } catch (error) {
      if (!(error instanceof BatchConflictError) || attempt >= MOST_TRIES) throw error
    }
  }
}

function isLeftToDo({ stored_as }: ChatRow, { policy }: EndingPlan): boolean {
  return stored_as === null || isStricter(policy.setting, stored_as as typeof policy.setting)
}

/** Once: whoever comes second finds it done. */
async function tellEnd(
  { database, webhooks, clock }: SettleDependencies,
  chat: ChatRow,
  { agents }: LoadedEnding,
): Promise<void> {
  if (chat.end_told_at !== null) return
  const claim = database.compile
    .updateTable('chats')
    .set({ end_told_at: clock.now() })
    .where('chat_id', '=', chat.chat_id)
    .where('end_told_at', 'is', null)
  const told = await webhooks.statements({
    workspaceId: chat.workspace_id,
    event: 'chat_ended',
    subject: { kind: 'chat', id: chat.chat_id },
    agents: webhooksOf(agents),
  })
  try {
    await database.batch([{ query: claim.compile(), expectRows: 1 }, ...told])
  } catch (error) {
    if (!(error instanceof BatchConflictError)) throw error
  }
}

async function analyse(
  dependencies: SettleDependencies,
  ended: EndedChat,
  { items, modelNames }: EndingPlan,
  { asksModels, signal }: SettleOptions,
): Promise<EndedAnalysisOutcome> {
  const outcome = await analyseChat(dependencies, ended, {
    items,
    modelNames: asksModels ? modelNames : [],
    signal,
  })
  if (outcome.type === 'found') return outcome
  await keepUsages(dependencies, ended.chat.chat_id, outcome.usages)
  throw new AnalysisFailedError(outcome)
}

/** What was used in vain was used all the same. */
async function keepUsages(
  { database }: SettleDependencies,
  chatId: string,
  usages: readonly StoredUsage[],
): Promise<void> {
  if (usages.length === 0) return
  await database.transaction(async (transaction) => {
    const chats = transaction.selectFrom('chats').select('analysis_usage').where('chat_id', '=', chatId)
    const chat = await chats.executeTakeFirst()
    if (chat === undefined) return
    const analysis_usage = addUsages(chat.analysis_usage, usages)
    await transaction.updateTable('chats').set({ analysis_usage }).where('chat_id', '=', chatId).execute()
  })
}

async function write(
  { database, webhooks, clock }: SettleDependencies,
  ended: EndedChat,
  { ending, found }: { readonly ending: LoadedEnding; readonly found: EndedAnalysisOutcome | null },
): Promise<void> {
  const { chat } = ended
  const { plan, agents } = ending
  const now = clock.now()
  const isNew = found?.type === 'found' && plan.items.length > 0
  const known = chat.analysis === null ? null : (JSON.parse(chat.analysis) as ChatAnalysis)
  const { change, analysis } = redactStored(
    ended,
    plan.policy,
    found?.type === 'found' && isNew ? found.analysis : known,
  )
  const deleteAt = deletionTime(plan.policy, chat.ended_at ?? now)
  const told = isNew
    ? await webhooks.statements({
        workspaceId: chat.workspace_id,
        event: 'chat_analyzed',
        subject: { kind: 'chat', id: chat.chat_id },
        agents: webhooksOf(agents),
      })
    : []
  const columns = {
    ...change.columns,
    analysis: analysis === null ? null : JSON.stringify(analysis),
    ...(isNew && { analysed_at: now, analysis_usage: addUsages(chat.analysis_usage, found.usages) }),
    stored_as: plan.policy.setting,
    delete_at: deleteAt,
    due_at: deleteAt,
  }
  await database.batch([...settleStatements(database, ended, { ...change, columns }), ...told])
}
