import { listModels, type Model } from '@parley/contract/model'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { computeMedian } from '../../kernel/median.ts'
import type { Database, Reader } from '../../kernel/storage/database.ts'

/** Maximum number of recent chats, and of their recent turns, that are used to measure latencies. */
const MEASURED_CHATS = 200
const MEASURED_TURNS = 2_000
const OFFLINE_MODEL = 'offline'

/** List prices of models. */
export interface ModelPrices {
  /** Names of models with a known price, grouped by provider. */
  readonly models: readonly string[]
  /** Returns the price of any model in US dollars per million tokens, or null if it is unknown. */
  getPrice(model: string): Model['pricing']
}

interface Catalog {
  /** Returns `offline`, and `<provider>/*` for every provider. */
  listConfigured(): readonly string[]
  readonly defaultModel: string
  resolve(name: string): { readonly name: string } | null
}

interface ModelListDependencies {
  readonly database: Pick<Database, 'read'>
  readonly models: { forWorkspace(workspaceId: number): Promise<Catalog> }
  readonly prices: ModelPrices
}

export interface ModelList {
  /** Lists the built-in model, the models with a known price, and the models of recent chats. */
  list(workspaceId: number): Promise<Model[]>
}

export function createModelList({ database, models, prices }: ModelListDependencies): ModelList {
  return {
    async list(workspaceId) {
      const [catalog, latencies] = await Promise.all([
        models.forWorkspace(workspaceId),
        measureLatencies(database.read, workspaceId),
      ])
      const configuredModels = new Set(catalog.listConfigured())
      const defaultModel = catalog.resolve(catalog.defaultModel)?.name ?? catalog.defaultModel
      const names = new Set([OFFLINE_MODEL, defaultModel, ...prices.models, ...latencies.keys()])
      return [...names].map((model) => {
        const [provider = model] = model.split('/', 1)
        return {
          model,
          provider,
          available: configuredModels.has(provider) || configuredModels.has(`${provider}/*`),
          default: model === defaultModel,
          pricing: prices.getPrice(model),
          latencyP50Ms: computeMedian(latencies.get(model) ?? []),
        }
      })
    },
  }
}

/** Returns the latencies until the first text, by model. Skips turns that used several models. */
async function measureLatencies(reader: Reader, workspaceId: number): Promise<ReadonlyMap<string, number[]>> {
  const newestChats = reader
    .selectFrom('chats')
    .select('chat_id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('started_at', 'desc')
    .orderBy('chat_id', 'desc')
    .limit(MEASURED_CHATS)
  const turns = await reader
    .selectFrom('turns')
    .innerJoin(newestChats.as('newest'), 'newest.chat_id', 'turns.chat_id')
    .select(['turns.usage', 'turns.first_text_ms'])
    .where('turns.first_text_ms', 'is not', null)
    .orderBy('turns.started_at', 'desc')
    .limit(MEASURED_TURNS)
    .execute()
  const latencies = new Map<string, number[]>()
  for (const { usage, first_text_ms: latencyMs } of turns) {
    const [model, ...otherModels] = new Set((JSON.parse(usage) as { model: string }[]).map((entry) => entry.model))
    if (model === undefined || otherModels.length > 0 || latencyMs === null) continue
    const modelLatencies = latencies.get(model)
    if (modelLatencies === undefined) latencies.set(model, [latencyMs])
    else modelLatencies.push(latencyMs)
  }
  return latencies
}

/** Registers the operation that lists models. */
export function registerModelRoutes(api: Api, modelList: ModelList): void {
  implement(api, listModels, (_input, { workspaceId }) => modelList.list(workspaceId))
}
