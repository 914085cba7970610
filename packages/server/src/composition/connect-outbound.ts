import { availableParallelism } from 'node:os'
import type { CodeRunner, CustomLlmClient, HttpToolClient, McpClient } from '@parley/engine/ports'
import type { Config } from '../config.ts'
import type { ReadTxtRecords } from '../features/branding/public.ts'
import type { DocumentPreparer, Embedder, IndexWorker, WebPageFetcher } from '../features/knowledge/public.ts'
import type { ModelPrices } from '../features/llms/public.ts'
import type { RedactionRunner } from '../features/post-processing/public.ts'
import type { KeyTester, VendorKeys } from '../features/vendor-keys/public.ts'
import type { LoadSample, VoiceDirectories } from '../features/voices/public.ts'
import type { AllowedTargets, SendWebhook } from '../features/webhooks/public.ts'
import { createCodeRunner } from '../integrations/code/code-runner.ts'
import { createCustomLlmClient } from '../integrations/custom-llm/custom-llm-client.ts'
import { createDocumentPreparer } from '../integrations/documents/document-pool.ts'
import { createEmbedder } from '../integrations/embeddings/embedder.ts'
import { createMcpClient } from '../integrations/mcp/mcp-client.ts'
import { createModelCatalog } from '../integrations/models/catalog.ts'
import { createModelDispatcher } from '../integrations/models/model-dispatcher.ts'
import { createOfflineModels } from '../integrations/models/offline/offline-models.ts'
import {
  calculateModelCost,
  calculateSpeechCost,
  getModelPrice,
  listPricedModels,
  loadPrices,
  type Prices,
} from '../integrations/models/prices.ts'
import { createWorkspaceModels, type WorkspaceModels } from '../integrations/models/workspace-models.ts'
import { RedactionPool } from '../integrations/redaction/redaction-pool.ts'
import { createIndexWorker } from '../integrations/retrieval/create-index-worker.ts'
import { createFliteSynthesizer } from '../integrations/speech/flite/flite-synthesizer.ts'
import { createMoonshineTranscriber } from '../integrations/speech/moonshine/moonshine-transcriber.ts'
import { createSpeechVendors, type SpeechVendors } from '../integrations/speech/speech-vendors.ts'
import { createHttpToolClient } from '../integrations/tools/http-tool-client.ts'
import { createKeyTester } from '../integrations/vendor-keys/key-tester.ts'
import { createSampleLoader } from '../integrations/voices/sample-loader.ts'
import { createVoiceDirectories } from '../integrations/voices/voice-directories.ts'
import { createWebPageFetcher } from '../integrations/web-pages/web-pages.ts'
import { createGuardedAgent } from '../platform/outbound/guarded-agent.ts'
import { createGuardedFetch } from '../platform/outbound/guarded-fetch.ts'
import { createGuardedClient } from '../platform/outbound/guarded-request.ts'
import { createGuardedSocketOpener } from '../platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from '../platform/outbound/target-policy.ts'
import { createTxtReader } from '../platform/outbound/txt-records.ts'
import { runStartup } from '../start-error.ts'
import type { Runtime } from './runtime.ts'

/** Each thread uses about 20 MB. One workspace can use all threads but one. */
const MAX_CODE_THREADS = 4

/** Maximum connections to one model server of a workspace. Further turns wait for a free connection. */
const MAX_GUARDED_MODEL_CONNECTIONS = 256

export type OutboundRuntime = Pick<Runtime, 'clock' | 'version' | 'logError'>

/** Outbound connections, threads and child processes. */
export interface Outbound {
  readonly models: ModelAccess
  readonly speech: SpeechAccess
  readonly tools: ToolAccess
  readonly knowledge: KnowledgeAccess
  /** Tests stored keys at their vendors. */
  readonly keyTester: KeyTester
  /** Redacts conversations in threads. */
  readonly redaction: RedactionRunner
  /** Posts to customer addresses through the guard. */
  readonly sendWebhook: SendWebhook
  /** Addresses that customers are allowed to use. */
  readonly targets: AllowedTargets
  readonly readTxtRecords: ReadTxtRecords
  /** Aborts all running requests. */
  close(): Promise<void>
}

