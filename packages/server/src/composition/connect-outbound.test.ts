import { expect, test } from 'vitest'
import { startModelServer } from '../../../../testing/model-server/model-server.ts'
import { readConfig } from '../config.ts'
import type { VendorKeys } from '../features/vendor-keys/vendor-key-store.ts'
import { buildRequest, collect, joinTexts } from '../integrations/models/model-test-kit.ts'
import { systemClock } from '../platform/system.ts'
import { connectOutbound } from './connect-outbound.ts'

/** Sends a request to a model of a workspace whose stored key has this base URL. */
async function askWithStoredKey(baseUrl: string, environment: Readonly<Record<string, string>>) {
  const outbound = await connectOutbound(readConfig(environment), {
    clock: systemClock,
    version: '0.0.0',
    logError: () => undefined,
  })
  try {
    const keys: VendorKeys = {
      findKey: async () => ({ apiKey: 'sk-stored-0123456789', baseUrl, isStored: true, isShared: false }),
    }
    const model = (await outbound.models.withKeys(keys).forWorkspace(1)).resolve('openai/some')
    return model === null ? [] : await collect(model.stream(buildRequest()))
  } finally {
    await outbound.close()
  }
}

test("checks stored addresses against the guard and the operator's exceptions", async () => {
  await using server = await startModelServer()
  const baseUrl = `${server.url}/v1`
  expect(await askWithStoredKey(baseUrl, {})).toMatchObject([{ type: 'error', failure: { kind: 'rejected' } }])
  expect(server.acceptedConnections).toBe(0)
  const allowedEvents = await askWithStoredKey(baseUrl, { ALLOW_PRIVATE_TARGETS: new URL(server.url).host })
  expect(joinTexts(allowedEvents)).toBe('You said: Hello.')
  // A server in the operator's settings stays blocked for customers.
  const operatorSettings = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'sk-operator-0123456789' }
  expect(await askWithStoredKey(baseUrl, operatorSettings)).toMatchObject([
    { type: 'error', failure: { kind: 'rejected' } },
  ])
  expect(server.requests).toHaveLength(1)
})
