import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'
import { SETTING_NAMES } from './environment-settings.ts'

function listProblems(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').slice(1)
  }
}

describe('readConfig with invalid settings', () => {
  test.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x10'],
    ['PORT', 'http'],
    ['DATABASE_CONNECTIONS', '1'],
    ['BASE_URL', 'localhost:4100'],
    ['BASE_URL', 'ftp://example.com'],
    ['SECRET_KEY', 'short'],
    ['BOOTSTRAP_TOKEN', 'short'],
    ['METRICS_TOKEN', 'short'],
    ['BOOTSTRAP_TOKEN', 'with a space in the middle'],
    ['BOOTSTRAP_EMAIL', 'nobody'],
    ['BOOTSTRAP_PASSWORD', 'short'],
    ['BOOTSTRAP_PASSWORD', 'x'.repeat(201)],
    ['SESSION_IDLE_MINUTES', '4'],
    ['DEMO', 'yes'],
    ['TRUST_PROXY', 'everybody'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1,,10.0.0.2'],
    ['DEFAULT_MODEL', 'm'.repeat(201)],
    ['LOG_LEVEL', 'loud'],
    ['RATE_LIMIT_PER_SECOND', '-1'],
    ['RATE_LIMIT_PER_SECOND', 'Infinity'],
    ['RATE_LIMIT_BURST', '0'],
    ['RATE_LIMIT_BURST', '1.5'],
    ['SHUTDOWN_TIMEOUT_MS', '1e9'],
    ['CHECK_ANSWERS', '2'],
    ['FIRST_TOKEN_TIMEOUT_MS', '5'],
    ['IDLE_TOKEN_TIMEOUT_MS', '700000'],
    ['OPENAI_BASE_URL', '/v1'],
    ['ANTHROPIC_BASE_URL', 'api.anthropic.com'],
    ['DEEPGRAM_BASE_URL', 'api.deepgram.com'],
    ['ELEVENLABS_BASE_URL', 'ftp://example.com'],
    ['CARTESIA_BASE_URL', 'api.cartesia.ai'],
  ])('%s=%s is rejected with one line that contains the setting and the accepted values', (name, value) => {
    const lines = listProblems({ [name]: value })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(new RegExp(`^  ${name}: must `))
    if (value.length > 4) expect(lines[0]).not.toContain(value)
  })

  test('reports every invalid setting at once', () => {
    const lines = listProblems({ PORT: 'x', DEMO: 'x', BASE_URL: 'x', LOG_LEVEL: 'x' })
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual(['PORT', 'BASE_URL', 'LOG_LEVEL', 'DEMO'])
  })
})

describe('readConfig with dependent settings', () => {
  test('DATABASE_URL requires SECRET_KEY', () => {
    expect(listProblems({ DATABASE_URL: 'postgres://localhost/parley' })).toEqual([
      '  SECRET_KEY: must be set, the same on every node, where DATABASE_URL is',
    ])
    const url = 'postgres:///parley?host=/var/run/postgresql'
    expect(listProblems({ DATABASE_URL: url, SECRET_KEY: 'k'.repeat(32) })).toEqual([])
  })

  test.each([
    ['DATABASE_URL', 'mysql://localhost/parley', 'must be a URL such as postgres://user:password@host:5432/database'],
    ['DATABASE_URL', 'localhost:5432/parley', 'must be a URL such as postgres://user:password@host:5432/database'],
    ['REDIS_URL', 'http://localhost:6379', 'must be a URL such as redis://host:6379'],
  ])('%s=%s is rejected as a URL', (name, value, message) => {
    const dependentSettings = {
      SECRET_KEY: 'k'.repeat(32),
      ...(name === 'REDIS_URL' && { DATABASE_URL: 'postgres://localhost' }),
    }
    expect(listProblems({ ...dependentSettings, [name]: value })).toEqual([`  ${name}: ${message}`])
  })

  test('REDIS_URL requires DATABASE_URL', () => {
    expect(listProblems({ REDIS_URL: 'rediss://localhost:6379' })).toEqual([
      '  REDIS_URL: connects several nodes, which share a database: set DATABASE_URL as well',
    ])
  })
})