export interface ModelAccess {
  /** Returns the operator's models, extended with the models of stored keys. */
  withKeys(keys: VendorKeys): WorkspaceModels
  /** Returns the cost in USD, or null if the price is unknown. */
  computeCost(model: string, usage: Parameters<typeof calculateModelCost>[2]): number | null
  readonly prices: ModelPrices
  /** Starts an offline model thread if `model` is the offline model. */
  warm(model: string): void
}

export interface SpeechAccess {
  /** Returns the operator's speech vendors, extended with the vendors of stored keys. */
  withKeys(keys: VendorKeys): SpeechVendors
  readonly directories: VoiceDirectories
  readonly loadSample: LoadSample
  /** Returns the cost in USD, or null if the price or unit is unknown. */
  computeCost(model: string, usage: Parameters<typeof calculateSpeechCost>[2]): number | null
  /** Loads the built-in voices. */
  warm(): void
}

/** Clients for agents' tools. They run in a sandbox or connect through the private address guard. */
export interface ToolAccess {
  http(readSecrets: (workspaceId: number) => Promise<readonly string[]>): {
    forWorkspace(workspaceId: number): HttpToolClient
  }
  readonly code: { forWorkspace(workspaceId: number): CodeRunner }
  readonly mcp: McpClient
  readonly customLlm: CustomLlmClient
}

export interface KnowledgeAccess {
  readonly documents: DocumentPreparer
  readonly pages: WebPageFetcher
  /** Null if search is lexical. */
  readonly embedder: Embedder | null
  /** Holds the knowledge base indexes. */
  readonly index: IndexWorker
}

/** An outbound part with its close function. */
interface Closable<Part> {
  readonly part: Part
  close(): Promise<unknown>
}

export async function connectOutbound(config: Config, runtime: OutboundRuntime): Promise<Outbound> {
  const { clock, version } = runtime
  const prices = await runStartup(() => loadPrices(config.pricesFile), 'PRICES_FILE')
  const network = await openNetwork(config, runtime)
  const models = connectModels(config, { network, prices, clock })
  const speech = connectSpeech(config, { network, prices, runtime })
  const tools = connectTools({ network, clock, version })
  const knowledge = connectKnowledgeAccess(config, { network, clock })
  const redaction = new RedactionPool({ clock })
  return {
    models: models.part,
    speech: speech.part,
    tools: tools.part,
    knowledge: knowledge.part,
    keyTester: createKeyTester({
      ...{ sendDirect: network.direct.request, sendGuarded: network.guarded.request },
      ...{ clock, version },
    }),
    redaction,
    sendWebhook: network.guarded.request,
    targets: network.policy,
    readTxtRecords: createTxtReader({ clock }),
    async close() {
      await Promise.all([models, speech, tools, knowledge, redaction].map((connection) => connection.close()))
      await network.close()
    },
  }
}

type Network = Awaited<ReturnType<typeof openNetwork>>

/** Opens the network clients. The guard checks customers' addresses, but not the operator's. */
async function openNetwork(config: Config, { clock }: Pick<Runtime, 'clock'>) {
  const policy = await runStartup(() => createTargetPolicy(config), 'ALLOW_PRIVATE_TARGETS')
  const modelHttp = createModelDispatcher()
  const guardedModelHttp = createGuardedAgent({ policy, connectionsPerOrigin: MAX_GUARDED_MODEL_CONNECTIONS })
  const mcpHttp = createGuardedAgent({ policy })
  const guarded = createGuardedClient({ policy, clock })
  // Operator addresses have the same limits but are never blocked.
  const direct = createGuardedClient({ policy: { allows: () => true }, clock })
  return {
    policy,
    modelHttp,
    guardedModelHttp,
    mcpHttp,
    guarded,
    direct,
    openSocket: createGuardedSocketOpener({ policy, clock }),
    openDirectSocket: createGuardedSocketOpener({ policy: { allows: () => true }, clock }),
    async close() {
      const agents = [mcpHttp, modelHttp, guardedModelHttp]
      await Promise.all([...agents.map((agent) => agent.destroy()), guarded.close(), direct.close()])
    },
  }
}

