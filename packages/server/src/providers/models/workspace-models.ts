import type { LanguageModel } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import type { ProviderKeys, ServiceKey } from '../../features/provider-keys/public.ts'
import { AppError } from '../../kernel/errors.ts'
import {
  createModelCatalogue,
  type ModelCatalogue,
  type ModelCatalogueOptions,
  type ModelProvider,
} from './catalogue.ts'
import { OWN_ADDRESSES } from './own-addresses.ts'

/** Catalogues that are kept; each holds its models only. */
const MAX_CATALOGUES = 200
const SERVICES = ['openai', 'anthropic'] as const

/** Which models each workspace can use now. */
export interface WorkspaceModels {
  /**
   * The operator's catalogue, with the keys that were stored for the workspace in place of or beside the operator's. The models
   * of a key that cannot be read fail: none of another owner steps in.
   */
  forWorkspace(workspaceId: number): Promise<ModelCatalogue>
}

export interface WorkspaceModelsOptions {
  /** What every workspace can use, made from `base`. */
  readonly shared: ModelCatalogue
  readonly base: ModelCatalogueOptions
  readonly keys: ProviderKeys
  /** Connects to addresses that customers stored, within the bounds of the outbound guard. */
  readonly guardedHttp: Dispatcher
  /** The offline model for the turns of one workspace; that of `base` for all of them when absent. */
  readonly offlineFor?: (workspaceId: number) => LanguageModel
}

/** Makes one catalogue for each set of stored keys, so that its models and connections are used again. */
export function createWorkspaceModels(options: WorkspaceModelsOptions): WorkspaceModels {
  const { shared, base, keys, guardedHttp, offlineFor } = options
  const catalogues = new Map<string, ModelCatalogue>()

  function catalogueOf(stored: readonly StoredModelKey[]): ModelCatalogue {
    const name = JSON.stringify(stored)
    const catalogue = catalogues.get(name) ?? createModelCatalogue({ ...base, providers: providersWith(stored) })
    // Re-inserted, it is the newest: a Map keeps the order of insertion.
    catalogues.delete(name)
    catalogues.set(name, catalogue)
    if (catalogues.size > MAX_CATALOGUES) {
      for (const oldest of catalogues.keys()) {
        catalogues.delete(oldest)
        break
      }
    }
    return catalogue
  }

  /** The operator's providers in their order; a stored key takes the place of its service, or the end. */
  function providersWith(stored: readonly StoredModelKey[]): ModelProvider[] {
    const own = stored.map((one) => toProvider(one, guardedHttp))
    const placed = base.providers.map((provider) => own.find(({ id }) => id === provider.id) ?? provider)
    return [...placed, ...own.filter((provider) => !placed.includes(provider))]
  }

  async function findStored(workspaceId: number, service: ModelService): Promise<StoredModelKey[]> {
    try {
      const key = await keys.keyFor(workspaceId, service)
      return key?.isStored === true ? [{ service, key }] : []
    } catch (error) {
      if (error instanceof AppError && error.code === 'provider_not_configured') {
        return [{ service, problem: error.message }]
      }
      throw error
    }
  }

  return {
    async forWorkspace(workspaceId) {
      const stored = (await Promise.all(SERVICES.map((service) => findStored(workspaceId, service)))).flat()
      const catalogue = stored.length === 0 ? shared : catalogueOf(stored)
      return offlineFor === undefined ? catalogue : withOffline(catalogue, base.offline, offlineFor(workspaceId))
    },
  }
}

function withOffline(catalogue: ModelCatalogue, base: LanguageModel, own: LanguageModel): ModelCatalogue {
  return {
    ...catalogue,
    resolve(name) {
      const model = catalogue.resolve(name)
      return model === base ? own : model
    },
  }
}

type ModelService = (typeof SERVICES)[number]

type StoredModelKey =
  | { readonly service: ModelService; readonly key: ServiceKey }
  | { readonly service: ModelService; readonly problem: string }

/** Without an address of its own a stored key is for the maker of the models, wherever the operator's one leads. */
function toProvider(stored: StoredModelKey, guardedHttp: Dispatcher): ModelProvider {
  const { service } = stored
  const own = { id: service, wire: service, baseUrl: OWN_ADDRESSES[service] }
  if ('problem' in stored) return { ...own, apiKey: undefined, problem: stored.problem }
  const { apiKey, baseUrl } = stored.key
  return baseUrl === null ? { ...own, apiKey } : { ...own, apiKey, baseUrl, http: guardedHttp }
}
