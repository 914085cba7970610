import type { LanguageModel } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import type { VendorKey, VendorKeys } from '../../features/vendor-keys/public.ts'
import { AppError } from '../../kernel/errors.ts'
import { RecentMap } from '../recent-map.ts'
import { createModelCatalog, type ModelCatalog, type ModelCatalogOptions, type ModelVendor } from './catalog.ts'
import { DEFAULT_BASE_URLS } from './default-base-urls.ts'

/** Catalogues that are kept; each holds its models only. */
const MAX_CATALOGS = 200
const SERVICES = ['openai', 'anthropic'] as const

/** Which models each workspace can use now. */
export interface WorkspaceModels {
  /**
   * The operator's catalogue, with the keys that were stored for the workspace in place of or beside the operator's. The models
   * of a key that cannot be read fail: none of another owner steps in.
   */
  forWorkspace(workspaceId: number): Promise<ModelCatalog>
}

export interface WorkspaceModelsOptions {
  /** What every workspace can use, made from `base`. */
  readonly shared: ModelCatalog
  readonly base: ModelCatalogOptions
  readonly keys: VendorKeys
  /** Connects to addresses that customers stored, within the bounds of the outbound guard. */
  readonly guardedHttp: Dispatcher
  /** The offline model for the turns of one workspace; that of `base` for all of them when absent. */
  readonly offlineFor?: (workspaceId: number) => LanguageModel
}

/** Makes one catalogue for each set of stored keys, so that its models and connections are used again. */
export function createWorkspaceModels(options: WorkspaceModelsOptions): WorkspaceModels {
  const { shared, base, keys, guardedHttp, offlineFor } = options
  const catalogs = new RecentMap<ModelCatalog>(MAX_CATALOGS)

  function catalogOf(stored: readonly StoredModelKey[]): ModelCatalog {
    return catalogs.getOrMake(JSON.stringify(stored), () =>
      createModelCatalog({ ...base, vendors: vendorsWith(stored) }),
    )
  }

  /** The operator's providers in their order; a stored key takes the place of its service, or the end. */
  function vendorsWith(stored: readonly StoredModelKey[]): ModelVendor[] {
    const own = stored.map((one) => toVendor(one, guardedHttp))
    const placed = base.vendors.map((vendor) => own.find(({ id }) => id === vendor.id) ?? vendor)
    return [...placed, ...own.filter((vendor) => !placed.includes(vendor))]
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
      const catalog = stored.length === 0 ? shared : catalogOf(stored)
      return offlineFor === undefined ? catalog : withOffline(catalog, base.offline, offlineFor(workspaceId))
    },
  }
}

function withOffline(catalog: ModelCatalog, base: LanguageModel, own: LanguageModel): ModelCatalog {
  return {
    ...catalog,
    resolve(name) {
      const model = catalog.resolve(name)
      return model === base ? own : model
    },
  }
}

type ModelService = (typeof SERVICES)[number]

type StoredModelKey =
  | { readonly service: ModelService; readonly key: VendorKey }
  | { readonly service: ModelService; readonly problem: string }

/** Without an address of its own a stored key is for the maker of the models, wherever the operator's one leads. */
function toVendor(stored: StoredModelKey, guardedHttp: Dispatcher): ModelVendor {
  const { service } = stored
  const own = { id: service, wire: service, baseUrl: DEFAULT_BASE_URLS[service] }
  if ('problem' in stored) return { ...own, apiKey: undefined, problem: stored.problem }
  const { apiKey, baseUrl } = stored.key
  return baseUrl === null ? { ...own, apiKey } : { ...own, apiKey, baseUrl, http: guardedHttp }
}
