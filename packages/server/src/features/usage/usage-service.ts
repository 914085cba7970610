import { getUsage, USAGE_LIMIT_DAYS, type Usage, type UsageGroup } from '@parley/contract/usage'
import type { Clock } from '@parley/engine/ports'
import { listPermittedWorkspaces } from '../../kernel/access/actor.ts'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { invalidField } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import {
  type CallPosition,
  type ChatPosition,
  computeTurnMicroDollars,
  createEmptyTotals,
  estimateAnswerLatencies,
  formatGroupKey,
  readChats,
  readMeasuredCalls,
  readTurns,
  sumCalls,
  toUsage,
  type UsageRange,
  type UsageTotals,
} from './usage-store.ts'

interface UsageServiceDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: Clock
}

interface UsageRequest {
  readonly workspaceIds: readonly number[]
  /** Bounds of the range, both inclusive, in milliseconds. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly groupBy: UsageGroup
}

interface UsageService {
  /** Returns one entry per group with the metrics of the conversations that started in the range, sorted by key. */
  read(request: UsageRequest): Promise<Usage[]>
}

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** Calls are summed in slices of this length, so that a long range does not block other work. */
const SLICE_MS = 31 * DAY_MS
const CALL_BATCH_SIZE = 10_000
/** Calls per read. Other requests are served between reads. */
const MEASURED_BATCH_SIZE = 500
/** Workspaces to process before other requests are served. */
const WORKSPACE_BATCH_SIZE = 50
/** Chats per read. Other requests are served between reads. */
const CHAT_BATCH_SIZE = 200

export function createUsageService(dependencies: UsageServiceDependencies): UsageService {
  const { clock } = dependencies

  return {
    async read({ workspaceIds, groupBy, ...requestedRange }) {
      const { from, to } = resolveRange(requestedRange, clock.now())
      const totals = new TotalsByKey()
      for (const [index, workspaceId] of workspaceIds.entries()) {
        if (index % WORKSPACE_BATCH_SIZE === WORKSPACE_BATCH_SIZE - 1) await yieldToEventLoop(clock)
        const range = { workspaceId, from, to, groupBy }
        await addAllCalls(dependencies, totals, range)
        await addChats(dependencies, totals, range)
      }
      return totals.toUsage()
    },
  }
}

function yieldToEventLoop(clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve))
}

async function addAllCalls(
  dependencies: UsageServiceDependencies,
  totals: TotalsByKey,
  range: UsageRange,
): Promise<void> {
  const { database, clock } = dependencies
  for (let from = range.from; from <= range.to; from += SLICE_MS) {
    let callCount = 0
    const slice = { ...range, from, to: Math.min(range.to, from + SLICE_MS - 1) }
    for (const calls of await sumCalls(database.read, slice)) {
      addCalls(totals.getTotals(formatGroupKey(range.groupBy, calls.group)), calls)
      callCount += calls.calls
    }
    if (callCount > CALL_BATCH_SIZE) await yieldToEventLoop(clock)
    if (callCount > 0) await addAnswerLatencies(dependencies, totals, slice)
  }
}

async function addAnswerLatencies(
  { database, clock }: UsageServiceDependencies,
  totals: TotalsByKey,
  range: UsageRange,
): Promise<void> {
  for (let lastCall: CallPosition | null = null; ; ) {
    const calls = await readMeasuredCalls(database.read, range, { after: lastCall, limit: MEASURED_BATCH_SIZE })
    for (const { latency, group } of calls) {
      const { answerLatenciesMs } = totals.getTotals(formatGroupKey(range.groupBy, group))
      for (const latencyMs of estimateAnswerLatencies(latency)) answerLatenciesMs.push(latencyMs)
    }
    const latestCall = calls.at(-1)
    if (latestCall === undefined || calls.length < MEASURED_BATCH_SIZE) return
    lastCall = { createdAt: latestCall.created_at, callId: latestCall.call_id }
    await yieldToEventLoop(clock)
  }
}

async function addChats(
  { database, clock }: UsageServiceDependencies,
  totals: TotalsByKey,
  range: UsageRange,
): Promise<void> {
  for (let lastChat: ChatPosition | null = null; ; ) {
    const chats = await readChats(database.read, range, { after: lastChat, limit: CHAT_BATCH_SIZE })
    const latestChat = chats.at(-1)
    if (latestChat === undefined) return
    const totalsByChat = new Map(
      chats.map((chat) => [chat.chat_id, totals.getTotals(formatGroupKey(range.groupBy, chat.group))]),
    )
    const markupByChat = new Map(chats.map((chat) => [chat.chat_id, chat.markup_percent]))
    for (const chat of chats) {
      const chatTotals = totalsByChat.get(chat.chat_id)
      if (chatTotals === undefined) continue
      chatTotals.chats += 1
      chatTotals.microDollars += computeTurnMicroDollars(chat.analysis_usage, chat.markup_percent)
    }
    for (const turn of await readTurns(database.read, [...totalsByChat.keys()])) {
      const chatTotals = totalsByChat.get(turn.chat_id)
      if (chatTotals === undefined) continue
      chatTotals.microDollars += computeTurnMicroDollars(turn.usage, markupByChat.get(turn.chat_id) ?? 0)
      if (turn.status === 'failed') chatTotals.errors += 1
      if (turn.first_text_ms !== null) chatTotals.answerLatenciesMs.push(turn.first_text_ms)
    }
    if (chats.length < CHAT_BATCH_SIZE) return
    lastChat = { startedAt: latestChat.started_at, chatId: latestChat.chat_id }
    await yieldToEventLoop(clock)
  }
}

/** Returns the requested range. Throws `invalid_request` if the range is too long. */
function resolveRange(
  requestedRange: { readonly from?: number | undefined; readonly to?: number | undefined },
  now: number,
): { from: number; to: number } {
  const to = requestedRange.to ?? Math.max(now, requestedRange.from ?? now)
  const from = requestedRange.from ?? to - DEFAULT_DAYS * DAY_MS + 1
  if (to - from < USAGE_LIMIT_DAYS * DAY_MS) return { from, to }
  throw invalidField('startDate', `must be at most ${USAGE_LIMIT_DAYS} days before the end of the range`)
}

function addCalls(totals: UsageTotals, calls: Awaited<ReturnType<typeof sumCalls>>[number]): void {
  totals.calls += calls.calls
  totals.durationMs += calls.durationMs
  totals.microDollars += calls.microDollars
  totals.analyzed += calls.analyzed
  totals.successful += calls.successful
  totals.errors += calls.errors
}

class TotalsByKey {
  readonly #totals = new Map<string, UsageTotals>()

  getTotals(key: string): UsageTotals {
    const groupTotals = this.#totals.get(key) ?? createEmptyTotals()
    this.#totals.set(key, groupTotals)
    return groupTotals
  }

  /** Returns the metrics of each group, sorted by key. Workspace ids are sorted as numbers. */
  toUsage(): Usage[] {
    const collator = new Intl.Collator('en', { numeric: true })
    return [...this.#totals].sort(([a], [b]) => collator.compare(a, b)).map(([key, totals]) => toUsage(key, totals))
  }
}

/** Registers the usage route. Without a workspace, the metrics cover all workspaces that the actor can read. */
export function registerUsageRoutes(api: Api, service: UsageService): void {
  implement(api, getUsage, async ({ query }, { actor, workspaceId }) =>
    service.read({
      workspaceIds: workspaceId === 0 ? listPermittedWorkspaces(actor, 'read') : [workspaceId],
      from: query.startDate,
      to: query.endDate,
      groupBy: query.groupBy,
    }),
  )
}
