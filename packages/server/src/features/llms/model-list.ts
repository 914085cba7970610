import { listModels, type Model } from '@parley/contract/model'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { computeMedian } from '../../kernel/median.ts'
import type { Database, Reader } from '../../kernel/storage/database.ts'

/** Number of the newest chats of a workspace, and of their newest turns, that latencies are measured in. */
const MEASURED_CHATS = 200
const MEASURED_TURNS = 2_000
const OFFLINE = 'offline'

/** List prices of models. */
export interface ModelPrices {
  /** Models with a known price, grouped by provider. */
  readonly models: readonly string[]
  /** Returns the price of any model in US dollars per million tokens, or null if it is unknown. */
  getPrice(model: string): Model['pricing']
}

interface Catalog {
  /** Returns `offline`, and `<provider>/*` for every provider. */
  configured(): readonly string[]
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
      const available = new Set(catalog.configured())
      const defaultModel = catalog.resolve(catalog.defaultModel)?.name ?? catalog.defaultModel
      const names = new Set([OFFLINE, defaultModel, ...prices.models, ...latencies.keys()])
      return [...names].map((model) => {
        const [provider = model] = model.split('/', 1)
        return {
          model,
          provider,
          available: available.has(provider) || available.has(`${provider}/*`),
          default: model === defaultModel,
          pricing: prices.getPrice(model),
          latencyP50Ms: computeMedian(latencies.get(model) ?? []),
        }
      })
    },
  }
}

/** Returns the times to the first text by model. Skips turns that used several models, because they share the time. */
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
  for (const { usage, first_text_ms: milliseconds } of turns) {
    const [model, ...otherModels] = new Set((JSON.parse(usage) as { model: string }[]).map((entry) => entry.model))
    if (model === undefined || otherModels.length > 0 || milliseconds === null) continue
    const modelLatencies = latencies.get(model)
    if (modelLatencies === undefined) latencies.set(model, [milliseconds])
    else modelLatencies.push(milliseconds)
  }
  return latencies
}

/** Registers the operation that lists models. */
export function registerModelRoutes(api: Api, modelList: ModelList): void {
  implement(api, listModels, (_input, { workspaceId }) => modelList.list(workspaceId))
}
