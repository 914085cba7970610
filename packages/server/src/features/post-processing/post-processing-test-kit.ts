import {
  type AnalysisItem,
  CHAT_ANALYSIS_PRESETS,
  type DataStorageSetting,
  PII_CATEGORIES,
} from '@parley/contract/after-conversation'
import type { Clock, LanguageModel, ModelUsage } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { callTools, replyWith, type ScriptedStep } from '@parley/engine/testing/scripted-model'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Api } from '../../kernel/api/implement.ts'
import { notFound } from '../../kernel/errors.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createJobQueue } from '../../platform/queue/job-queue.ts'
import type { PinnedAgent, PostProcessingSettings } from '../agents/pinned-agent.ts'
import { createSequentialIds, pinnedAgent } from '../features-test-kit.ts'
import { disposeAll, openRoutes, type RouteSetting } from '../route-test-kit.ts'
import type { NewWebhookEvent, WebhookEvents } from '../webhooks/webhook-ports.ts'
import { performRedaction, RedactionFailedError, type RedactionResult, type RedactionTask } from './redaction-tasks.ts'

const EVENT_JOB = 'published-event'

/** Default post-processing settings of agents in tests. */
const DEFAULT_SETTINGS: PostProcessingSettings = {
  analysisItems: CHAT_ANALYSIS_PRESETS,
  analysisModel: null,
  endAfterSilenceMs: 3_600_000,
  autoCloseMessage: null,
  storage: 'everything',
  piiCategories: PII_CATEGORIES,
  retentionDays: null,
}

/** Creates a model that responds only after this many requests. */
export function createSimultaneousModel(model: LanguageModel, count: number): LanguageModel {
  const allStarted = Promise.withResolvers<void>()
  let requestCount = 0
  return {
    ...model,
    async *stream(request) {
      const response = model.stream(request)
      requestCount += 1
      if (requestCount === count) allStarted.resolve()
      await allStarted.promise
      yield* response
    },
  }
}

/** Opens a real database with named agents and models, virtual time and recorded webhooks. */
export async function openPostProcessingScenario() {
  const redactions = { failWithTimeout: false }
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const { clock: processClock } = time
  const clock = createSharedClock(processClock)
  const makeId = createSequentialIds()
  const jobs = createJobQueue({ database, clock, makeId })
  const pinned = new Map<string, PinnedAgent>()
  const models = new Map<string, LanguageModel>()
  const findAgent = async ({ agentId }: { agentId: string }): Promise<PinnedAgent> => {
    const agent = pinned.get(agentId)
    if (agent === undefined) throw notFound('agent', agentId)
    return agent
  }
  const webhooks: WebhookEvents = {
    buildStatements: async (event) => [
      jobs.buildEnqueueStatement({ kind: EVENT_JOB, payload: JSON.parse(JSON.stringify(event)) }),
    ],
    buildDeleteStatements: () => [],
  }
  const jobsOf = async (kind: string): Promise<unknown[]> => {
    const rows = await database.read
      .selectFrom('jobs')
      .select('payload')
      .where('kind', '=', kind)
      .orderBy('job_id')
      .execute()
    return rows.map(({ payload }) => JSON.parse(payload))
  }
  return {
    database,
    clock,
    processClock,
    makeId,
    jobs,
    webhooks,
    agents: { load: findAgent, preview: findAgent },
    models: { forWorkspace: async () => ({ resolve: (name: string) => models.get(name) ?? null }) },
    computeCost: () => 0.01,
    /** Whether conversations take too long to redact. */
    redactions,
    /** Passes tasks through JSON as in production, but runs them on this thread. */
    redaction: {
      run: async (_workspaceId: number, task: RedactionTask): Promise<RedactionResult> => {
        if (redactions.failWithTimeout) throw new RedactionFailedError('It took too long.', { isTimeout: true })
        return JSON.parse(JSON.stringify(performRedaction(task)))
      },
    },
    time,
    pinned,
    addModel: (name: string, model: LanguageModel) => void models.set(name, model),
    addAgent: (agentId: string, postProcessing: Partial<PostProcessingSettings> = {}, model = 'offline') =>
      void pinned.set(agentId, buildAgent(agentId, { ...DEFAULT_SETTINGS, ...postProcessing }, model)),
    removeAgent: (agentId: string) => void pinned.delete(agentId),
    jobsOf,
    publishedEvents: async (): Promise<NewWebhookEvent[]> => (await jobsOf(EVENT_JOB)) as NewWebhookEvent[],
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function buildAgent(agentId: string, postProcessing: PostProcessingSettings, model: string): PinnedAgent {
  const webhook = { url: `https://${agentId}.example.com`, events: ['chat_ended' as const], timeoutMs: 1_000 }
  return pinnedAgent({ agentId, agentName: agentId, model, webhook, postProcessing })
}

/** A scenario with conversations of one kind for analysis tests. */
interface AnalysisScenario extends Omit<RouteSetting, 'clock'>, AsyncDisposable {
  readonly processClock: Clock
  addModel(name: string, model: LanguageModel): void
  finalize(id: string): Promise<void>
  tightenStorage(id: string, setting: DataStorageSetting): Promise<void>
}

/** Serves the analysis routes that `register` registers for a scenario. Disposing the result disposes of both. */
export function serveAnalysis<World extends AnalysisScenario>(opened: World, register: (api: Api) => void) {
  const routes = openRoutes({ ...opened, clock: opened.processClock }, register)
  const finalizeAs = async (id: string, setting: DataStorageSetting): Promise<void> => {
    await opened.tightenStorage(id, setting)
    await opened.finalize(id)
  }
  return {
    opened,
    routes,
    /**
     * Finalizes the conversation with the next setting before each response of the model. Null leaves the conversation
     * unchanged.
     */
    finalizeOnRequest(id: string, model: LanguageModel, settings: readonly (DataStorageSetting | null)[]): void {
      const remainingSettings = settings.values()
      opened.addModel(model.name, {
        name: model.name,
        async *stream(request) {
          const setting = remainingSettings.next().value ?? null
          if (setting !== null) await finalizeAs(id, setting)
          yield* model.stream(request)
        },
      })
    },
    [Symbol.asyncDispose]: disposeAll(routes, opened),
  }
}

/** Builds a model step with this report and usage. */
export function buildReportStep(found: object, usage: ModelUsage | null = null): ScriptedStep {
  const { events } = callTools(['report_analysis', found])
  return { events: [...events.slice(0, -1), { type: 'finish', reason: 'tool-calls', usage }] }
}

/** Builds a model step with an invalid report, which causes a retry. */
export function buildInvalidReport(usage: ModelUsage): ScriptedStep {
  return { events: [...replyWith('A nice talk.').events.slice(0, -1), { type: 'finish', reason: 'stop', usage }] }
}

/** Custom items for tests of one field. */
export const RATING: AnalysisItem = { type: 'number', name: 'rating', description: 'Of the service' }