describe('readConfig', () => {
  test('returns defaults for one machine', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 4100,
      dataDir: './data',
      databaseUrl: undefined,
      databaseConnections: 20,
      redisUrl: undefined,
      baseUrl: undefined,
      secretKey: undefined,
      bootstrap: { token: undefined, email: 'owner@localhost.localdomain', password: undefined },
      sessionIdleMs: 7 * 24 * 60 * 60 * 1000,
      demo: true,
      allowPrivateTargets: [],
      trustProxy: false,
      defaultModel: undefined,
      pricesFile: undefined,
      logLevel: 'info',
      rateLimit: { perSecond: 50, burst: 100 },
      shutdownTimeoutMs: 10_000,
      validateResponses: false,
      firstTokenTimeoutMs: 20_000,
      idleTokenTimeoutMs: 30_000,
      vendors: [],
      serviceKeys: {},
      embedding: undefined,
      knowledgeCacheBytes: 268_435_456,
      speech: { synthesis: null, voices: [], transcription: null, builtInTranscription: true },
      recordingsDir: 'data/recordings',
    })
  })

  test('treats empty and blank values as absent', () => {
    const blank = Object.fromEntries(SETTING_NAMES.map((name, index) => [name, index % 2 === 0 ? '' : '  ']))
    expect(readConfig(blank)).toEqual(readConfig({}))
  })

  test('requires a model and voices with SPEECH_BASE_URL', () => {
    const speechSettings = { SPEECH_BASE_URL: 'http://127.0.0.1:8880/v1' }
    expect(() => readConfig(speechSettings)).toThrow(/SPEECH_MODEL.*SPEECH_VOICES/s)
    const config = readConfig({
      ...speechSettings,
      SPEECH_MODEL: 'kokoro',
      SPEECH_VOICES: 'heart, sky',
      SPEECH_API_KEY: 'key',
    })
    const synthesis = { baseUrl: 'http://127.0.0.1:8880/v1', model: 'kokoro', apiKey: 'key' }
    expect(config.speech).toEqual({
      synthesis,
      voices: ['heart', 'sky'],
      transcription: null,
      builtInTranscription: true,
    })
    expect(() => readConfig({ TRANSCRIPTION_BASE_URL: 'http://127.0.0.1:9000/v1' })).toThrow(/TRANSCRIPTION_MODEL/)
  })

  test('ignores unknown variables', () => {
    expect(readConfig({ PATH: '/bin', port: 'x', __proto__: 'x' } as never)).toEqual(readConfig({}))
  })

  test('parses values into their types', () => {
    const config = readConfig({
      PORT: '0',
      BASE_URL: 'https://voice.example.com/',
      DEMO: '0',
      ALLOW_PRIVATE_TARGETS: ' localhost:4200, 10.0.0.0/8 ,,',
      RATE_LIMIT_PER_SECOND: '0.5',
      SHUTDOWN_TIMEOUT_MS: '0',
    })
    expect(config).toMatchObject({
      port: 0,
      baseUrl: 'https://voice.example.com',
      demo: false,
      allowPrivateTargets: ['localhost:4200', '10.0.0.0/8'],
      rateLimit: { perSecond: 0.5 },
      shutdownTimeoutMs: 0,
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  test.each([
    ['0', false],
    ['false', false],
    ['1', true],
    ['true', true],
    ['10.0.0.0/8, 192.168.1.1', '10.0.0.0/8, 192.168.1.1'],
    ['loopback,fd00::/8', 'loopback,fd00::/8'],
  ])('TRUST_PROXY=%s', (value, expected) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toBe(expected)
  })

  test('configures a vendor that has a key or a base URL', () => {
    expect(readConfig({ OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1/', ANTHROPIC_API_KEY: 'k' }).vendors).toEqual([
      { id: 'openai', wire: 'openai', baseUrl: 'http://127.0.0.1:8080/v1', apiKey: undefined },
      { id: 'anthropic', wire: 'anthropic', baseUrl: 'https://api.anthropic.com', apiKey: 'k' },
    ])
  })

  test('never sends the key of one embedding server to another', () => {
    const readEmbedding = (settings: Record<string, string>) =>
      readConfig({ EMBEDDING_MODEL: 'e', ...settings }).embedding
    const ownServer = { OPENAI_API_KEY: 'k', EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1/' }
    expect(readEmbedding(ownServer)).toEqual({ model: 'e', baseUrl: 'http://127.0.0.1:9/v1', apiKey: undefined })
    expect(readEmbedding({ ...ownServer, EMBEDDING_API_KEY: 'e-key' })?.apiKey).toBe('e-key')
    expect(readEmbedding({ OPENAI_API_KEY: 'k' })).toEqual({
      model: 'e',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'k',
    })
    expect(readEmbedding({ OPENAI_BASE_URL: 'http://127.0.0.1:8', EMBEDDING_API_KEY: 'e-key' })?.baseUrl).toContain(
      'openai.com',
    )
    expect(listProblems({ EMBEDDING_MODEL: 'e' })).toEqual([
      '  EMBEDDING_MODEL: needs a server: set EMBEDDING_BASE_URL, EMBEDDING_API_KEY or OPENAI_API_KEY',
    ])
  })

  test('returns only service keys that are set', () => {
    const config = readConfig({
      OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1',
      ANTHROPIC_API_KEY: 'k1',
      ELEVENLABS_API_KEY: 'k2',
      ELEVENLABS_BASE_URL: 'https://voices.example.com/',
      CARTESIA_API_KEY: 'k3',
      DEEPGRAM_API_KEY: 'k4',
    })
    expect(config.serviceKeys).toEqual({
      anthropic: { apiKey: 'k1', baseUrl: null },
      elevenlabs: { apiKey: 'k2', baseUrl: 'https://voices.example.com' },
      cartesia: { apiKey: 'k3', baseUrl: null },
      deepgram: { apiKey: 'k4', baseUrl: null },
    })
  })
})
