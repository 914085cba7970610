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
  /** Catalog for workspaces without stored keys, built from `catalogOptions`. */
  readonly operatorCatalog: ModelCatalog
  readonly catalogOptions: ModelCatalogOptions
  readonly keys: VendorKeys
  /** Guarded dispatcher for addresses that customers store. */
  readonly guardedHttp: Dispatcher
  /** Returns the offline model of a workspace. Defaults to the offline model of `catalogOptions`. */
  readonly getOfflineModel?: (workspaceId: number) => LanguageModel
}

/** Creates the workspace models. Each set of stored keys has one catalog, so that models and connections are reused. */
export function createWorkspaceModels(options: WorkspaceModelsOptions): WorkspaceModels {
  const { operatorCatalog, catalogOptions, keys, guardedHttp, getOfflineModel } = options
  const catalogs = new RecentMap<ModelCatalog>(MAX_CATALOGS)

  function getCatalog(storedKeys: readonly StoredModelKey[]): ModelCatalog {
    return catalogs.getOrCreate(JSON.stringify(storedKeys), () =>
      createModelCatalog({ ...catalogOptions, vendors: mergeVendors(storedKeys) }),
    )
  }

  /** Returns the operator's vendors in order. A stored key replaces the operator's vendor or is appended. */
  function mergeVendors(storedKeys: readonly StoredModelKey[]): ModelVendor[] {
    const storedVendors = storedKeys.map((storedKey) => toVendor(storedKey, guardedHttp))
    const mergedVendors = catalogOptions.vendors.map(
      (vendor) => storedVendors.find(({ id }) => id === vendor.id) ?? vendor,
    )
    return [...mergedVendors, ...storedVendors.filter((vendor) => !mergedVendors.includes(vendor))]
  }

  async function findStoredKeys(workspaceId: number, service: ModelService): Promise<StoredModelKey[]> {
    try {
      const key = await keys.findKey(workspaceId, service)
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
      const storedKeys = (await Promise.all(SERVICES.map((service) => findStoredKeys(workspaceId, service)))).flat()
      const catalog = storedKeys.length === 0 ? operatorCatalog : getCatalog(storedKeys)
      return getOfflineModel === undefined
        ? catalog
        : replaceOfflineModel(catalog, catalogOptions.offline, getOfflineModel(workspaceId))
    },
  }
}

function replaceOfflineModel(
  catalog: ModelCatalog,
  replacedModel: LanguageModel,
  workspaceModel: LanguageModel,
): ModelCatalog {
  return {
    ...catalog,
    resolve(name) {
      const model = catalog.resolve(name)
      return model === replacedModel ? workspaceModel : model
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
function toVendor(storedKey: StoredModelKey, guardedHttp: Dispatcher): ModelVendor {
  const { service } = storedKey
  const vendor = { id: service, wire: service, baseUrl: DEFAULT_BASE_URLS[service] }
  if ('problem' in storedKey) return { ...vendor, apiKey: undefined, problem: storedKey.problem }
  const { apiKey, baseUrl } = storedKey.key
  return baseUrl === null ? { ...vendor, apiKey } : { ...vendor, apiKey, baseUrl, http: guardedHttp }
}
