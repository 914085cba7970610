import { VOICE_PROVIDERS } from '@parley/contract/voice'
import { describe, expect, test } from 'vitest'
import type { ToolReply } from '../../../../../testing/tool-server/tool-reply.ts'
import type { VoiceOutcome } from '../../features/voices/voice-ports.ts'
import { setUpVoices, type VoiceSetup } from './voice-test-kit.ts'

const NORA = { providerVoiceId: 'Nora7calmBritish0001', publicUserId: 'owner0001', name: 'Desk' }

/** Lets the one pause before a second attempt pass. */
async function skipPause(setup: VoiceSetup, pauseMs = 500): Promise<void> {
  await setup.clock.waitForTimer(pauseMs)
  setup.clock.advance(pauseMs)
}

function messageOf(outcome: VoiceOutcome<unknown>): string {
  return outcome.ok ? 'no failure' : outcome.message
}

describe.each(VOICE_PROVIDERS)('a read of %s', (provider) => {
  const passing: readonly [string, ToolReply][] = [
    ['429', { kind: 'json', status: 429, body: {} }],
    ['500', { kind: 'json', status: 500, body: {} }],
    ['a dropped connection', { kind: 'refuse' }],
    ['an answer that is cut', { kind: 'cut' }],
    ['an answer that is no HTTP', { kind: 'garbage' }],
  ]
  test.each(passing)('is repeated once after %s', async (_name, fault) => {
    await using setup = await setUpVoices()
    setup.server.script(fault)
    const recovered = setup.directories[provider].search(setup.key, 'nora')
    await skipPause(setup)
    expect(await recovered).toMatchObject({ ok: true, value: [{ name: 'Nora' }] })
    setup.server.script(fault, fault)
    const failed = setup.directories[provider].search(setup.key, 'nora')
    await skipPause(setup)
    expect(await failed).toMatchObject({ ok: false, reason: 'failed' })
    expect(setup.server.requests).toHaveLength(4)
    expect(setup.clock.timerCount).toBe(0)
  })

  const lasting: readonly [string, ToolReply, RegExp][] = [
    ['a web page', { kind: 'html' }, /no JSON/],
    ['half of a JSON', { kind: 'raw', body: '{"voices": [', contentType: 'application/json' }, /no JSON/],
    ['a list of nothing', { kind: 'json', body: [] }, /nothing of voices/],
    ['voices that are no list', { kind: 'json', body: { voices: 'many', data: {} } }, /nothing of voices/],
    ['more than 2 MiB', { kind: 'flood', sizeBytes: 3_000_000 }, /larger than 2097152 bytes/],
    ['a refusal', { kind: 'json', status: 402, body: { detail: 'Pay first' } }, /status 402: Pay first\.$/],
  ]
  test.each(lasting)('fails at once with %s', async (_name, fault, message) => {
    await using setup = await setUpVoices()
    setup.server.script(fault)
    const outcome = await setup.directories[provider].search(setup.key, 'nora')
    expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
    expect(messageOf(outcome)).toMatch(message)
    expect(setup.server.requests).toHaveLength(1)
  })

  test('ends after ten seconds, whatever hangs', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.directories[provider].search(setup.key, 'nora')
    await setup.server.received(1)
    setup.clock.advance(10_000)
    expect(await outcome).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: expect.stringMatching(/did not answer within 10 seconds/),
    })
    expect(setup.server.requests).toHaveLength(1)
  })

  test('has ten seconds for both attempts together', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'json', status: 429, body: {}, headers: { 'retry-after': '4' } }, { kind: 'drip' })
    const outcome = setup.directories[provider].search(setup.key, 'nora')
    await skipPause(setup, 4000)
    await setup.server.received(2)
    setup.clock.advance(6000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
  })

  test('is not repeated when the provider asks for more patience than there is time', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'json', status: 429, body: {}, headers: { 'retry-after': '10' } })
    expect(await setup.directories[provider].search(setup.key, 'nora')).toMatchObject({
      ok: false,
      reason: 'failed',
    })
    expect(setup.server.requests).toHaveLength(1)
  })
})

describe('adding', () => {
  test.each(['refuse', 'cut'] as const)('is not sent twice when its answer is lost (%s)', async (kind) => {
    await using setup = await setUpVoices()
    setup.server.script({ kind })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toMatchObject({ ok: false, reason: 'failed' })
    expect(setup.server.requests).toEqual(['POST /v1/voices/add/owner0001/Nora7calmBritish0001'])
  })

  test('shares one deadline with the reading that follows', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'hang' })
    const lost = setup.directories.elevenlabs.add(setup.key, NORA)
    await setup.server.received(1)
    setup.clock.advance(10_000)
    expect(await lost).toMatchObject({ ok: false, reason: 'timeout' })

    setup.server.script(null, { kind: 'json', status: 503, body: {} }, { kind: 'hang' })
    const late = setup.directories.elevenlabs.add(setup.key, NORA)
    await skipPause(setup)
    await setup.server.received(4)
    setup.clock.advance(9500)
    expect(await late).toMatchObject({ ok: false, reason: 'timeout' })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toMatchObject({ ok: true })
  })
})
