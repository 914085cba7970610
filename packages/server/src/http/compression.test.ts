import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MIN_COMPRESSED_BYTES } from './compression.ts'
import { BEARER, createThing, mountAny, startTestServer, type TestServer } from './http-test-kit.ts'

const echo = (): Promise<TestServer> => startTestServer((api) => mountAny(api, createThing, async ({ body }) => body))

async function send(server: TestServer, text: string, acceptEncoding?: string) {
  const { fastify } = server
  return await fastify.inject({
    method: 'POST',
    url: '/api/things',
    headers: { ...BEARER, ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }) },
    payload: { workspaceId: 1, display_name: 'Thing', metadata: { text } },
  })
}

const LONG = 'a long text '.repeat(1_000)

test.each(['gzip', 'br, gzip', '*', 'gzip;q=0.5, identity;q=0.1'])('compresses long JSON for %s', async (accepted) => {
  await using server = await echo()
  const { headers, rawPayload } = await send(server, LONG, accepted)
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(rawPayload.length).toBeLessThan(MIN_COMPRESSED_BYTES / 10)
  expect(Number(headers['content-length'])).toBe(rawPayload.length)
  expect(JSON.parse(gunzipSync(rawPayload).toString())).toMatchObject({ metadata: { text: LONG } })
})

test.each([undefined, 'identity', 'gzip;q=0', 'br', 'identity, gzip;q=0.1'])(
  'sends long JSON uncompressed for %s',
  async (accepted) => {
    await using server = await echo()
    const answer = await send(server, LONG, accepted)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.json()).toMatchObject({ metadata: { text: LONG } })
  },
)

test('sends short JSON uncompressed', async () => {
  await using server = await echo()
  const answer = await send(server, 'short', 'gzip')
  expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([undefined, undefined])
  expect(answer.json()).toMatchObject({ metadata: { text: 'short' } })
})
