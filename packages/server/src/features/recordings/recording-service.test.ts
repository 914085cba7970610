import { parseWav } from '@parley/engine/audio/wav'
import { expect, test } from 'vitest'
import { computeAgentSample, computeCallerSample, openRecordings } from './recordings-test-kit.ts'

const RECORDING = '/api/v1/calls/call_over/recording'

function parseAudio(bytes: Buffer) {
  const parsed = parseWav(bytes)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.audio
}

test('a recording is a WAV file with the recorded samples', async () => {
  await using recordings = await openRecordings()
  const samples = 100_000
  await recordings.record('call_over', samples)
  const { status, headers, bytes } = await recordings.get(RECORDING)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'audio/wav',
    'content-length': String(44 + samples * 4),
    'accept-ranges': 'bytes',
    'content-disposition': 'inline; filename="call_over.wav"',
    etag: expect.stringMatching(/^"stereo-400000-\d+"$/),
  })
  const stereo = parseAudio(bytes)
  expect(stereo).toMatchObject({ rateHz: 8_000, channels: 2 })
  const expectedSamples = Int16Array.from({ length: samples * 2 }, (_, index) =>
    index % 2 === 0 ? computeCallerSample(index >> 1) : computeAgentSample(index >> 1),
  )
  expect(Buffer.compare(Buffer.from(stereo.samples.buffer), Buffer.from(expectedSamples.buffer))).toBe(0)

  for (const [channel, computeSample] of [
    ['caller', computeCallerSample],
    ['agent', computeAgentSample],
    ['mixed', (index: number) => computeCallerSample(index) + computeAgentSample(index)],
  ] as const) {
    const mono = parseAudio((await recordings.get(`${RECORDING}?channel=${channel}`)).bytes)
    expect(mono.channels).toBe(1)
    expect(mono.samples).toHaveLength(samples)
    for (const index of [0, 1, 12_345, 64_001, samples - 1]) expect(mono.samples[index]).toBe(computeSample(index))
  }
  expect((await recordings.get(`${RECORDING}?channel=left`)).status).toBe(400)
  expect(await recordings.service.describe('call_over')).toEqual({
    rateHz: 8_000,
    durationMs: 12_500,
    sizeBytes: 400_044,
  })
  expect(await recordings.service.describe('call_silent')).toBeNull()
})

