import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { DEFAULT_BASE_URLS } from './integrations/models/default-base-urls.ts'

const FLAG = z
  .enum(['0', '1', 'true', 'false'], 'must be 0, 1, true or false')
  .transform((value) => value === '1' || value === 'true')

/** Accepts only plain decimals, because `Number` would also accept "0x10", "1e3" and blanks. */
function createNumberSchema(minimum: number, maximum: number) {
  const error = `must be a number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d{1,15}(\.\d{1,9})?$/, error)
    .transform(Number)
    .pipe(z.number().min(minimum, error).max(maximum, error))
}

function createIntegerSchema(minimum: number, maximum: number) {
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

function createServerUrlSchema(protocols: readonly string[], example: string) {
  return z.string().refine((value) => isServerUrl(value, protocols), `must be a URL such as ${example}`)
}

/** Whether the value is a server URL. A Unix socket URL has no host name: `postgres:///database?host=/var/run/postgresql`. */
function isServerUrl(value: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, searchParams } = new URL(value)
  return protocols.includes(protocol) && (hostname !== '' || searchParams.has('host'))
}

/** The values that Fastify accepts. */
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

const MODEL = z.string().max(200, 'must have at most 200 characters')

/** Describes a setting for the reference. `shownDefault`, in Markdown, replaces the schema's own default there. */
function describeSetting<Schema extends z.ZodType>(schema: Schema, description: string, shownDefault?: string): Schema {
  return schema.meta({ description, shownDefault })
}

const SERVER = {
  HOST: describeSetting(z.string().default('127.0.0.1'), 'Address to listen on; `0.0.0.0` for all interfaces.'),
  PORT: describeSetting(createIntegerSchema(0, 65_535).default(4100), 'Port to listen on; `0` picks a free one.'),
  BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Public address of this server, for the OpenAPI document and for links.',
    'from host and port',
  ),
  TRUST_PROXY: describeSetting(
    PROXIES.default('0'),
    'Proxies whose forwarding headers count: `0` none, `1` all, or addresses and ranges separated by commas.',
  ),
  ALLOW_PRIVATE_TARGETS: describeSetting(
    LIST.default([]),
    'Private targets that workspaces may reach: hosts, `host:port`, addresses or ranges, separated by commas.',
  ),
  RATE_LIMIT_PER_SECOND: describeSetting(
    createNumberSchema(0, 1_000_000).default(50),
    'Average requests per second of each token; `0` turns the limit off.',
  ),
  RATE_LIMIT_BURST: describeSetting(
    createIntegerSchema(1, 1_000_000).default(100),
    'Requests that a token may send at once.',
  ),
  LOG_LEVEL: describeSetting(
    z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
      .default('info'),
    '`trace`, `debug`, `info`, `warn`, `error` or `silent`.',
  ),
  METRICS_TOKEN: describeSetting(
    TOKEN.optional(),
    'Token for `GET /metrics`, 16 to 200 visible ASCII characters; without it, metrics are off.',
  ),
  SHUTDOWN_TIMEOUT_MS: describeSetting(
    createIntegerSchema(0, 600_000).default(10_000),
    'How long a shutdown waits for requests and turns.',
  ),
  CHECK_ANSWERS: describeSetting(FLAG.default(false), '`1` checks every response against its schema; for tests.'),
}

