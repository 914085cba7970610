import { isIP } from 'node:net'
import { join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { KeyedVendor } from './features/vendor-keys/public.ts'
import { DEFAULT_BASE_URLS } from './integrations/models/default-base-urls.ts'

const FLAG = z
  .enum(['0', '1', 'true', 'false'], 'must be 0, 1, true or false')
  .transform((value) => value === '1' || value === 'true')

/** Plain decimals: `Number` alone would also take "0x10", "1e3" and a blank. */
function numberFrom(minimum: number, maximum: number) {
  const error = `must be a number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d{1,15}(\.\d{1,9})?$/, error)
    .transform(Number)
    .pipe(z.number().min(minimum, error).max(maximum, error))
}

function integerFrom(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.number().min(minimum, error).max(maximum, error))
}

const LIST = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
const HTTP_URL = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''))

function serverUrl(protocols: readonly string[], example: string) {
  return z.string().refine((value) => isServerUrl(value, protocols), `must be a URL such as ${example}`)
}

/** A local socket stands behind the question mark: `postgres:///database?host=/var/run/postgresql`. */
function isServerUrl(value: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, searchParams } = new URL(value)
  return protocols.includes(protocol) && (hostname !== '' || searchParams.has('host'))
}

/** What Fastify takes: anything else would end the start with an error of its own. */
const PROXIES = z
  .string()
  .refine(
    (value) =>
      ['0', '1', 'true', 'false'].includes(value) || value.split(',').every((item) => isProxyRange(item.trim())),
    'must be 0 (trust nobody), 1 (trust every proxy) or a list of addresses and ranges such as 10.0.0.0/8',
  )

function isProxyRange(item: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return true
  return item.includes('/') ? ipaddr.isValidCIDR(item) : ipaddr.isValid(item) && isIP(item) !== 0
}

const TOKEN = z.string().regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')

/** Every setting, with the words that the configuration table of the README prints. */
const Settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integerFrom(0, 65_535).default(4100),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: serverUrl(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database').optional(),
  DATABASE_CONNECTIONS: integerFrom(2, 500).default(20),
  REDIS_URL: serverUrl(['redis:', 'rediss:'], 'redis://host:6379').optional(),
  BASE_URL: HTTP_URL.optional(),
  METRICS_TOKEN: TOKEN.optional(),
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  BOOTSTRAP_TOKEN: TOKEN.optional(),
  BOOTSTRAP_EMAIL: z.email('must be an e-mail address').default('owner@localhost.localdomain'),
  BOOTSTRAP_PASSWORD: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(200, 'must have at most 200 characters')
    .optional(),
  SESSION_IDLE_MINUTES: integerFrom(5, 20_160).default(10_080),
  DEMO: FLAG.default(true),
  ALLOW_PRIVATE_TARGETS: LIST.default([]),
  TRUST_PROXY: PROXIES.default('0'),
  DEFAULT_MODEL: z.string().max(200, 'must have at most 200 characters').optional(),
  PRICES_FILE: z.string().optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
    .default('info'),
  RATE_LIMIT_PER_SECOND: numberFrom(0, 1_000_000).default(50),
  RATE_LIMIT_BURST: integerFrom(1, 1_000_000).default(100),
  SHUTDOWN_TIMEOUT_MS: integerFrom(0, 600_000).default(10_000),
  CHECK_ANSWERS: FLAG.default(false),
  FIRST_TOKEN_TIMEOUT_MS: integerFrom(100, 600_000).default(20_000),
  IDLE_TOKEN_TIMEOUT_MS: integerFrom(100, 600_000).default(30_000),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: HTTP_URL.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: HTTP_URL.optional(),
  ELEVENLABS_API_KEY: z.string().optional(),
  ELEVENLABS_BASE_URL: HTTP_URL.optional(),
  CARTESIA_API_KEY: z.string().optional(),
  CARTESIA_BASE_URL: HTTP_URL.optional(),
  EMBEDDING_MODEL: z.string().max(200, 'must have at most 200 characters').optional(),
  EMBEDDING_API_KEY: z.string().optional(),
  EMBEDDING_BASE_URL: HTTP_URL.optional(),
  KNOWLEDGE_CACHE_MB: integerFrom(16, 65_536).default(256),
  SPEECH_MODEL: z.string().max(200, 'must have at most 200 characters').optional(),
  SPEECH_BASE_URL: HTTP_URL.optional(),
  SPEECH_API_KEY: z.string().optional(),
  SPEECH_VOICES: LIST.default([]),
  TRANSCRIPTION_MODEL: z.string().max(200, 'must have at most 200 characters').optional(),
  TRANSCRIPTION_BASE_URL: HTTP_URL.optional(),
  TRANSCRIPTION_API_KEY: z.string().optional(),
  RECORDINGS_DIR: z.string().optional(),
})

