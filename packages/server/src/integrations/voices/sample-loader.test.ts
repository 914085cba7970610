import { expect, test } from 'vitest'
import { setUp as setUpServer } from '../../platform/outbound/guarded-request-test-kit.ts'
import { createSampleLoader } from './sample-loader.ts'

type Setup = Awaited<ReturnType<typeof setUpServer>>

const load = ({ server, client }: Setup) => createSampleLoader(client.request)(`${server.url}/sample`)

test.each(['audio/mpeg', 'audio/wav', 'Audio/OGG; codecs=opus'])(
  'returns audio of the type %s',
  async (contentType) => {
    await using setup = await setUpServer()
    setup.server.script({ kind: 'raw', status: 200, body: 'sound', contentType })
    expect(await load(setup)).toEqual({
      ok: true,
      contentType: contentType.split(';')[0]?.toLowerCase(),
      bytes: Buffer.from('sound'),
    })
  },
)

test.each([
  [{ kind: 'html' }, 'failed', /did not return audio/],
  [{ kind: 'raw', status: 200, body: '<svg/>', contentType: 'image/svg+xml' }, 'failed', /did not return audio/],
  [{ kind: 'raw', status: 404, body: '', contentType: 'audio/wav' }, 'failed', /status 404/],
  [{ kind: 'flood', sizeBytes: 6 * 1024 * 1024 }, 'failed', /could not be loaded/],
  [{ kind: 'refuse' }, 'failed', /could not be loaded/],
  [{ kind: 'redirect', to: 'http://169.254.169.254/' }, 'failed', /could not be loaded/],
] as const)('reports a server that answers %j', async (reply, reason, message) => {
  await using setup = await setUpServer()
  setup.server.script(reply)
  const outcome = await load(setup)
  expect(outcome).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
  expect(JSON.stringify(outcome)).not.toMatch(/127\.0|169\.254/)
})

test('waits for at most ten seconds', async () => {
  await using setup = await setUpServer()
  setup.server.script({ kind: 'hang' })
  const outcome = load(setup)
  await setup.server.received(1)
  setup.clock.advance(10_000)
  expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
})

test('blocks private addresses', async () => {
  await using setup = await setUpServer({ allow: () => [] })
  expect(await load(setup)).toMatchObject({ ok: false, reason: 'failed' })
  expect(setup.server.requests).toEqual([])
})
