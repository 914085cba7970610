import type { LanguageModel } from '@parley/engine/ports'
import { Dispatcher } from 'undici'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../../../../testing/model-server/model-server.ts'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import type { KeyedVendor, VendorKey } from '../../features/vendor-keys/vendor-key-store.ts'
import { AppError } from '../../kernel/errors.ts'
import { createGuardedAgent } from '../../platform/outbound/guarded-agent.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createModelCatalog, type ModelVendor } from './catalog.ts'
import { createModelDispatcher } from './model-dispatcher.ts'
import { buildRequest, ChunkDispatcher, collect, createTestClock, joinTexts } from './model-test-kit.ts'
import { createWorkspaceModels } from './workspace-models.ts'

const offline: LanguageModel = { name: 'offline', stream: async function* () {} }
const OPERATORS_KEY = 'sk-operator-0123456789'
const STORED_KEY = 'sk-stored-0123456789'
const UNREADABLE = 'sk-unreadable-0123456789'

/** Records the URLs of requests without sending them. */
class RecordingDispatcher extends Dispatcher {
  readonly urls: string[] = []

  override dispatch(options: Dispatcher.DispatchOptions): boolean {
    this.urls.push(`${options.origin}${options.path}`)
    throw new Error('not sent')
  }
}

interface SetupOptions {
  readonly vendors?: readonly ModelVendor[]
  readonly http?: Dispatcher
  readonly guardedHttp?: Dispatcher
  readonly offlineFor?: (workspaceId: number) => LanguageModel
}

function setUp(options: SetupOptions = {}) {
  const {
    vendors = [],
    http = new RecordingDispatcher(),
    guardedHttp = new RecordingDispatcher(),
    offlineFor,
  } = options
  const storedKeys = new Map<string, Omit<VendorKey, 'isStored' | 'isShared'>>()
  const base = { vendors, offline, defaultModel: 'offline', http, clock: createTestClock() }
  const shared = createModelCatalog(base)
  const models = createWorkspaceModels({
    operatorCatalog: shared,
    catalogOptions: base,
    guardedHttp,
    ...(offlineFor === undefined ? {} : { getOfflineModel: offlineFor }),
    keys: {
      findKey: async (workspaceId, service) => {
        const key = storedKeys.get(`${workspaceId} ${service}`)
        if (key?.apiKey === UNREADABLE) throw new AppError('provider_not_configured', 'Store it again.')
        if (key !== undefined) return { ...key, isStored: true, isShared: false }
        const operatorKey = vendors.find(({ id }) => id === service)?.apiKey
        return operatorKey === undefined
          ? null
          : { apiKey: operatorKey, baseUrl: null, isStored: false, isShared: true }
      },
    },
  })
  return {
    shared,
    models,
    store: (workspaceId: number, service: KeyedVendor, baseUrl: string | null = null, apiKey = STORED_KEY) =>
      storedKeys.set(`${workspaceId} ${service}`, { apiKey, baseUrl }),
    clear: () => storedKeys.clear(),
    ask: async (workspaceId: number, name: string) => {
      const model = (await models.forWorkspace(workspaceId)).resolve(name)
      return model === null ? null : await collect(model.stream(buildRequest()))
    },
  }
}

const createOperatorVendor = (baseUrl: string): ModelVendor => ({
  id: 'openai',
  wire: 'openai',
  baseUrl,
  apiKey: OPERATORS_KEY,
})
const GATEWAY: ModelVendor = { id: 'gateway', wire: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined }

describe('workspace catalogs', () => {
  test("equal the operator's catalog if the workspace stored no keys", async () => {
    const { shared, models, store, clear } = setUp({ vendors: [createOperatorVendor('http://127.0.0.1:1/v1')] })
    expect(await models.forWorkspace(1)).toBe(shared)
    store(2, 'anthropic')
    expect(await models.forWorkspace(1)).toBe(shared)
    expect(await models.forWorkspace(2)).not.toBe(shared)
    clear()
    expect(await models.forWorkspace(2)).toBe(shared)
  })

  test("replace the operator's keys with stored keys or add them", async () => {
    const { models, store } = setUp({ vendors: [createOperatorVendor('http://127.0.0.1:1/v1'), GATEWAY] })
    store(1, 'openai')
    store(1, 'anthropic')
    const catalog = await models.forWorkspace(1)
    expect(catalog.listConfigured()).toEqual(['offline', 'openai/*', 'gateway/*', 'anthropic/*'])
    expect(catalog.defaultModel).toBe('offline')
    expect(catalog.resolve('claude-haiku-4-5')?.name).toBe('anthropic/claude-haiku-4-5')
    expect(catalog.resolve('offline')).toBe(offline)
    expect((await models.forWorkspace(2)).resolve('claude-haiku-4-5')).toBeNull()
  })

  test('are shared for the same keys and change with the keys', async () => {
    const { models, store } = setUp()
    store(1, 'openai')
    store(2, 'openai')
    const firstCatalog = await models.forWorkspace(1)
    expect(await models.forWorkspace(2)).toBe(firstCatalog)
    expect((await models.forWorkspace(1)).resolve('gpt-4o')).toBe(firstCatalog.resolve('gpt-4o'))
    store(1, 'openai', null, 'sk-changed-0123456789')
    expect(await models.forWorkspace(1)).not.toBe(firstCatalog)
    store(1, 'openai', 'https://models.example.com/v1')
    expect(await models.forWorkspace(1)).not.toBe(firstCatalog)
    expect(await models.forWorkspace(2)).toBe(firstCatalog)
  })

  test('are evicted after many others were used', async () => {
    const { models, store } = setUp()
    store(0, 'openai')
    const firstCatalog = await models.forWorkspace(0)
    for (let id = 1; id < 200; id += 1) store(id, 'openai', null, `sk-of-${id}-0123456789`)
    for (let id = 1; id < 200; id += 1) await models.forWorkspace(id)
    expect(await models.forWorkspace(0)).toBe(firstCatalog)
    store(200, 'openai', null, 'sk-of-200-0123456789')
    store(201, 'openai', null, 'sk-of-201-0123456789')
    const secondCatalog = await models.forWorkspace(1)
    for (const id of [200, 201]) await models.forWorkspace(id)
    expect(await models.forWorkspace(1)).toBe(secondCatalog)
    expect(await models.forWorkspace(0)).toBe(firstCatalog)
  })
})

test("uses the workspace's offline model with and without stored keys", async () => {
  const { models, store } = setUp({ offlineFor: (workspaceId) => ({ ...offline, name: `offline of ${workspaceId}` }) })
  store(2, 'anthropic')
  for (const workspaceId of [1, 2])
    expect((await models.forWorkspace(workspaceId)).resolve('offline')?.name).toBe(`offline of ${workspaceId}`)
  expect((await models.forWorkspace(2)).resolve('claude-haiku-4-5')?.name).toBe('anthropic/claude-haiku-4-5')
})

test('fails only the models of an unreadable key', async () => {
  const http = new RecordingDispatcher()
  const { models, store, ask } = setUp({ vendors: [createOperatorVendor('http://127.0.0.1:1/v1')], http })
  store(1, 'openai', null, UNREADABLE)
  store(1, 'anthropic')
  const failure = { kind: 'unauthorized', message: 'Store it again.', retryable: false }
  expect(await ask(1, 'openai/gpt-4o')).toEqual([{ type: 'error', failure }])
  await ask(1, 'claude-haiku-4-5')
  expect(http.urls).toEqual(['https://api.anthropic.com/v1/messages'])
  expect((await models.forWorkspace(1)).resolve('offline')).toBe(offline)
})

describe('request targets', () => {
  test("use the vendor's address for a stored key without an address", async () => {
    const http = new RecordingDispatcher()
    const guardedHttp = new RecordingDispatcher()
    const { store, ask } = setUp({ vendors: [createOperatorVendor('http://127.0.0.1:1/v1')], http, guardedHttp })
    store(1, 'openai')
    store(1, 'anthropic')
    await ask(1, 'openai/gpt-4o')
    await ask(1, 'claude-haiku-4-5')
    await ask(2, 'openai/gpt-4o')
    expect(http.urls).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'https://api.anthropic.com/v1/messages',
      'http://127.0.0.1:1/v1/chat/completions',
    ])
    expect(guardedHttp.urls).toEqual([])
  })

  test('use a stored address only through the guarded dispatcher', async () => {
    const http = new RecordingDispatcher()
    const guardedHttp = new RecordingDispatcher()
    const { store, ask } = setUp({ http, guardedHttp })
    store(1, 'openai', 'https://models.example.com/v1/')
    store(1, 'anthropic', 'https://messages.example.com')
    await ask(1, 'llama3.2')
    await ask(1, 'claude-haiku-4-5')
    expect(http.urls).toEqual([])
    expect(guardedHttp.urls).toEqual([
      'https://models.example.com/v1/chat/completions',
      'https://messages.example.com/v1/messages',
    ])
  })
})