const STORAGE = {
  DATA_DIR: describeSetting(z.string().default('./data'), 'Folder of the embedded database and the secret key.'),
  DATABASE_URL: describeSetting(
    createServerUrlSchema(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database').optional(),
    'PostgreSQL 15 or newer, shared by all nodes: `postgres://user:password@host:5432/database`.',
    'embedded database',
  ),
  DATABASE_CONNECTIONS: describeSetting(
    createIntegerSchema(2, 500).default(20),
    'Maximum PostgreSQL connections of one node.',
  ),
  REDIS_URL: describeSetting(
    createServerUrlSchema(['redis:', 'rediss:'], 'redis://host:6379').optional(),
    'Redis between nodes: faster events, shared rate limits. Requires `DATABASE_URL`.',
  ),
  SECRET_KEY: describeSetting(
    z.string().min(32, 'must have at least 32 characters').optional(),
    'Key that encrypts stored secrets, at least 32 characters. Required with `DATABASE_URL`.',
    'generated in `DATA_DIR`',
  ),
  RECORDINGS_DIR: describeSetting(
    z.string().optional(),
    'Folder of call recordings; nodes share one.',
    '`recordings` in `DATA_DIR`',
  ),
}

const FIRST_START = {
  BOOTSTRAP_TOKEN: describeSetting(
    TOKEN.optional(),
    'First API token, 16 to 200 visible ASCII characters.',
    'generated and printed',
  ),
  BOOTSTRAP_EMAIL: describeSetting(
    z.email('must be an e-mail address').default('owner@localhost.localdomain'),
    'E-mail address of the first owner.',
  ),
  BOOTSTRAP_PASSWORD: describeSetting(
    z.string().min(10, 'must have at least 10 characters').max(200, 'must have at most 200 characters').optional(),
    'Password of the first owner, 10 to 200 characters.',
    'generated and printed',
  ),
  SESSION_IDLE_MINUTES: describeSetting(
    createIntegerSchema(5, 20_160).default(10_080),
    'Minutes without a request after which a dashboard session ends, 5 to 20160.',
    '`10080` (7 days)',
  ),
  DEMO: describeSetting(FLAG.default(true), '`0` skips the demo agent at the first start.'),
}

const MODELS = {
  DEFAULT_MODEL: describeSetting(MODEL.optional(), 'Model of LLM configurations that name none.', '`offline`'),
  PRICES_FILE: describeSetting(z.string().optional(), 'JSON file with your own model prices.', 'built-in table'),
  FIRST_TOKEN_TIMEOUT_MS: describeSetting(
    createIntegerSchema(100, 600_000).default(20_000),
    'How long a model may take to send its first token.',
  ),
  IDLE_TOKEN_TIMEOUT_MS: describeSetting(
    createIntegerSchema(100, 600_000).default(30_000),
    'How long a model may pause within an answer.',
  ),
  OPENAI_API_KEY: describeSetting(z.string().optional(), 'Key for OpenAI, or for the server at `OPENAI_BASE_URL`.'),
  OPENAI_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Any server with the OpenAI Chat Completions API.',
    `\`${DEFAULT_BASE_URLS.openai}\``,
  ),
  ANTHROPIC_API_KEY: describeSetting(
    z.string().optional(),
    'Key for Anthropic, or for the server at `ANTHROPIC_BASE_URL`.',
  ),
  ANTHROPIC_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Any server with the Anthropic Messages API.',
    `\`${DEFAULT_BASE_URLS.anthropic}\``,
  ),
}

const KNOWLEDGE = {
  EMBEDDING_MODEL: describeSetting(
    MODEL.optional(),
    'Embedding model for semantic search in knowledge bases; without it, search is lexical.',
  ),
  EMBEDDING_API_KEY: describeSetting(
    z.string().optional(),
    'Key of the embedding server; for OpenAI when `EMBEDDING_BASE_URL` is not set.',
  ),
  EMBEDDING_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Any server with the OpenAI Embeddings API.',
    '`OPENAI_BASE_URL`',
  ),
  KNOWLEDGE_CACHE_MB: describeSetting(
    createIntegerSchema(16, 65_536).default(256),
    'Memory for search indexes on a node, 16 to 65536.',
  ),
}

