import { availableParallelism } from 'node:os'
import type { Clock } from '@parley/engine/ports'
import type { Config } from './config.ts'
import type { RedactionRunner } from './features/endings/redaction-tasks.ts'
import type { IndexWorker } from './features/knowledge/retrieval/index-worker.ts'
import type { Foundation } from './foundation.ts'
import { createGuardedAgent } from './platform/outbound/guarded-agent.ts'
import { createGuardedFetch } from './platform/outbound/guarded-fetch.ts'
import { createGuardedClient } from './platform/outbound/guarded-request.ts'
import { createGuardedSocketOpener } from './platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from './platform/outbound/target-policy.ts'
import { createCodeRunner } from './providers/code/code-runner.ts'
import { createCustomLlmClient } from './providers/custom-llm/custom-llm-client.ts'
import { createDocumentPreparer } from './providers/documents/document-preparer.ts'
import { createEmbedder } from './providers/embeddings/embedder.ts'
import { createMcpClient } from './providers/mcp/mcp-client.ts'
import { createModelCatalogue } from './providers/models/catalogue.ts'
import { createModelDispatcher } from './providers/models/model-dispatcher.ts'
import { createOfflineModels } from './providers/models/offline/offline-models.ts'
import { costOf, loadPrices, speechCostOf } from './providers/models/prices.ts'
import { createWorkspaceModels } from './providers/models/workspace-models.ts'
import { RedactionPool } from './providers/redaction/redaction-pool.ts'
import { createIndexWorker } from './providers/retrieval/create-index-worker.ts'
import { createFliteSynthesizer } from './providers/speech/flite/flite-synthesizer.ts'
import { createSpeechProviders } from './providers/speech/speech-providers.ts'
import { createHttpToolClient } from './providers/tools/http-tool-client.ts'
import { createVoiceDirectories } from './providers/voices/voice-directories.ts'
import { createWebPages } from './providers/web-pages/web-pages.ts'
import { orStartError } from './start-error.ts'

/** Each holds some 20 MB while it is in use; one workspace gets all but one of them. */
const MOST_CODE_THREADS = 4

/** Turns of all workspaces on one server that a customer stored; more of them wait for a connection. */
const GUARDED_MODEL_CONNECTIONS = 256

export interface OutboundOptions {
  readonly clock: Clock
  readonly version: string
  readonly logError: (name: string, error: unknown) => void
}

export interface Outbound
  extends Pick<
    Foundation,
    | 'workspaceModels'
    | 'costOf'
    | 'toolClients'
    | 'voiceDirectories'
    | 'code'
    | 'mcp'
    | 'customLlm'
    | 'documents'
    | 'pages'
    | 'embedder'
    | 'send'
    | 'targets'
    | 'speechProviders'
    | 'warmSpeech'
    | 'speechCostOf'
  > {
  /** Holds the indexes of knowledge bases. */
  readonly knowledgeIndex: IndexWorker
  readonly redaction: RedactionRunner
  /** Starts the offline model ahead of the first turn when new agents answer with it. */
  warmOfflineModel(): void
  /** Ends all requests under way. */
  close(): Promise<void>
}

/** Everything that goes out of the house, or to threads of its own: models, customers' tools behind the guard, documents. */
export async function connectOutbound(config: Config, options: OutboundOptions): Promise<Outbound> {
  const { clock, version, logError } = options
  const policy = await orStartError(() => createTargetPolicy(config), 'ALLOW_PRIVATE_TARGETS')
  const prices = await orStartError(() => loadPrices(config.pricesFile), 'PRICES_FILE')
  const modelHttp = createModelDispatcher()
  const guardedModelHttp = createGuardedAgent({ policy, connectionsPerOrigin: GUARDED_MODEL_CONNECTIONS })
  const guarded = createGuardedClient({ policy, clock })
  // The operator's own addresses: the same limits, none refused.
  const direct = createGuardedClient({ policy: { allows: () => true }, clock })
  const mcpHttp = createGuardedAgent({ policy })
  const mcp = createMcpClient({ fetch: createGuardedFetch({ agent: mcpHttp, clock }), clock, version })
  const customLlm = createCustomLlmClient({ openSocket: createGuardedSocketOpener({ policy, clock }), clock })
  const code = createCodeRunner({ clock, threads: Math.min(MOST_CODE_THREADS, Math.max(2, availableParallelism())) })
  const documents = createDocumentPreparer({ clock })
  const pages = createWebPages({ send: guarded.request, clock })
  const { embedding } = config
  const embedder = embedding === undefined ? null : createEmbedder({ ...embedding, http: modelHttp, clock })
  const knowledgeIndex = createIndexWorker({ clock })
  const redaction = new RedactionPool({ clock })
  const builtInSpeech = createFliteSynthesizer({ clock, logError: (error) => logError('speak', error) })
  const offlineModels = createOfflineModels({ clock })
  const defaultModel = config.defaultModel ?? 'offline'
  const catalogue = {
    providers: config.providers,
    offline: offlineModels.forWorkspace(0),
    defaultModel,
    http: modelHttp,
    clock,
  }
  const models = createModelCatalogue(catalogue)
  return {
    workspaceModels: (keys) =>
      createWorkspaceModels({
        shared: models,
        base: catalogue,
        keys,
        guardedHttp: guardedModelHttp,
        offlineFor: offlineModels.forWorkspace,
      }),
    costOf: (model, usage) => costOf(prices, model, usage),
    speechCostOf: (model, usage) => speechCostOf(prices, model, usage),
    voiceDirectories: createVoiceDirectories({ direct: direct.request, guarded: guarded.request, clock, version }),
    toolClients: (secretsFor) => createHttpToolClient({ request: guarded.request, secretsFor, clock, version }),
    send: guarded.request,
    targets: policy,
    code,
    mcp,
    customLlm,
    documents,
    pages,
    embedder,
    knowledgeIndex,
    redaction,
    warmSpeech: () => builtInSpeech.warm(),
    speechProviders: (keys) =>
      createSpeechProviders({
        settings: config.speech,
        keys,
        clock,
        builtIn: builtInSpeech,
        http: modelHttp,
        guardedHttp: guardedModelHttp,
      }),
    warmOfflineModel() {
      if (defaultModel === 'offline') offlineModels.warm()
    },
    async close() {
      const working = [builtInSpeech, offlineModels, code, mcp, customLlm, documents, redaction]
      await Promise.all(working.map((one) => one.close()))
      await Promise.all([
        mcpHttp.destroy(),
        modelHttp.destroy(),
        guardedModelHttp.destroy(),
        guarded.close(),
        direct.close(),
      ])
    },
  }
}