test('supports ranges, conditional requests and HEAD', async () => {
  await using recordings = await openRecordings()
  await recordings.record('call_over', 50_000)
  const { bytes: fullFile, headers } = await recordings.get(RECORDING)
  const etag = String(headers.etag)
  const sendRequest = (extraHeaders: Readonly<Record<string, string>>, method?: 'HEAD') =>
    recordings.get(RECORDING, { ...recordings.bearer, ...extraHeaders }, method)

  for (const [range, start, end] of [
    ['bytes=0-43', 0, 43],
    ['bytes=40-50', 40, 50],
    ['bytes=130001-200041', 130_001, 200_041],
    ['bytes=-7', fullFile.length - 7, fullFile.length - 1],
    ['bytes=200000-', 200_000, fullFile.length - 1],
  ] as const) {
    const response = await sendRequest({ range })
    expect(response.status).toBe(206)
    expect(response.headers['content-range']).toBe(`bytes ${start}-${end}/${fullFile.length}`)
    expect(response.bytes.equals(fullFile.subarray(start, end + 1))).toBe(true)
  }
  const unsatisfiable = await sendRequest({ range: 'bytes=900000-' })
  expect(unsatisfiable).toMatchObject({
    status: 416,
    headers: { 'content-range': `bytes */${fullFile.length}`, 'content-type': 'application/json; charset=utf-8' },
  })
  expect(JSON.parse(String(unsatisfiable.bytes))).toMatchObject({
    error: expect.stringContaining(String(fullFile.length)),
    code: 'range_not_satisfiable',
    success: false,
  })
  expect((await sendRequest({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
  expect((await sendRequest({ range: 'bytes=0-9', 'if-range': '"other"' })).bytes).toHaveLength(fullFile.length)
  expect((await sendRequest({ 'if-none-match': etag })).status).toBe(304)
  const headResponse = await sendRequest({}, 'HEAD')
  expect(headResponse).toMatchObject({
    status: 200,
    headers: { 'content-length': String(fullFile.length), 'accept-ranges': 'bytes' },
  })
  expect(headResponse.bytes).toHaveLength(0)
})

test('a live call has its stored audio so far; a crash loses only the last seconds', async () => {
  await using recordings = await openRecordings()
  const { byKey } = recordings
  await recordings.record('call_live', 80_000)
  const keys = [...byKey.keys()].sort()
  expect(keys).toHaveLength(3)
  const path = '/api/v1/calls/call_live/recording'
  const firstEtag = (await recordings.get(path)).headers.etag
  byKey.delete(keys[2] ?? '')
  const truncated = await recordings.get(path)
  expect(parseAudio(truncated.bytes).samples).toHaveLength(64_000 * 2)
  expect(truncated.headers.etag).not.toBe(firstEtag)
  // A missing segment is silence of the same length.
  byKey.delete(keys[0] ?? '')
  const { samples } = parseAudio((await recordings.get(path)).bytes)
  expect(samples).toHaveLength(64_000 * 2)
  expect(samples.subarray(0, 64_000).every((sample) => sample === 0)).toBe(true)
  expect(samples[64_000]).toBe(computeCallerSample(32_000))
})

test('links work without a token until they expire and only for their call', async () => {
  await using recordings = await openRecordings()
  await recordings.record('call_over', 1_000)
  await recordings.record('call_other', 1_000)
  const { links, get, time } = recordings
  const link = (await links.createSigner())('call_over')
  const url = link.replace('http://127.0.0.1:4100', '')
  expect((await links.createSigner())('call_over')).toBe(link)
  expect((await get(url, {})).status).toBe(200)
  expect((await get(`${url}&channel=mixed`, {})).status).toBe(200)
  expect((await get(url, { range: 'bytes=0-3' })).bytes.toString()).toBe('RIFF')
  expect((await get(RECORDING, {})).status).toBe(401)
  const forbidden = [
    url.replace('call_over', 'call_other'),
    url.replace(/expires=\d/, 'expires=9'),
    url.replace('signature=', 'signature=x'),
    `${RECORDING}?signature=`,
    `${RECORDING}?signature=a&signature=b`,
    '/api/v1/calls/..%2Fx/recording?signature=x&expires=1',
  ]
  for (const path of forbidden) expect([400, 403]).toContain((await get(path, {})).status)
  expect((await get(`${RECORDING}/peaks?signature=x`, {})).status).toBe(401)
  expect((await get(`${RECORDING}?signature=x`, {}, 'DELETE')).status).toBe(401)
  await time.advance(24 * 3_600_000)
  expect((await get(url, {})).status).toBe(200)
  await time.advance(3_600_000)
  expect((await get(url, {})).status).toBe(403)
  expect((await get(url)).status).toBe(200)
})

test('returns 404 for an unreachable call; a viewer can listen but not delete', async () => {
  await using recordings = await openRecordings()
  await recordings.record('call_over', 1_000)
  const { get, bearer, actAs } = recordings
  const paths = [RECORDING, `${RECORDING}/peaks`]
  for (const path of ['/api/v1/calls/call_silent/recording', '/api/v1/calls/call_unknown/recording/peaks']) {
    expect((await get(path)).status).toBe(404)
  }
  const grantAccess = (level: 'viewer' | 'admin', workspaceId: number) =>
    actAs({ role: 'end_user', workspaces: new Map([[workspaceId, { level, accountSid: '' }]]) })
  grantAccess('admin', 2)
  for (const path of paths) expect((await get(path)).status).toBe(404)
  expect((await get(RECORDING, bearer, 'DELETE')).status).toBe(404)
  grantAccess('viewer', 1)
  for (const path of paths) expect((await get(path)).status).toBe(200)
  expect((await get(RECORDING, bearer, 'DELETE')).status).toBe(403)
})

test('a recording can be deleted after its call ended, and the call stays', async () => {
  await using recordings = await openRecordings()
  await recordings.record('call_over', 1_000)
  await recordings.record('call_live', 1_000)
  const { get, bearer, byKey, database } = recordings
  expect((await get('/api/v1/calls/call_live/recording', bearer, 'DELETE')).status).toBe(422)
  for (let attempt = 0; attempt < 2; attempt += 1) expect((await get(RECORDING, bearer, 'DELETE')).status).toBe(204)
  expect((await get(RECORDING)).status).toBe(404)
  const row = await database.read
    .selectFrom('calls')
    .select(['recording', 'recording_url'])
    .where('call_id', '=', 'call_over')
    .executeTakeFirst()
  expect(row).toEqual({ recording: null, recording_url: null })
  await recordings.service.removeAll('call_live')
  await recordings.service.removeAll('../..')
  expect([...byKey.keys()]).toEqual([])
})

test('a removed recording is immediately inaccessible, even by link, while its audio is still on the disk', async () => {
  await using recordings = await openRecordings()
  const { get, database, links, byKey } = recordings
  await recordings.record('call_over', 1_000)
  const url = (await links.createSigner())('call_over').replace('http://127.0.0.1:4100', '')
  await database.batch([
    {
      query: database.queryBuilder
        .updateTable('calls')
        .set({ recording: null })
        .where('call_id', '=', 'call_over')
        .compile(),
    },
  ])
  for (const path of [RECORDING, `${RECORDING}/peaks`]) expect((await get(path)).status).toBe(404)
  expect((await get(url, {})).status).toBe(404)
  await database.batch([
    { query: database.queryBuilder.deleteFrom('calls').where('call_id', '=', 'call_over').compile() },
  ])
  expect((await get(url, {})).status).toBe(404)
  expect(byKey.size).toBeGreaterThan(0)
})

test('peaks are stored after the call ended and recomputed when audio was added', async () => {
  await using recordings = await openRecordings()
  await recordings.record('call_over', 16_000)
  await recordings.record('call_live', 16_000)
  const { get, byKey } = recordings
  const readPeaks = async (callId: string) =>
    JSON.parse((await get(`/api/calls/${callId}/recording/peaks`)).bytes.toString())
  const peaks = await readPeaks('call_over')
  expect(peaks).toMatchObject({ channels: 2, perSecond: 50, durationMs: 2_000 })
  for (const [side, computeSample] of [computeCallerSample, computeAgentSample].entries()) {
    expect(peaks.peaks[side]).toHaveLength(200)
    const firstStepSamples = Array.from({ length: 160 }, (_, index) => computeSample(index))
    expect(peaks.peaks[side].slice(0, 2)).toEqual([Math.min(...firstStepSamples), Math.max(...firstStepSamples)])
  }
  expect(byKey.has('recordings/call_over/peaks.json')).toBe(true)
  expect(await readPeaks('call_live')).toEqual(peaks)
  expect(byKey.has('recordings/call_live/peaks.json')).toBe(false)

  byKey.set('recordings/call_over/peaks.json', Buffer.from('{"channels":2,'))
  expect(await readPeaks('call_over')).toEqual(peaks)
  await recordings.record('call_over', 32_000)
  expect(await readPeaks('call_over')).toMatchObject({ durationMs: 4_000 })
})
