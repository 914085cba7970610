import { expect, test } from 'vitest'
import { startModelServer } from '../../../../testing/model-server/model-server.ts'
import { readConfig } from '../config.ts'
import type { ProviderKeys } from '../features/provider-keys/provider-key-store.ts'
import { systemClock } from '../platform/system.ts'
import { collect, requestOf, textOf } from '../providers/models/model-test-kit.ts'
import { connectOutbound } from './connect-outbound.ts'

/** Asks a model of a workspace that stored a key for the given address. */
async function askStored(baseUrl: string, environment: Readonly<Record<string, string>>) {
  const outbound = await connectOutbound(readConfig(environment), {
    clock: systemClock,
    version: '0.0.0',
    logError: () => undefined,
  })
  try {
    const keys: ProviderKeys = { keyFor: async () => ({ apiKey: 'sk-stored-0123456789', baseUrl, isStored: true }) }
    const model = (await outbound.models.withKeys(keys).forWorkspace(1)).resolve('openai/some')
    return model === null ? [] : await collect(model.stream(requestOf()))
  } finally {
    await outbound.close()
  }
}

test('addresses that customers stored pass the guard, with the exceptions of the operator', async () => {
  await using server = await startModelServer()
  const baseUrl = `${server.url}/v1`
  expect(await askStored(baseUrl, {})).toMatchObject([{ type: 'error', failure: { kind: 'rejected' } }])
  expect(server.acceptedConnections).toBe(0)
  const allowed = await askStored(baseUrl, { ALLOW_PRIVATE_TARGETS: new URL(server.url).host })
  expect(textOf(allowed)).toBe('You said: Hello.')
  // That the operator uses the same server does not open it to customers.
  const operators = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'sk-operator-0123456789' }
  expect(await askStored(baseUrl, operators)).toMatchObject([{ type: 'error', failure: { kind: 'rejected' } }])
  expect(server.requests).toHaveLength(1)
})
