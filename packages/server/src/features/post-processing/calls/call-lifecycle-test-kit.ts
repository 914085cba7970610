import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { CallEvent, CallEventEntry } from '@parley/contract/call-event'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import { seedCalls } from '../../../../../../testing/seed-calls.ts'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { buildTranscript, collectHandoffs, sumUsage } from '../../calls/records/call-stats.ts'
import { openPostProcessingScenario } from '../post-processing-test-kit.ts'
import { type CallLifecycle, createCallLifecycle } from './call-lifecycle.ts'
import { processDueCalls } from './call-post-processing.ts'
import { readCallEvents } from './ended-call-store.ts'
import { createFinalizeCallHandler } from './finalize-call.ts'

const BOTH_AGENTS: SwapSettings = { analysis: 'both_agents', webhooks: 'both_agents' }

/** Opens calls in a real database, with named agents and models, virtual time and recorded webhooks. */
export async function openCallEndings() {
  const scenario = await openPostProcessingScenario()
  const { database, clock, jobs, pinned } = scenario
  const dependencies = {
    ...scenario,
    computeCost: (model: string, { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
      model === 'unknown' ? null : Math.round(inputTokens + 2 * outputTokens) / 1e6,
    computeSpeechCost: (model: string, { seconds }: { readonly seconds: number | null }) => {
      if (model === 'builtin/slt') return 0
      return model === 'by-second' && seconds !== null ? seconds / 1000 : null
    },
    buildTranscript,
    buildRecordingRemoval: (callId: string): BatchStatement =>
      jobs.buildEnqueueStatement({ kind: 'forget-sound', payload: { callId } }),
  }
  const lifecycle = createCallLifecycle(dependencies)
  const handler = createFinalizeCallHandler(dependencies)
  const ongoing = createOngoingCalls({ database, clock, pinned, lifecycle })
  /** Runs the call's job as the worker does. */
  const finalize = (callId: string, attempt = 1) => {
    const job = { jobId: 'job_1', kind: 'call-ended', payload: { callId }, attempt, maxAttempts: 10 }
    return handler.run(job, new AbortController().signal)
  }
  return {
    ...dependencies,
    lifecycle,
    handler,
    ...createCallReaders(database),
    ...ongoing,
    finalize,
    async endAndFinalize(callId: string) {
      await ongoing.end(callId)
      await finalize(callId)
    },
    processDue: () => processDueCalls({ ...dependencies, lifecycle }),
    endJobs: () => scenario.jobsOf('call-ended'),
    deletedRecordings: () => scenario.jobsOf('forget-sound'),
    dump: () => readDump(database),
  }
}

function createCallReaders(database: Pick<Database, 'read' | 'queryBuilder' | 'batch'>) {
  const read = async (callId: string): Promise<CallRow | undefined> =>
    await database.read.selectFrom('calls').selectAll().where('call_id', '=', callId).executeTakeFirst()
  return {
    read,
    async readExisting(callId: string): Promise<CallRow> {
      const call = await read(callId)
      if (call === undefined) throw new Error(`there is no ${callId}`)
      return call
    },
    eventsOf: (callId: string) => readCallEvents(database.read, callId),
    async change(callId: string, columns: Partial<CallRow>) {
      const query = database.queryBuilder.updateTable('calls').set(columns).where('call_id', '=', callId)
      await database.batch([{ query: query.compile() }])
    },
    /** Adds events from position `first`, one second apart. */
    async addEvents(
      callId: string,
      entries: readonly CallEventEntry[],
      { first, now }: { readonly first: number; readonly now: number },
    ): Promise<void> {
      if (entries.length === 0) return
      const rows = entries.map(({ type, ...statements }, index) => ({
        call_id: callId,
        position: first + index,
        at_ms: index * 1_000,
        created_at: now + index * 1_000,
        type,
        content: JSON.stringify(statements),
      }))
      await database.batch([{ query: database.queryBuilder.insertInto('call_events').values(rows).compile() }])
    },
  }
}

type Scenario = Awaited<ReturnType<typeof openPostProcessingScenario>>

/** Simulates the features that handle and end calls. */
function createOngoingCalls({
  database,
  clock,
  pinned,
  lifecycle,
}: Pick<Scenario, 'database' | 'clock' | 'pinned'> & { readonly lifecycle: CallLifecycle }) {
  const stored = createCallReaders(database)
  const addEvents = (callId: string, first: number, entries: readonly CallEventEntry[]): Promise<void> =>
    stored.addEvents(callId, entries, { first, now: clock.now() })
  return {
    addEvents,
    /** Adds an ongoing call of an agent with these events. */
    async addCall(
      callId: string,
      agentId: string,
      entries: readonly CallEventEntry[] = [],
      { optOut = false, ...more }: Partial<CallRow> & { readonly optOut?: boolean } = {},
    ) {
      const agent = pinned.get(agentId)
      const columns = agent === undefined ? {} : lifecycle.getInitialColumns(agent.postProcessing, optOut)
      await seedCalls(database, [{ ...buildOngoingCall(callId, agentId, clock.now()), ...columns, ...more }])
      await addEvents(callId, 0, entries)
    },
    /** Simulates a handoff by the node that handles the call. */
    async handOver(callId: string, agentId: string, settings: SwapSettings = BOTH_AGENTS) {
      const agent = pinned.get(agentId)
      if (agent === undefined) throw new Error(`there is no ${agentId}`)
      await lifecycle.storeHandoff(callId, agent, settings)
    },
    /** Simulates the feature that ends calls. */
    async end(callId: string, reason = 'user_hangup') {
      const now = clock.now()
      const events = await readCallEvents(database.read, callId)
      const call = await stored.readExisting(callId)
      const path = JSON.stringify([...JSON.parse(call.agent_path).slice(0, 1), ...collectHandoffs(events)])
      const columns = { status: 'ended', disconnection_reason: reason, ended_at: now, updated_at: now, due_at: null }
      const query = database.queryBuilder
        .updateTable('calls')
        .set({ ...columns, agent_path: path, transcript: buildTranscript(events) })
        .where('call_id', '=', callId)
        .compile()
      const statements = await lifecycle.onEnded({ ...call, agent_path: path }, sumUsage(events))
      await database.batch([{ query }, ...statements])
      await addEvents(callId, events.length, [{ type: 'call-ended', reason }])
    },
    async tightenStorage(callId: string, setting: DataStorageSetting) {
      await database.batch(lifecycle.tightenStorage(await stored.readExisting(callId), setting))
    },
  }
}

function buildOngoingCall(callId: string, agentId: string, now: number) {
  const path = [{ agentId, agentVersion: 1, at: new Date(now).toISOString() }]
  return {
    call_id: callId,
    agent_id: agentId,
    status: 'ongoing',
    started_at: now,
    ended_at: null,
    updated_at: now,
    disconnection_reason: null,
    agent_path: JSON.stringify(path),
    recording: '{"durationMs":1}',
    duration_ms: null,
  }
}

const TABLES = ['calls', 'call_events', 'jobs', 'webhook_events', 'webhook_deliveries', 'idempotency_keys'] as const

/** Reads all rows that could contain parts of a call. */
export async function readDump({ read }: Pick<Database, 'read'>): Promise<string> {
  const rows = await Promise.all(TABLES.map((table) => read.selectFrom(table).selectAll().execute()))
  return JSON.stringify(rows)
}

type Entry<Type extends CallEvent['type']> = Extract<CallEventEntry, { type: Type }>

/** Builds an agent message. By default, every blank-separated part has a word timing. */
export function buildAgentMessage(content: string, more: Partial<Entry<'agent-message'>> = {}): CallEventEntry {
  const spoken = { content, generatedContent: content, interrupted: false, kind: 'reply' as const }
  return {
    type: 'agent-message',
    turnId: null,
    ...spoken,
    startMs: 0,
    endMs: 1_000,
    words: buildWords(content),
    ...more,
  }
}

export function buildUserMessage(content: string, more: Partial<Entry<'user-message'>> = {}): CallEventEntry {
  const span = { startMs: 0, endMs: 1_000, words: buildWords(content) }
  return { type: 'user-message', turnId: 'turn_1', content, source: 'speech', ...span, ...more }
}

export function buildWords(text: string): Entry<'user-message'>['words'] {
  return text.split(' ').map((word, index) => ({ word, startMs: index * 100, endMs: index * 100 + 90 }))
}

export function buildSwap(agentId: string, { analysis, webhooks }: SwapSettings = BOTH_AGENTS): CallEventEntry {
  return { type: 'agent-swap', agentId, agentVersion: 1, agentName: agentId, analysis, webhooks }
}

export function buildUsage(
  product: Entry<'usage'>['product'],
  model: string,
  quantity: number,
  unit: Entry<'usage'>['unit'],
): CallEventEntry {
  return { type: 'usage', product, model, quantity, unit }
}