const SPEECH = {
  SPEECH_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Your own server with the OpenAI speech API. Requires `SPEECH_MODEL` and `SPEECH_VOICES`.',
  ),
  SPEECH_API_KEY: describeSetting(z.string().optional(), 'Key of your speech server.'),
  SPEECH_MODEL: describeSetting(MODEL.optional(), 'Model of your speech server.'),
  SPEECH_VOICES: describeSetting(LIST.default([]), 'Voices of your speech server, separated by commas.'),
  TRANSCRIPTION_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Your own server with the OpenAI transcription API. Requires `TRANSCRIPTION_MODEL`.',
  ),
  TRANSCRIPTION_API_KEY: describeSetting(z.string().optional(), 'Key of your transcription server.'),
  TRANSCRIPTION_MODEL: describeSetting(MODEL.optional(), 'Model of your transcription server.'),
  BUILT_IN_TRANSCRIPTION: describeSetting(
    FLAG.default(true),
    '`0` turns off built-in speech recognition, which needs about 500 MB of memory during calls.',
  ),
  SMART_TURN_MODEL: describeSetting(
    z.string().optional(),
    'ONNX file of a Smart Turn v3 model, which hears when callers have finished.',
  ),
  DEEPGRAM_API_KEY: describeSetting(z.string().optional(), 'Deepgram key for workspaces without a key of their own.'),
  DEEPGRAM_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Any server with the Deepgram API. Requires `DEEPGRAM_API_KEY`.',
    'Deepgram',
  ),
  ELEVENLABS_API_KEY: describeSetting(
    z.string().optional(),
    'ElevenLabs key for workspaces without a key of their own.',
  ),
  ELEVENLABS_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Any server with the ElevenLabs API. Requires `ELEVENLABS_API_KEY`.',
    'ElevenLabs',
  ),
  CARTESIA_API_KEY: describeSetting(z.string().optional(), 'Cartesia key for workspaces without a key of their own.'),
  CARTESIA_BASE_URL: describeSetting(
    HTTP_URL.optional(),
    'Any server with the Cartesia API. Requires `CARTESIA_API_KEY`.',
    'Cartesia',
  ),
}

/** Every environment variable, by section of the reference. */
export const ENVIRONMENT_SECTIONS: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  Server: SERVER,
  Storage: STORAGE,
  'First start and sign-in': FIRST_START,
  Models: MODELS,
  'Knowledge bases': KNOWLEDGE,
  Speech: SPEECH,
}

const Settings = z.object({ ...SERVER, ...STORAGE, ...FIRST_START, ...MODELS, ...KNOWLEDGE, ...SPEECH })

/** Values of all environment variables after parsing. */
export type EnvironmentValues = z.output<typeof Settings>

/** Names of all environment variables. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape)

/** Parses the environment and checks settings that depend on each other. */
export const Environment = Settings.superRefine((values, context) => {
  const addProblem = (name: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message })
  if (values.DATABASE_URL !== undefined && values.SECRET_KEY === undefined) {
    addProblem('SECRET_KEY', 'must be set, the same on every node, where DATABASE_URL is')
  }
  if (values.REDIS_URL !== undefined && values.DATABASE_URL === undefined) {
    addProblem('REDIS_URL', 'connects several nodes, which share a database: set DATABASE_URL as well')
  }
  const { EMBEDDING_BASE_URL, EMBEDDING_API_KEY, OPENAI_BASE_URL, OPENAI_API_KEY } = values
  const servers = [EMBEDDING_BASE_URL, EMBEDDING_API_KEY, OPENAI_BASE_URL, OPENAI_API_KEY]
  if (values.EMBEDDING_MODEL !== undefined && servers.every((server) => server === undefined)) {
    addProblem('EMBEDDING_MODEL', 'needs a server: set EMBEDDING_BASE_URL, EMBEDDING_API_KEY or OPENAI_API_KEY')
  }
  for (const kind of ['SPEECH', 'TRANSCRIPTION'] as const) {
    if (values[`${kind}_BASE_URL`] === undefined) continue
    if (values[`${kind}_MODEL`] === undefined) addProblem(`${kind}_MODEL`, `must name the model of ${kind}_BASE_URL`)
  }
  if (values.SPEECH_BASE_URL !== undefined && values.SPEECH_VOICES.length === 0) {
    addProblem('SPEECH_VOICES', 'must name the voices of SPEECH_BASE_URL, which has no list of them')
  }
})
