import type { LanguageModel } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import type { VendorKey, VendorKeys } from '../../features/vendor-keys/public.ts'
import { AppError } from '../../kernel/errors.ts'
import { RecentMap } from '../recent-map.ts'
import { createModelCatalog, type ModelCatalog, type ModelCatalogOptions, type ModelVendor } from './catalog.ts'
import { DEFAULT_BASE_URLS } from './default-base-urls.ts'

/** Maximum number of cached catalogs. */
const MAX_CATALOGS = 200
const SERVICES = ['openai', 'anthropic'] as const

/** Models that each workspace can currently use. */
export interface WorkspaceModels {
  /**
   * Returns the operator's catalog plus the workspace's stored keys, which replace the operator's keys for the same vendor.
   * Models of an unreadable key fail; another owner's key is never used instead.
   */
  forWorkspace(workspaceId: number): Promise<ModelCatalog>
}

export interface WorkspaceModelsOptions {
  /** Catalog for workspaces without stored keys, built from `base`. */
  readonly shared: ModelCatalog
  readonly base: ModelCatalogOptions
  readonly keys: VendorKeys
  /** Guarded dispatcher for addresses that customers store. */
  readonly guardedHttp: Dispatcher
  /** Returns the offline model of a workspace; defaults to the offline model of `base`. */
  readonly offlineFor?: (workspaceId: number) => LanguageModel
}

/** Creates the workspace models. Each set of stored keys has one catalog, so that models and connections are reused. */
export function createWorkspaceModels(options: WorkspaceModelsOptions): WorkspaceModels {
  const { shared, base, keys, guardedHttp, offlineFor } = options
  const catalogs = new RecentMap<ModelCatalog>(MAX_CATALOGS)

  function getCatalog(stored: readonly StoredModelKey[]): ModelCatalog {
    return catalogs.getOrCreate(JSON.stringify(stored), () =>
      createModelCatalog({ ...base, vendors: mergeVendors(stored) }),
    )
  }

  /** Returns the operator's vendors in order. A stored key replaces the operator's vendor or is appended. */
  function mergeVendors(stored: readonly StoredModelKey[]): ModelVendor[] {
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
      const catalog = stored.length === 0 ? shared : getCatalog(stored)
      return offlineFor === undefined ? catalog : replaceOfflineModel(catalog, base.offline, offlineFor(workspaceId))
    },
  }
}

function replaceOfflineModel(catalog: ModelCatalog, base: LanguageModel, own: LanguageModel): ModelCatalog {
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

/**
 * Converts a stored key into a vendor. A key without an address uses the model maker's address, regardless of the operator's
 * address.
 */
function toVendor(stored: StoredModelKey, guardedHttp: Dispatcher): ModelVendor {
  const { service } = stored
  const own = { id: service, wire: service, baseUrl: DEFAULT_BASE_URLS[service] }
  if ('problem' in stored) return { ...own, apiKey: undefined, problem: stored.problem }
  const { apiKey, baseUrl } = stored.key
  return baseUrl === null ? { ...own, apiKey } : { ...own, apiKey, baseUrl, http: guardedHttp }
}
