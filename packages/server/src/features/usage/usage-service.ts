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
  createEmptyUsage,
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
  /** Returns metrics of the conversations that started in the range, one entry per key, sorted by key. */
  read(request: UsageRequest): Promise<Usage[]>
}

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** Slice length for summing calls. Slices keep a long range from blocking other work. */
const SLICE_MS = 31 * DAY_MS
const CALL_BATCH_SIZE = 10_000
/** Calls per read. Other requests are served between reads. */
const MEASURED_BATCH_SIZE = 500
/** Bounds the work for owners of very many workspaces. */
const WORKSPACE_BATCH_SIZE = 50
/** Chats per read. Other requests are served between reads. */
const CHAT_BATCH_SIZE = 200

export function createUsageService(dependencies: UsageServiceDependencies): UsageService {
  const { clock } = dependencies

  return {
    async read({ workspaceIds, groupBy, ...requestedRange }) {
      const { from, to } = readRange(requestedRange, clock.now())
      const sums = new SumsByKey()
      for (const [index, workspaceId] of workspaceIds.entries()) {
        if (index % WORKSPACE_BATCH_SIZE === WORKSPACE_BATCH_SIZE - 1) await yieldToEventLoop(clock)
        const range = { workspaceId, from, to, groupBy }
        await addAllCalls(dependencies, sums, range)
        await addChats(dependencies, sums, range)
      }
      return sums.toUsage()
    },
  }
}

function yieldToEventLoop(clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve))
}

async function addAllCalls(dependencies: UsageServiceDependencies, sums: SumsByKey, range: UsageRange): Promise<void> {
  const { database, clock } = dependencies
  for (let from = range.from; from <= range.to; from += SLICE_MS) {
    let count = 0
    const slice = { ...range, from, to: Math.min(range.to, from + SLICE_MS - 1) }
    for (const calls of await sumCalls(database.read, slice)) {
      addCalls(sums.getSums(formatGroupKey(range.groupBy, calls.group)), calls)
      count += calls.calls
    }
    if (count > CALL_BATCH_SIZE) await yieldToEventLoop(clock)
    if (count > 0) await addAnswerLatencies(dependencies, sums, slice)
  }
}

async function addAnswerLatencies(
  { database, clock }: UsageServiceDependencies,
  sums: SumsByKey,
  range: UsageRange,
): Promise<void> {
  for (let lastCall: CallPosition | null = null; ; ) {
    const calls = await readMeasuredCalls(database.read, range, { after: lastCall, limit: MEASURED_BATCH_SIZE })
    for (const { latency, group } of calls) {
      const { answerLatenciesMs } = sums.getSums(formatGroupKey(range.groupBy, group))
      for (const ms of estimateAnswerLatencies(latency)) answerLatenciesMs.push(ms)
    }
    const latestCall = calls.at(-1)
    if (latestCall === undefined || calls.length < MEASURED_BATCH_SIZE) return
    lastCall = { createdAt: latestCall.created_at, callId: latestCall.call_id }
    await yieldToEventLoop(clock)
  }
}

async function addChats(
  { database, clock }: UsageServiceDependencies,
  sums: SumsByKey,
  range: UsageRange,
): Promise<void> {
  for (let lastChat: ChatPosition | null = null; ; ) {
    const chats = await readChats(database.read, range, { after: lastChat, limit: CHAT_BATCH_SIZE })
    const latestChat = chats.at(-1)
    if (latestChat === undefined) return
    const sumsByChat = new Map(
      chats.map((chat) => [chat.chat_id, sums.getSums(formatGroupKey(range.groupBy, chat.group))]),
    )
    const markups = new Map(chats.map((chat) => [chat.chat_id, chat.markup_percent]))
    for (const chat of chats) {
      const chatSums = sumsByChat.get(chat.chat_id)
      if (chatSums === undefined) continue
      chatSums.chats += 1
      chatSums.microDollars += computeTurnMicroDollars(chat.analysis_usage, chat.markup_percent)
    }
    for (const turn of await readTurns(database.read, [...sumsByChat.keys()])) {
      const chatSums = sumsByChat.get(turn.chat_id)
      if (chatSums === undefined) continue
      chatSums.microDollars += computeTurnMicroDollars(turn.usage, markups.get(turn.chat_id) ?? 0)
      if (turn.status === 'failed') chatSums.errors += 1
      if (turn.first_text_ms !== null) chatSums.answerLatenciesMs.push(turn.first_text_ms)
    }
    if (chats.length < CHAT_BATCH_SIZE) return
    lastChat = { startedAt: latestChat.started_at, chatId: latestChat.chat_id }
    await yieldToEventLoop(clock)
  }
}

/** Returns the requested range. Throws `invalid_request` if the range is too long. */
function readRange(
  requestedRange: { readonly from?: number | undefined; readonly to?: number | undefined },
  now: number,
): { from: number; to: number } {
  const to = requestedRange.to ?? Math.max(now, requestedRange.from ?? now)
  const from = requestedRange.from ?? to - DEFAULT_DAYS * DAY_MS + 1
  if (to - from < USAGE_LIMIT_DAYS * DAY_MS) return { from, to }
  throw invalidField('startDate', `must be at most ${USAGE_LIMIT_DAYS} days before the end of the range`)
}

function addCalls(sums: UsageTotals, calls: Awaited<ReturnType<typeof sumCalls>>[number]): void {
  sums.calls += calls.calls
  sums.durationMs += calls.durationMs
  sums.microDollars += calls.microDollars
  sums.analyzed += calls.analyzed
  sums.successful += calls.successful
  sums.errors += calls.errors
}

class SumsByKey {
  readonly #sums = new Map<string, UsageTotals>()

  getSums(key: string): UsageTotals {
    const keySums = this.#sums.get(key) ?? createEmptyUsage()
    this.#sums.set(key, keySums)
    return keySums
  }

  /** Converts the sums to usage entries. Workspace ids are sorted as numbers. */
  toUsage(): Usage[] {
    const order = new Intl.Collator('en', { numeric: true })
    return [...this.#sums].sort(([a], [b]) => order.compare(a, b)).map(([key, sums]) => toUsage(key, sums))
  }
}

/** Registers the usage operation. Without a workspace, metrics cover everything the actor may read. */
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