interface ModelOptions extends Pick<Runtime, 'clock'> {
  readonly network: Network
  readonly prices: Prices
}

function connectModels(config: Config, { network, prices, clock }: ModelOptions): Closable<ModelAccess> {
  const offlineModels = createOfflineModels({ clock })
  const { defaultModel = 'offline', vendors } = config
  const offline = offlineModels.forWorkspace(0)
  const base = { vendors, offline, defaultModel, http: network.modelHttp, clock }
  const operatorCatalog = createModelCatalog(base)
  const { guardedModelHttp: guardedHttp } = network
  const part: ModelAccess = {
    withKeys: (keys) =>
      createWorkspaceModels({
        operatorCatalog,
        catalogOptions: base,
        keys,
        guardedHttp,
        getOfflineModel: offlineModels.forWorkspace,
      }),
    computeCost: (model, usage) => calculateModelCost(prices, model, usage),
    prices: { models: listPricedModels(prices), getPrice: (model) => getModelPrice(prices, model) },
    warm(model) {
      if (operatorCatalog.resolve(model) === offline) offlineModels.warmUp()
    },
  }
  return { part, close: () => offlineModels.close() }
}

interface SpeechOptions extends Omit<ModelOptions, 'clock'> {
  readonly runtime: OutboundRuntime
}

function connectSpeech(config: Config, { network, prices, runtime }: SpeechOptions): Closable<SpeechAccess> {
  const { clock, version, logError } = runtime
  const builtIn = createFliteSynthesizer({ clock, logError: (error) => logError('speak', error) })
  const recognizer = createMoonshineTranscriber({ clock, logError: (error) => logError('recognize speech', error) })
  const { direct, guarded } = network
  const speechOptions = {
    settings: config.speech,
    clock,
    builtIn,
    builtInTranscriber: config.speech.builtInTranscription ? recognizer : null,
    direct: { http: network.modelHttp, openSocket: network.openDirectSocket },
    guarded: { http: network.guardedModelHttp, openSocket: network.openSocket },
  }
  const part: SpeechAccess = {
    withKeys: (keys) => createSpeechVendors({ ...speechOptions, keys }),
    directories: createVoiceDirectories({ sendDirect: direct.request, sendGuarded: guarded.request, clock, version }),
    loadSample: createSampleLoader(guarded.request),
    computeCost: (model, usage) => calculateSpeechCost(prices, model, usage),
    warm: () => builtIn.warmUp(),
  }
  return { part, close: () => Promise.all([builtIn.close(), recognizer.close()]) }
}

interface ToolOptions extends Pick<Runtime, 'clock' | 'version'> {
  readonly network: Network
}

function connectTools({ network, clock, version }: ToolOptions): Closable<ToolAccess> {
  const { guarded, mcpHttp, openSocket } = network
  const code = createCodeRunner({ clock, threads: Math.min(MAX_CODE_THREADS, Math.max(2, availableParallelism())) })
  const mcp = createMcpClient({ fetch: createGuardedFetch({ agent: mcpHttp, clock }), clock, version })
  const customLlm = createCustomLlmClient({ openSocket, clock })
  const part: ToolAccess = {
    http: (readSecrets) => createHttpToolClient({ request: guarded.request, readSecrets, clock, version }),
    code,
    mcp,
    customLlm,
  }
  return { part, close: () => Promise.all([code, mcp, customLlm].map((client) => client.close())) }
}

function connectKnowledgeAccess(
  { embedding }: Config,
  { network, clock }: Omit<ToolOptions, 'version'>,
): Closable<KnowledgeAccess> {
  const documents = createDocumentPreparer({ clock })
  const part: KnowledgeAccess = {
    documents,
    pages: createWebPageFetcher({ send: network.guarded.request, clock }),
    embedder: embedding === undefined ? null : createEmbedder({ ...embedding, http: network.modelHttp, clock }),
    index: createIndexWorker({ clock }),
  }
  return { part, close: () => documents.close() }
}
