import { CHAT_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import { BatchConflictError, type Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler, JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { type AnalyseDependencies, type FoundAnalysis, foundOrThrown } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
import {
  type EndingPlan,
  isLeftToDo,
  type LoadedEnding,
  planEnding,
  type SettleOptions,
} from '../policy/plan-ending.ts'
import { deletionTime, readPolicy, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redact, redactOrWithhold } from '../redaction-tasks.ts'
import { retryConflicts } from '../retry-conflicts.ts'
import { asksModelsAt, SETTLE_ATTEMPTS, withholdsAt } from '../settle-attempts.ts'
import { addUsages, analyseChat } from './analyse-chat.ts'
import { loadChatAgents } from './chat-agents.ts'
import { type EndedChat, findChatRow, readEndedChat, settleStatements } from './ending-store.ts'

/** Kind of the jobs that do what is left to do about a chat that is over. */
export const CHAT_ENDED = 'chat-ended'

/** How soon a chat is looked at again whose last turn still runs. */
const BUSY_MS = 1_000
const LONGEST_BUSY_MS = 60_000

export interface SettleDependencies extends AnalyseDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly agents: Pick<AgentUse, 'load'>
  readonly webhooks: WebhookEvents
  readonly redaction: RedactionRunner
}

/** `busy`: a turn of the chat still runs. */
export type Settlement = 'done' | 'busy'

export async function loadEnding({ agents }: Pick<SettleDependencies, 'agents'>, chat: ChatRow): Promise<LoadedEnding> {
  const loaded = await loadChatAgents(agents, chat)
  return { plan: planEnding(readPolicy(chat.storage), loaded, CHAT_ANALYSIS_PRESETS), agents: loaded }
}

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
  let found = null as FoundAnalysis | null
  const settlement = await retryConflicts(async () => {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.status === 'ongoing') return 'gone'
    if (chat.active_turn_id !== null) return 'busy'
    const ending = await loadEnding(dependencies, chat)
    await tellEnd(dependencies, chat, ending)
    if (!isLeftToDo(chat, ending.plan)) return 'gone'
    const ended = await readEndedChat(database.read, chat)
    if (chat.stored_as === null) found ??= await analyse(dependencies, ended, ending.plan, options)
    await write(dependencies, ended, { ending, found, withholds: options.withholds })
    return 'written'
  })
  // Somebody else was first: what was used was used all the same.
  if (settlement !== 'written' && found !== null) await keepUsages(dependencies, chatId, found.usages)
  return settlement === 'busy' ? 'busy' : 'done'
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
): Promise<FoundAnalysis> {
  const plan = { items, modelNames: asksModels ? modelNames : [], signal }
  const outcome = await analyseChat(dependencies, ended, plan)
  return await foundOrThrown(outcome, (usages) => keepUsages(dependencies, ended.chat.chat_id, usages))
}

/** Counts what was used although nothing else of it is kept. */
export async function keepUsages(
  { database }: Pick<SettleDependencies, 'database'>,
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
  { database, webhooks, clock, redaction }: SettleDependencies,
  ended: EndedChat,
  {
    ending,
    found,
    withholds,
  }: Pick<SettleOptions, 'withholds'> & {
    readonly ending: LoadedEnding
    readonly found: FoundAnalysis | null
  },
): Promise<void> {
  const { chat } = ended
  const { plan, agents } = ending
  const now = clock.now()
  const outcome = plan.items.length > 0 ? found : null
  const known = chat.analysis === null ? null : (JSON.parse(chat.analysis) as ChatAnalysis)
  const redacting = (policy: StoragePolicy) =>
    redact(redaction, chat.workspace_id, { kind: 'storedChat', ended, policy, analysis: outcome?.analysis ?? known })
  const { policy, result } = withholds
    ? await redactOrWithhold(plan.policy, redacting)
    : { policy: plan.policy, result: await redacting(plan.policy) }
  const { change, analysis } = result
  const deleteAt = deletionTime(plan.policy, chat.ended_at ?? now)
  const told =
    outcome === null
      ? []
      : await webhooks.statements({
          workspaceId: chat.workspace_id,
          event: 'chat_analyzed',
          subject: { kind: 'chat', id: chat.chat_id },
          agents: webhooksOf(agents),
        })
  const columns = {
    ...change.columns,
    analysis: analysis === null ? null : JSON.stringify(analysis),
    ...(outcome !== null && { analysed_at: now, analysis_usage: addUsages(chat.analysis_usage, outcome.usages) }),
    stored_as: policy.setting,
    delete_at: deleteAt,
    due_at: deleteAt,
  }
  await database.batch([...settleStatements(database, ended, { ...change, columns }), ...told])
}

export interface SettleJobDependencies extends SettleDependencies {
  readonly jobs: Pick<JobQueue, 'statement'>
}

export function createSettleHandler(dependencies: SettleJobDependencies): JobHandler {
  const { database, clock, jobs } = dependencies
  return {
    ...SETTLE_ATTEMPTS,
    async run(job, signal) {
      const { chatId, waits } = readPayload(job)
      const { attempt } = job
      const options = { asksModels: asksModelsAt(attempt), withholds: withholdsAt(attempt), signal }
      const settlement = await settleChat(dependencies, chatId, options)
      if (settlement === 'done') return
      const runAt = clock.now() + Math.min(LONGEST_BUSY_MS, BUSY_MS * 2 ** waits)
      const again = { kind: CHAT_ENDED, payload: { chatId, waits: waits + 1 }, runAt }
      const { workspaceId } = job
      await database.batch([jobs.statement({ ...again, ...(workspaceId !== undefined && { workspaceId }) })])
    },
  }
}

function readPayload({ payload }: Job): { chatId: string; waits: number } {
  const { chatId, waits } = payload as { chatId?: unknown; waits?: unknown }
  return { chatId: String(chatId), waits: typeof waits === 'number' ? Math.min(waits, 20) : 0 }
}
