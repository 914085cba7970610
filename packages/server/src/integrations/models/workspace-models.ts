import type { LanguageModel } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import type { VendorKey, VendorKeys } from '../../features/vendor-keys/public.ts'
import { AppError } from '../../kernel/errors.ts'
import { RecentMap } from '../recent-map.ts'
import { createModelCatalog, type ModelCatalog, type ModelCatalogOptions, type ModelVendor } from './catalog.ts'
import { DEFAULT_BASE_URLS } from './default-base-urls.ts'

/** Limit of cached catalogs. */
const MAX_CATALOGS = 200
const SERVICES = ['openai', 'anthropic'] as const

/** Models that each workspace can use now. */
export interface WorkspaceModels {
  /**
   * The operator's catalog, with the workspace's stored keys in addition to or instead of the operator's. Models of an
   * unreadable key fail; another owner's key is never used instead.
   */
  forWorkspace(workspaceId: number): Promise<ModelCatalog>
}

export interface WorkspaceModelsOptions {
  /** The catalog for workspaces without keys, made from `base`. */
  readonly shared: ModelCatalog
  readonly base: ModelCatalogOptions
  readonly keys: VendorKeys
  /** Guarded dispatcher for addresses stored by customers. */
  readonly guardedHttp: Dispatcher
  /** The offline model of one workspace; that of `base` when absent. */
  readonly offlineFor?: (workspaceId: number) => LanguageModel
}

/** Creates one catalog per set of stored keys, so that models and connections are reused. */
export function createWorkspaceModels(options: WorkspaceModelsOptions): WorkspaceModels {
  const { shared, base, keys, guardedHttp, offlineFor } = options
  const catalogs = new RecentMap<ModelCatalog>(MAX_CATALOGS)

  function catalogOf(stored: readonly StoredModelKey[]): ModelCatalog {
    return catalogs.getOrMake(JSON.stringify(stored), () =>
      createModelCatalog({ ...base, vendors: vendorsWith(stored) }),
    )
  }

  /** The operator's providers in order; a stored key replaces its service or is appended. */
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

/** A stored key without an address uses the model maker's, whatever address the operator's key has. */
function toVendor(stored: StoredModelKey, guardedHttp: Dispatcher): ModelVendor {
  const { service } = stored
  const own = { id: service, wire: service, baseUrl: DEFAULT_BASE_URLS[service] }
  if ('problem' in stored) return { ...own, apiKey: undefined, problem: stored.problem }
  const { apiKey, baseUrl } = stored.key
  return baseUrl === null ? { ...own, apiKey } : { ...own, apiKey, baseUrl, http: guardedHttp }
}