/** What settings ask of each other. */
const Environment = Settings.superRefine((values, context) => {
  const problem = (name: string, message: string): void => context.addIssue({ code: 'custom', path: [name], message })
  if (values.DATABASE_URL !== undefined && values.SECRET_KEY === undefined) {
    problem('SECRET_KEY', 'must be set, the same on every node, where DATABASE_URL is')
  }
  if (values.REDIS_URL !== undefined && values.DATABASE_URL === undefined) {
    problem('REDIS_URL', 'connects several nodes, which share a database: set DATABASE_URL as well')
  }
  const { EMBEDDING_BASE_URL, EMBEDDING_API_KEY, OPENAI_BASE_URL, OPENAI_API_KEY } = values
  const servers = [EMBEDDING_BASE_URL, EMBEDDING_API_KEY, OPENAI_BASE_URL, OPENAI_API_KEY]
  if (values.EMBEDDING_MODEL !== undefined && servers.every((one) => one === undefined)) {
    problem('EMBEDDING_MODEL', 'needs a server: set EMBEDDING_BASE_URL, EMBEDDING_API_KEY or OPENAI_API_KEY')
  }
  for (const kind of ['SPEECH', 'TRANSCRIPTION'] as const) {
    if (values[`${kind}_BASE_URL`] === undefined) continue
    if (values[`${kind}_MODEL`] === undefined) problem(`${kind}_MODEL`, `must name the model of ${kind}_BASE_URL`)
  }
  if (values.SPEECH_BASE_URL !== undefined && values.SPEECH_VOICES.length === 0) {
    problem('SPEECH_VOICES', 'must name the voices of SPEECH_BASE_URL, which has no list of them')
  }
})

