import type { Clock, LanguageModel, ResolveModel } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { RecentMap } from '../recent-map.ts'
import { createAnthropicModel } from './anthropic-wire.ts'
import { createOpenAiModel, type WireModelOptions } from './openai-wire.ts'

const MAX_CACHED_MODELS = 200
const OFFLINE_MODEL = 'offline'
/** Matches a vendor and a model name. The model name can contain further slashes. */
const VALID_MODEL_NAME = /^[^\s/\p{C}][^\s\p{C}]{0,199}$/u

/**
 * Maps naming patterns of bare model names to vendors. Open-weight models run on other servers, regardless of their
 * names.
 */
const MODEL_FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^gpt-oss/, ''],
  [/^(?:gpt-|chatgpt-|o[134](?:-|$))/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'gemini'],
]

/** Hosts of OpenAI and Google. All other hosts are the operator's servers. */
const VENDOR_HOSTS: ReadonlySet<string> = new Set(['api.openai.com', 'generativelanguage.googleapis.com'])

export interface ModelVendor {
  /** Part of a model name before the slash. Contains lowercase letters, digits and dashes. */
  readonly id: string
  readonly wire: 'openai' | 'anthropic'
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** A separate dispatcher; defaults to the shared dispatcher. */
  readonly http?: Dispatcher
  /** Reason why the vendor is currently unusable. The vendor's models fail with this sentence. */
  readonly problem?: string
}

export interface ModelCatalog {
  /** Resolves `provider/model` or a bare name. Returns null if no configured vendor serves the model. */
  readonly resolve: ResolveModel
  /** Returns the available names for messages: `offline`, and `<provider>/*` for every vendor. */
  listConfigured(): string[]
  readonly defaultModel: string
}

export interface ModelCatalogOptions {
  readonly vendors: readonly ModelVendor[]
  readonly offline: LanguageModel
  readonly defaultModel: string
  readonly http: Dispatcher
  readonly clock: Clock
}

/** Creates a model catalog. Throws if a vendor name is duplicate or reserved, or if an address is invalid. */
export function createModelCatalog(options: ModelCatalogOptions): ModelCatalog {
  const { offline, defaultModel } = options
  const vendors = mapVendorsById(options.vendors)
  const customVendors = options.vendors.filter(isCustomVendor)
  const cache = new RecentMap<LanguageModel>(MAX_CACHED_MODELS)

  function findVendor(name: string): { vendor: ModelVendor; model: string } | null {
    const slashIndex = name.indexOf('/')
    if (slashIndex !== -1) {
      const vendor = vendors.get(name.slice(0, slashIndex))
      const model = name.slice(slashIndex + 1)
      return vendor === undefined || model === '' ? null : { vendor, model }
    }
    const family = MODEL_FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? ''
    const vendor = vendors.get(family) ?? (customVendors.length === 1 ? customVendors[0] : undefined)
    return vendor === undefined ? null : { vendor, model: name }
  }

  function getCachedModel(vendor: ModelVendor, model: string): LanguageModel {
    const name = `${vendor.id}/${model}`
    return cache.getOrCreate(name, () => createModel(vendor, { model, name }, options))
  }

  return {
    defaultModel,
    resolve(name) {
      if (name === OFFLINE_MODEL || name === offline.name) return offline
      if (!VALID_MODEL_NAME.test(name)) return null
      const modelLocation = findVendor(name)
      return modelLocation === null ? null : getCachedModel(modelLocation.vendor, modelLocation.model)
    },
    listConfigured: () => [OFFLINE_MODEL, ...[...vendors.keys()].map((id) => `${id}/*`)],
  }
}

function mapVendorsById(vendorList: readonly ModelVendor[]): ReadonlyMap<string, ModelVendor> {
  const vendors = new Map<string, ModelVendor>()
  for (const vendor of vendorList) {
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(vendor.id) || vendor.id === OFFLINE_MODEL) {
      throw new Error(`"${vendor.id}" is not a valid name of a model provider.`)
    }
    if (vendors.has(vendor.id)) throw new Error(`The model provider "${vendor.id}" is configured twice.`)
    if (!/^https?:$/.test(URL.parse(vendor.baseUrl)?.protocol ?? '')) {
      throw new Error(`The base address of the model provider "${vendor.id}" is not an http(s) URL.`)
    }
    vendors.set(vendor.id, vendor)
  }
  return vendors
}

function isCustomVendor(vendor: ModelVendor): boolean {
  return vendor.wire === 'openai' && !VENDOR_HOSTS.has(new URL(vendor.baseUrl).hostname)
}

function createModel(
  vendor: ModelVendor,
  names: { readonly model: string; readonly name: string },
  { http, clock }: Pick<ModelCatalogOptions, 'http' | 'clock'>,
): LanguageModel {
  const { baseUrl, apiKey, problem } = vendor
  if (problem !== undefined) return createFailingModel(names.name, problem)
  const options: WireModelOptions = {
    ...names,
    baseUrl,
    apiKey,
    http: vendor.http ?? http,
    clock,
    contextTokens: getContextTokens(names.model),
  }
  return vendor.wire === 'openai' ? createOpenAiModel(options) : createAnthropicModel(options)
}

function createFailingModel(name: string, message: string): LanguageModel {
  return {
    name,
    async *stream({ signal }) {
      if (!signal.aborted) yield { type: 'error', failure: { kind: 'unauthorized', message, retryable: false } }
    },
  }
}

/** Context windows in tokens by model name prefix, as published by 2025-12-01. The engine's default applies to other models. */
const CONTEXT_WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ['gpt-5-chat', 128_000],
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4-32k', 32_768],
  ['gpt-4-0', 8_192],
  ['gpt-3.5-turbo', 16_385],
  ['chatgpt-4o', 128_000],
  ['o1-mini', 128_000],
  ['o1-preview', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
  ['claude-3', 200_000],
  ['claude-sonnet-4', 200_000],
  ['claude-opus-4', 200_000],
  ['claude-haiku-4', 200_000],
  ['gemini-2.5-pro', 1_048_576],
  ['gemini-2.5-flash', 1_048_576],
  ['gemini-2.0-flash', 1_048_576],
]

/** Returns a model's context window. The vendor's name for the model can have a prefix such as `openai/`. */
function getContextTokens(model: string): number | undefined {
  const bareName = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  if (bareName === 'gpt-4') return 8_192
  let longestMatch: readonly [string, number] | undefined
  for (const entry of CONTEXT_WINDOWS) {
    if (bareName.startsWith(entry[0]) && entry[0].length > (longestMatch?.[0].length ?? 0)) longestMatch = entry
  }
  return longestMatch?.[1]
}
