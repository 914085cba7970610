import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MIN_COMPRESSED_BYTES } from './compression.ts'
import { BEARER, createThing, mountAny, startTestServer, type TestServer } from './http-test-kit.ts'

const startEchoServer = (): Promise<TestServer> =>
  startTestServer((api) => mountAny(api, createThing, async ({ body }) => body))

async function send(server: TestServer, text: string, acceptEncoding?: string) {
  const { fastify } = server
  return await fastify.inject({
    method: 'POST',
    url: '/api/things',
    headers: { ...BEARER, ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }) },
    payload: { workspaceId: 1, display_name: 'Thing', metadata: { text } },
  })
}

const LONG_TEXT = 'a long text '.repeat(1_000)

test.each(['gzip', 'br, gzip', '*', 'gzip;q=0.5, identity;q=0.1'])(
  'compresses long JSON for %s',
  async (acceptEncoding) => {
    await using server = await startEchoServer()
    const { headers, rawPayload } = await send(server, LONG_TEXT, acceptEncoding)
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(rawPayload.length).toBeLessThan(MIN_COMPRESSED_BYTES / 10)
    expect(Number(headers['content-length'])).toBe(rawPayload.length)
    expect(JSON.parse(gunzipSync(rawPayload).toString())).toMatchObject({ metadata: { text: LONG_TEXT } })
  },
)

test.each([undefined, 'identity', 'gzip;q=0', 'br', 'identity, gzip;q=0.1'])(
  'sends long JSON uncompressed for %s',
  async (acceptEncoding) => {
    await using server = await startEchoServer()
    const response = await send(server, LONG_TEXT, acceptEncoding)
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(response.json()).toMatchObject({ metadata: { text: LONG_TEXT } })
  },
)

test('sends short JSON uncompressed', async () => {
  await using server = await startEchoServer()
  const response = await send(server, 'short', 'gzip')
  expect([response.headers['content-encoding'], response.headers.vary]).toEqual([undefined, undefined])
  expect(response.json()).toMatchObject({ metadata: { text: 'short' } })
})