/** Starts a server for the operator's and customers' models. Customers' requests are guarded. */
async function openServer(allow: (host: string) => readonly string[], names: Readonly<Record<string, string>> = {}) {
  const server = await startModelServer()
  const guardedHttp = createGuardedAgent({
    policy: createTargetPolicy({ allowPrivateTargets: allow(new URL(server.url).host) }),
    resolve: async (hostname) => {
      const address = names[hostname]
      if (address === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return [{ address, family: 4 }]
    },
    makeConnector: createLoopbackConnector,
  })
  const http = createModelDispatcher()
  return {
    server,
    port: new URL(server.url).port,
    ...setUp({ vendors: [createOperatorVendor(`${server.url}/v1`)], http, guardedHttp }),
    async [Symbol.asyncDispose]() {
      await Promise.all([http.destroy(), guardedHttp.destroy(), server.close()])
    },
  }
}

describe('a conversation', () => {
  test("uses the workspace's stored keys and the operator's key for other workspaces", async () => {
    await using setting = await openServer((host) => [host])
    const { server, store, ask } = setting
    store(1, 'openai', `${server.url}/v1`)
    store(1, 'anthropic', server.url)
    expect(joinTexts((await ask(1, 'openai/some')) ?? [])).toBe('You said: Hello.')
    expect(joinTexts((await ask(1, 'claude-haiku-4-5')) ?? [])).toBe('You said: Hello.')
    expect(joinTexts((await ask(2, 'openai/some')) ?? [])).toBe('You said: Hello.')
    expect(await ask(2, 'anthropic/claude-haiku-4-5')).toBeNull()
    const [first, second, third] = server.requests.map(({ headers }) => headers)
    expect(first?.authorization).toBe(`Bearer ${STORED_KEY}`)
    expect(second?.['x-api-key']).toBe(STORED_KEY)
    expect(third?.authorization).toBe(`Bearer ${OPERATORS_KEY}`)
  })

  test.each([
    ['a literal address', '127.0.0.1'],
    ['a name that resolves to a private address', 'models.example.com'],
    ['a name of the local machine', 'localhost'],
    ['a decimal address', '2130706433'],
    ['an IPv6 address', '[::1]'],
    ['an IPv4 address in IPv6', '[::ffff:127.0.0.1]'],
  ])('does not reach the private network through %s', async (_what, hostname) => {
    await using setting = await openServer(() => [], { 'models.example.com': '127.0.0.1', localhost: '127.0.0.1' })
    const { server, port, store, ask } = setting
    store(1, 'openai', `http://${hostname}:${port}/v1`)
    expect(await ask(1, 'openai/some')).toEqual([
      {
        type: 'error',
        failure: { kind: 'rejected', message: 'The address of the provider is not public.', retryable: false },
      },
    ])
    expect(server.requests).toEqual([])
    expect(server.acceptedConnections).toBe(0)
    // The operator's own address is still allowed.
    expect(joinTexts((await ask(2, 'openai/some')) ?? [])).toBe('You said: Hello.')
  })

  test('does not follow redirects', async () => {
    await using setting = await openServer((host) => [host])
    const { server, store, ask } = setting
    server.script({ fault: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/v1/chat/completions' } })
    store(1, 'openai', `${server.url}/v1`)
    expect(await ask(1, 'openai/some')).toMatchObject([{ type: 'error', failure: { kind: 'rejected' } }])
    expect(server.requests).toHaveLength(1)
  })

  test('never quotes a key that the server rejects', async () => {
    await using setting = await openServer((host) => [host])
    const { server, store, ask } = setting
    const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${STORED_KEY}` } })
    server.script({ fault: 'status', status: 401, body })
    store(1, 'openai', `${server.url}/v1`)
    const events = await ask(1, 'openai/some')
    expect(events).toMatchObject([{ type: 'error', failure: { kind: 'unauthorized' } }])
    expect(JSON.stringify(events)).not.toContain(STORED_KEY)
  })
})

const OPENAI: ModelVendor = { id: 'openai', wire: 'openai', baseUrl: 'https://api.openai.com/v1', apiKey: 'k' }
const ANTHROPIC: ModelVendor = {
  id: 'anthropic',
  wire: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  apiKey: 'k',
}
const LOCAL: ModelVendor = { id: 'local', wire: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', apiKey: undefined }
const GEMINI: ModelVendor = {
  id: 'gemini',
  wire: 'openai',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  apiKey: 'k',
}

function getCatalog(...vendors: ModelVendor[]) {
  const http = new ChunkDispatcher([])
  return createModelCatalog({ vendors, offline, defaultModel: 'offline', http, clock: createTestClock() })
}

test("resolves names by vendor, by family, or to the operator's only server", () => {
  const catalog = getCatalog(OPENAI, ANTHROPIC, GEMINI, LOCAL)
  const resolveName = (name: string): string | null => catalog.resolve(name)?.name ?? null
  expect(resolveName('openai/gpt-4o')).toBe('openai/gpt-4o')
  expect(resolveName('local/meta-llama/Llama-3:8b')).toBe('local/meta-llama/Llama-3:8b')
  expect(resolveName('gpt-4.1-mini')).toBe('openai/gpt-4.1-mini')
  expect(resolveName('chatgpt-4o-latest')).toBe('openai/chatgpt-4o-latest')
  expect(resolveName('o3')).toBe('openai/o3')
  expect(resolveName('o4-mini')).toBe('openai/o4-mini')
  expect(resolveName('claude-sonnet-4-0')).toBe('anthropic/claude-sonnet-4-0')
  expect(resolveName('gemini-2.5-pro')).toBe('gemini/gemini-2.5-pro')
  expect(resolveName('gpt-oss:20b')).toBe('local/gpt-oss:20b')
  expect(resolveName('llama3.3')).toBe('local/llama3.3')
  expect(catalog.resolve('offline')).toBe(offline)
  expect(catalog.listConfigured()).toEqual(['offline', 'openai/*', 'anthropic/*', 'gemini/*', 'local/*'])
  expect(catalog.defaultModel).toBe('offline')
})

test('returns null for a model that no vendor serves', () => {
  expect(getCatalog(OPENAI).resolve('claude-3-5-haiku-latest')).toBeNull()
  expect(getCatalog(OPENAI).resolve('llama3.3')).toBeNull()
  expect(getCatalog(OPENAI, LOCAL).resolve('anthropic/claude-sonnet-4-0')).toBeNull()
  expect(getCatalog(LOCAL, { ...LOCAL, id: 'other' }).resolve('llama3.3')).toBeNull()
  expect(getCatalog().resolve('gpt-4o')).toBeNull()
  for (const name of ['', '/', '/x', 'openai/', 'a b', 'gpt-4o\n', `gpt-${'x'.repeat(300)}`]) {
    expect(getCatalog(OPENAI, LOCAL).resolve(name)).toBeNull()
  }
})

test('caches models with their context window and evicts the oldest', () => {
  const catalog = getCatalog(OPENAI)
  const firstModel = catalog.resolve('gpt-4o')
  expect(catalog.resolve('openai/gpt-4o')).toBe(firstModel)
  expect(firstModel?.contextTokens).toBe(128_000)
  expect(catalog.resolve('openai/gpt-4')?.contextTokens).toBe(8_192)
  expect(catalog.resolve('gpt-4.1-mini')?.contextTokens).toBe(1_047_576)
  expect(catalog.resolve('openai/mystery')?.contextTokens).toBeUndefined()
  for (let index = 0; index < 190; index += 1) catalog.resolve(`openai/m${index}`)
  expect(catalog.resolve('gpt-4o')).toBe(firstModel)
  for (let index = 200; index < 401; index += 1) catalog.resolve(`openai/m${index}`)
  expect(catalog.resolve('gpt-4o')).not.toBe(firstModel)
})

test('rejects an invalid vendor ID', () => {
  expect(() => getCatalog(LOCAL, LOCAL)).toThrow('twice')
  expect(() => getCatalog({ ...LOCAL, id: 'offline' })).toThrow('is not a valid name')
  expect(() => getCatalog({ ...LOCAL, id: 'a/b' })).toThrow('is not a valid name')
  expect(() => getCatalog({ ...LOCAL, baseUrl: 'ftp://x' })).toThrow('http')
  expect(() => getCatalog({ ...LOCAL, baseUrl: 'not an address' })).toThrow('http')
})
