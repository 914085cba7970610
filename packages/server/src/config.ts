import { join } from 'node:path'
import { Environment, type EnvironmentValues, SETTING_NAMES } from './environment-settings.ts'
import type { KeyedVendor } from './features/vendor-keys/public.ts'
import { DEFAULT_BASE_URLS } from './integrations/models/default-base-urls.ts'

export interface VendorSettings {
  readonly id: string
  readonly wire: 'openai' | 'anthropic'
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

/** A key of the operator. If `baseUrl` is null, the vendor's address is used. */
export interface ServiceSettings {
  readonly apiKey: string
  readonly baseUrl: string | null
}

/** A model behind an OpenAI-compatible endpoint. */
export interface ModelServer {
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

/** Self-hosted servers with the OpenAI audio API. */
export interface SpeechConfig {
  readonly synthesis: ModelServer | null
  readonly voices: readonly string[]
  readonly transcription: ModelServer | null
  /** Whether calls without a configured transcriber use the built-in recognizer. */
  readonly builtInTranscription: boolean
  /** File of a Smart Turn v3 model. If absent, only words and pauses end turns. */
  readonly turnModelFile: string | undefined
}

export interface Config {
  readonly host: string
  readonly port: number
  /** Folder of the embedded database and the secret key. */
  readonly dataDir: string
  /** The PostgreSQL database that all nodes share. If absent, the embedded database is used. */
  readonly databaseUrl: string | undefined
  /** Maximum connections of this node. */
  readonly databaseConnections: number
  readonly redisUrl: string | undefined
  /** Public address of this server. If absent, derived from host and port. */
  readonly baseUrl: string | undefined
  readonly secretKey: string | undefined
  readonly bootstrap: {
    readonly token: string | undefined
    readonly email: string
    readonly password: string | undefined
  }
  /** Time without a request after which a dashboard session ends. */
  readonly sessionIdleMs: number
  readonly demo: boolean
  readonly allowPrivateTargets: readonly string[]
  readonly trustProxy: boolean | string
  readonly defaultModel: string | undefined
  readonly pricesFile: string | undefined
  readonly logLevel: string
  /** Token for `GET /metrics`. */
  readonly metricsToken: string | undefined
  readonly rateLimit: { readonly perSecond: number; readonly burst: number }
  readonly shutdownTimeoutMs: number
  readonly firstTokenTimeoutMs: number
  /** Longest pause within a response before the model counts as failed. */
  readonly idleTokenTimeoutMs: number
  /** Whether to check every response against its schema, for tests. */
  readonly validateResponses: boolean
  /** Model vendors that every workspace can use. */
  readonly vendors: readonly VendorSettings[]
  /** Keys by vendor, for workspaces without their own key. */
  readonly serviceKeys: Readonly<Partial<Record<KeyedVendor, ServiceSettings>>>
  /** Embedding model. If absent, knowledge bases are searched lexically. */
  readonly embedding: ModelServer | undefined
  /** Memory for knowledge base indexes on this node. */
  readonly knowledgeCacheBytes: number
  readonly speech: SpeechConfig
  /** Folder of recordings, which all nodes share. */
  readonly recordingsDir: string
}

/** Thrown for an invalid environment. The message has one line per problem. */
export class ConfigError extends Error {}

/** Parses the environment into a frozen config. Throws `ConfigError` if it is invalid. Blank values count as absent. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const settings = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value?.trim() !== '' && SETTING_NAMES.includes(name)),
  )
  const parsed = Environment.safeParse(settings)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`The configuration is not valid:\n${lines.join('\n')}`)
  }
  const values = parsed.data
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    redisUrl: values.REDIS_URL,
    baseUrl: values.BASE_URL,
    secretKey: values.SECRET_KEY,
    bootstrap: { token: values.BOOTSTRAP_TOKEN, email: values.BOOTSTRAP_EMAIL, password: values.BOOTSTRAP_PASSWORD },
    sessionIdleMs: values.SESSION_IDLE_MINUTES * 60_000,
    demo: values.DEMO,
    allowPrivateTargets: values.ALLOW_PRIVATE_TARGETS,
    trustProxy: readTrustProxy(values.TRUST_PROXY),
    defaultModel: values.DEFAULT_MODEL,
    pricesFile: values.PRICES_FILE,
    logLevel: values.LOG_LEVEL,
    metricsToken: values.METRICS_TOKEN,
    rateLimit: { perSecond: values.RATE_LIMIT_PER_SECOND, burst: values.RATE_LIMIT_BURST },
    shutdownTimeoutMs: values.SHUTDOWN_TIMEOUT_MS,
    validateResponses: values.CHECK_ANSWERS,
    firstTokenTimeoutMs: values.FIRST_TOKEN_TIMEOUT_MS,
    idleTokenTimeoutMs: values.IDLE_TOKEN_TIMEOUT_MS,
    vendors: readVendors(values),
    serviceKeys: readServiceKeys(values),
    embedding: readEmbedding(values),
    knowledgeCacheBytes: values.KNOWLEDGE_CACHE_MB * 1024 * 1024,
    speech: {
      synthesis: toModelServer(values.SPEECH_BASE_URL, values.SPEECH_MODEL, values.SPEECH_API_KEY),
      voices: values.SPEECH_VOICES,
      transcription: toModelServer(
        values.TRANSCRIPTION_BASE_URL,
        values.TRANSCRIPTION_MODEL,
        values.TRANSCRIPTION_API_KEY,
      ),
      builtInTranscription: values.BUILT_IN_TRANSCRIPTION,
      turnModelFile: values.SMART_TURN_MODEL,
    },
    recordingsDir: values.RECORDINGS_DIR ?? join(values.DATA_DIR, 'recordings'),
  })
}

/** Converts `0` and `1` to booleans. Other values are lists of addresses or ranges. */
function readTrustProxy(value: string): boolean | string {
  if (value === '0' || value === 'false') return false
  return value === '1' || value === 'true' ? true : value
}

/** Reads the model vendors. A base URL alone configures a vendor, because local servers need no key. */
function readVendors(values: EnvironmentValues): VendorSettings[] {
  const vendors: VendorSettings[] = []
  if (values.OPENAI_API_KEY !== undefined || values.OPENAI_BASE_URL !== undefined) {
    const baseUrl = values.OPENAI_BASE_URL ?? DEFAULT_BASE_URLS.openai
    vendors.push({ id: 'openai', wire: 'openai', baseUrl, apiKey: values.OPENAI_API_KEY })
  }
  if (values.ANTHROPIC_API_KEY !== undefined || values.ANTHROPIC_BASE_URL !== undefined) {
    const baseUrl = values.ANTHROPIC_BASE_URL ?? DEFAULT_BASE_URLS.anthropic
    vendors.push({ id: 'anthropic', wire: 'anthropic', baseUrl, apiKey: values.ANTHROPIC_API_KEY })
  }
  return vendors
}

/** Reads the services that have a key. A base URL alone configures no service. */
function readServiceKeys(values: EnvironmentValues): Config['serviceKeys'] {
  const configuredKeys: readonly (readonly [KeyedVendor, string | undefined, string | undefined])[] = [
    ['openai', values.OPENAI_API_KEY, values.OPENAI_BASE_URL],
    ['anthropic', values.ANTHROPIC_API_KEY, values.ANTHROPIC_BASE_URL],
    ['deepgram', values.DEEPGRAM_API_KEY, values.DEEPGRAM_BASE_URL],
    ['elevenlabs', values.ELEVENLABS_API_KEY, values.ELEVENLABS_BASE_URL],
    ['cartesia', values.CARTESIA_API_KEY, values.CARTESIA_BASE_URL],
  ]
  const keys: Partial<Record<KeyedVendor, ServiceSettings>> = {}
  for (const [service, apiKey, baseUrl = null] of configuredKeys)
    if (apiKey !== undefined) keys[service] = { apiKey, baseUrl }
  return keys
}

function toModelServer(
  baseUrl: string | undefined,
  model: string | undefined,
  apiKey: string | undefined,
): ModelServer | null {
  return baseUrl === undefined || model === undefined ? null : { model, baseUrl, apiKey }
}

/** Reads the embedding model. Never sends one server's key to another server. */
function readEmbedding(values: EnvironmentValues): ModelServer | undefined {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: ownUrl, EMBEDDING_API_KEY: ownKey } = values
  if (model === undefined) return undefined
  if (ownUrl !== undefined) return { model, baseUrl: ownUrl, apiKey: ownKey }
  if (ownKey !== undefined) return { model, baseUrl: DEFAULT_BASE_URLS.openai, apiKey: ownKey }
  return { model, baseUrl: values.OPENAI_BASE_URL ?? DEFAULT_BASE_URLS.openai, apiKey: values.OPENAI_API_KEY }
}