export interface VendorSettings {
  readonly id: string
  readonly wire: 'openai' | 'anthropic'
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

/** A key of the operator; the service's own address when `baseUrl` is null. */
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

/** Servers with OpenAI's audio interface. */
export interface SpeechConfig {
  readonly synthesis: ModelServer | null
  readonly voices: readonly string[]
  readonly transcription: ModelServer | null
}

export interface Config {
  readonly host: string
  readonly port: number
  /** Where an embedded installation keeps its data. */
  readonly dataDir: string
  /** The PostgreSQL database that all nodes share; embedded when absent. */
  readonly databaseUrl: string | undefined
  /** Connections of this node at most. */
  readonly databaseConnections: number
  readonly redisUrl: string | undefined
  /** Where clients reach this server; derived from host and port when absent. */
  readonly baseUrl: string | undefined
  readonly secretKey: string | undefined
  readonly bootstrap: {
    readonly token: string | undefined
    readonly email: string
    readonly password: string | undefined
  }
  /** A login of the dashboard ends after so long without a request. */
  readonly sessionIdleMs: number
  readonly demo: boolean
  readonly allowPrivateTargets: readonly string[]
  readonly trustProxy: boolean | string
  readonly defaultModel: string | undefined
  readonly pricesFile: string | undefined
  readonly logLevel: string
  /** What Prometheus sends to read `/metrics`. */
  readonly metricsToken: string | undefined
  readonly rateLimit: { readonly perSecond: number; readonly burst: number }
  readonly shutdownTimeoutMs: number
  readonly firstTokenTimeoutMs: number
  /** A model that falls silent for so long in the middle of an answer has died. */
  readonly idleTokenTimeoutMs: number
  /** Checks every answer against its schema; for tests. */
  readonly validateResponses: boolean
  /** Models that every workspace may use. */
  readonly vendors: readonly VendorSettings[]
  /** Keys for the workspaces that have none of their own, by service. */
  readonly serviceKeys: Readonly<Partial<Record<KeyedVendor, ServiceSettings>>>
  /** Without one, knowledge bases are searched by words alone. */
  readonly embedding: ModelServer | undefined
  /** Indexes of knowledge bases that a node holds at once. */
  readonly knowledgeCacheBytes: number
  /** Servers of one's own that speak and listen. */
  readonly speech: SpeechConfig
  /** Where recordings are kept; all nodes share it. */
  readonly recordingsDir: string
}

/** The environment did not validate: one line per problem, for the terminal. */
export class ConfigError extends Error {}

/** Names of all settings, for the test that holds the README's table against them. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape)

/** Parses the environment into one frozen value. Empty values count as absent. The only reader of `process.env`. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value?.trim() !== '' && SETTING_NAMES.includes(name)),
  )
  const parsed = Environment.safeParse(given)
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
      synthesis: readServer(values.SPEECH_BASE_URL, values.SPEECH_MODEL, values.SPEECH_API_KEY),
      voices: values.SPEECH_VOICES,
      transcription: readServer(
        values.TRANSCRIPTION_BASE_URL,
        values.TRANSCRIPTION_MODEL,
        values.TRANSCRIPTION_API_KEY,
      ),
    },
    recordingsDir: values.RECORDINGS_DIR ?? join(values.DATA_DIR, 'recordings'),
  })
}

/** `0` trusts nobody, `1` every proxy, anything else is a list of addresses or ranges. */
function readTrustProxy(value: string): boolean | string {
  if (value === '0' || value === 'false') return false
  return value === '1' || value === 'true' ? true : value
}

/** A provider counts as configured with a key, or with a base URL alone (a local server needs no key). */
function readVendors(values: z.output<typeof Settings>): VendorSettings[] {
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

/** An address alone is no key: a service that asks for one is there with it only. */
function readServiceKeys(values: z.output<typeof Settings>): Config['serviceKeys'] {
  const given: readonly (readonly [KeyedVendor, string | undefined, string | undefined])[] = [
    ['openai', values.OPENAI_API_KEY, values.OPENAI_BASE_URL],
    ['anthropic', values.ANTHROPIC_API_KEY, values.ANTHROPIC_BASE_URL],
    ['elevenlabs', values.ELEVENLABS_API_KEY, values.ELEVENLABS_BASE_URL],
    ['cartesia', values.CARTESIA_API_KEY, values.CARTESIA_BASE_URL],
  ]
  const keys: Partial<Record<KeyedVendor, ServiceSettings>> = {}
  for (const [service, apiKey, baseUrl = null] of given) if (apiKey !== undefined) keys[service] = { apiKey, baseUrl }
  return keys
}

function readServer(
  baseUrl: string | undefined,
  model: string | undefined,
  apiKey: string | undefined,
): ModelServer | null {
  return baseUrl === undefined || model === undefined ? null : { model, baseUrl, apiKey }
}

/** A server of its own gets a key of its own: the key of one is never sent to the other. */
function readEmbedding(values: z.output<typeof Settings>): ModelServer | undefined {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: ownUrl, EMBEDDING_API_KEY: ownKey } = values
  if (model === undefined) return undefined
  if (ownUrl !== undefined) return { model, baseUrl: ownUrl, apiKey: ownKey }
  if (ownKey !== undefined) return { model, baseUrl: DEFAULT_BASE_URLS.openai, apiKey: ownKey }
  return { model, baseUrl: values.OPENAI_BASE_URL ?? DEFAULT_BASE_URLS.openai, apiKey: values.OPENAI_API_KEY }
}
