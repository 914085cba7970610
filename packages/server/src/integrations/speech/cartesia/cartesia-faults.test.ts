import { describe, expect, test } from 'vitest'
import type { CartesiaReply } from '../../../../../../testing/cartesia-server/cartesia-reply.ts'
import { collectSpeech } from '../speech-test-kit.ts'
import { setUpCartesia } from './cartesia-test-kit.ts'

const ERRORS = [
  [401, 'unauthorized', false],
  [403, 'unauthorized', false],
  [402, 'rejected', false],
  [404, 'rejected', false],
  [408, 'timeout', true],
  [409, 'unavailable', true],
  [422, 'rejected', false],
  [429, 'rate-limited', true],
  [500, 'unavailable', true],
  [200, 'protocol', true],
] as const

describe('errors', () => {
  test.each(ERRORS)('with status %d end one context', async (status, kind, retryable) => {
    await using setup = await setUpCartesia()
    setup.server.script({ kind: 'stall', afterChunks: 1 }, { kind: 'error', status, errorCode: 'some_code' })
    const controller = new AbortController()
    const other = setup.read('Other words', { signal: controller.signal })
    expect((await other.next()).value).toMatchObject({ type: 'words' })
    const { outcome } = await setup.speak('my secret plan')
    const message = `The provider ended the speech with an error with status ${status} (some_code).`
    expect(outcome).toEqual({ kind, message, retryable })
    expect((await other.next()).value).toMatchObject({ type: 'audio' })
    controller.abort()
    expect((await setup.speak('Next')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(1)
  })

  test('without a context end all contexts of the socket', async () => {
    await using setup = await setUpCartesia()
    setup.server.script({ kind: 'stall', afterChunks: 1 }, { kind: 'error', status: 402, hasContext: false })
    const outcomes = await Promise.all([setup.speak('One two'), setup.speak('Three')])
    expect(outcomes.map(({ outcome }) => outcome)).toMatchObject([{ kind: 'rejected' }, { kind: 'rejected' }])
    expect((await setup.speak('Next')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(2)
  })

  test('without a context that reject the request are not retried on another socket', async () => {
    await using setup = await setUpCartesia()
    await setup.speak('One')
    setup.server.script({ kind: 'error', status: 402, hasContext: false })
    expect((await setup.speak('Two')).outcome).toMatchObject({ kind: 'rejected' })
    expect(setup.server.requests.map(({ fields }) => fields.transcript)).toEqual(['One', 'Two'])
  })

  test('report the concurrency limit of the plan, and do not affect running contexts', async () => {
    await using setup = await setUpCartesia({ maxContexts: 1 })
    setup.server.script({ kind: 'stall', afterChunks: 1 })
    const controller = new AbortController()
    const running = setup.read('Running', { signal: controller.signal })
    await running.next()
    expect((await setup.speak('One too many')).outcome).toMatchObject({ kind: 'rate-limited', retryable: true })
    expect((await running.next()).value).toMatchObject({ type: 'audio' })
    controller.abort()
  })

  test.each([
    [401, 'unauthorized'],
    [402, 'rejected'],
    [429, 'rate-limited'],
    [500, 'unavailable'],
  ] as const)('with status %d prevent the socket from opening', async (status, kind) => {
    await using setup = await setUpCartesia()
    setup.server.scriptHandshakes({ status })
    expect((await setup.speak('my secret plan')).outcome).toMatchObject({ kind })
    expect((await setup.speak('Next')).outcome).toBe('end')
  })

  test('report a wrong key without the key', async () => {
    await using setup = await setUpCartesia({}, 'sk_car_wrong_0123456789')
    const { outcome } = await setup.speak('my secret plan')
    expect(outcome).toMatchObject({ kind: 'unauthorized' })
    expect(JSON.stringify(outcome)).not.toMatch(/sk_car|secret plan|127\.0/)
  })
})

const FAULTS: readonly (readonly [string, CartesiaReply, string])[] = [
  ['text that is not JSON', { kind: 'raw', message: 'my secret plan' }, 'protocol'],
  ['a list', { kind: 'raw', message: '[]' }, 'protocol'],
  ['a binary message', { kind: 'raw', message: Buffer.alloc(100) }, 'protocol'],
  ['audio that is not base64', { kind: 'message', fields: { type: 'chunk', data: 'my secret plan' } }, 'protocol'],
  ['audio that is not text', { kind: 'message', fields: { type: 'chunk', data: 7 } }, 'protocol'],
  ['an error code with text', { kind: 'error', status: 400, errorCode: 'my secret plan' }, 'rejected'],
  ['no audio', { kind: 'empty' }, 'protocol'],
  ['a connection that breaks within a word', { kind: 'cut', afterChunks: 1 }, 'unavailable'],
  ['a half-closed connection', { kind: 'half-close', afterChunks: 1 }, 'unavailable'],
]

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, reply, kind) => {
    await using setup = await setUpCartesia()
    setup.server.script(reply)
    const { outcome } = await setup.speak('my secret plan')
    expect(outcome).toMatchObject({ kind })
    expect(JSON.stringify(outcome)).not.toMatch(/secret plan|sk-te|127\.0/)
    expect((await setup.speak('Next')).outcome).toBe('end')
  })

  test('more than two minutes of audio', async () => {
    await using setup = await setUpCartesia()
    setup.server.script({ kind: 'message', fields: { type: 'chunk', data: 'A'.repeat(4_000_000) } })
    expect((await setup.speak('Hi', { rateHz: 8_000 })).outcome).toMatchObject({ kind: 'protocol' })
  })

  test('unknown messages are ignored', async () => {
    await using setup = await setUpCartesia()
    const types = ['flush_done', 'phoneme_timestamps', 'news', undefined]
    setup.server.script(...types.map((type) => ({ kind: 'message', fields: { type } }) as const))
    for (const _ of types) expect((await setup.speak('Hi')).outcome).toBe('end')
  })

  test.each([
    ['never answers', { kind: 'stall', afterChunks: 0 }, 8_000],
    ['stalls within the speech', { kind: 'stall', afterChunks: 2 }, 4_000],
  ] as const)('a service that %s is cancelled, and the next request uses another socket', async (_, reply, limitMs) => {
    await using setup = await setUpCartesia()
    setup.server.script(reply)
    const speech = setup.speak('One two three')
    await setup.clock.waitForTimer(limitMs)
    await setup.server.received(1)
    setup.clock.advance(limitMs)
    expect((await speech).outcome).toMatchObject({ kind: 'timeout', retryable: true })
    expect((await setup.speak('Next')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(2)
    await setup.server.socketsOpen(1)
  })

  test('a handshake that is never answered', async () => {
    await using setup = await setUpCartesia()
    setup.server.scriptHandshakes('hang')
    const speech = setup.speak('One')
    await setup.server.handshakesReceived(1)
    setup.clock.advance(5_000)
    expect((await speech).outcome).toMatchObject({ kind: 'timeout' })
    expect((await setup.speak('Next')).outcome).toBe('end')
  })

  test('speech without an end', async () => {
    await using setup = await setUpCartesia()
    setup.server.script({ kind: 'stall', afterChunks: 1 })
    const speech = setup.read('One two')
    expect((await speech.next()).value).toMatchObject({ type: 'words' })
    setup.clock.advance(90_000)
    const { outcome } = await collectSpeech(speech)
    expect(outcome).toMatchObject({ kind: 'timeout' })
  })
})
