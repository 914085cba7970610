import { createHmac } from 'node:crypto'
import type { KnowledgeBase, KnowledgeBaseSummary, KnowledgeChunk } from '@parley/contract/knowledge-base'
import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { describe, expect } from 'vitest'
import { acceptInvitationAs } from '../../../testing/accept-invitation.ts'
import type { RunningServer } from '../../../testing/running-server.ts'
import { expectBody, read, remove, send, waitForNextMillisecond } from '../../../testing/server-test.ts'
import { startWebhookReceiver } from '../../../testing/webhook-receiver/webhook-receiver.ts'
import {
  BASES,
  baseOfFiles,
  clientOf,
  createBase,
  readBase,
  readyBase,
  refresh,
  search,
  sendFiles,
  settled,
  sourceOf,
  test,
} from './knowledge-test-kit.ts'

const TEXTS = [
  { title: 'Bells', text: 'A brass bell costs 19 francs.' },
  { title: 'Locks', text: 'A folding lock costs 89 francs.' },
]

describe('a knowledge base', () => {
  test('is created, read, changed and deleted under both prefixes', async ({ server }) => {
    const made = await send<KnowledgeBase>(server, 'POST', '/api/v1/knowledge-bases', {
      name: 'Prices',
      description: 'For the counter',
      sources: TEXTS,
    })
    expect([made.status, made.headers.get('etag'), made.body.status]).toEqual([201, '"1"', 'processing'])
    const { knowledgeBaseId } = made.body
    const base = await settled(server, made.body)
    expect(base).toMatchObject({ sourceCount: 2, chunkCount: 2, searchMode: 'lexical', lastRefreshedAt: null })
    const path = `/api/v1/knowledge-bases/${knowledgeBaseId}`
    const got = await read<KnowledgeBase>(server, path)
    expect([got.status, got.headers.get('etag'), got.body]).toEqual([200, '"1"', base])

    const stale = { headers: { 'if-match': '"7"' } }
    const conflict = await send(server, 'PATCH', path, { name: 'Lost' }, stale)
    expect([conflict.status, conflict.body.code]).toEqual([412, 'version_conflict'])
    const patched = await send<KnowledgeBase>(
      server,
      'PATCH',
      path,
      { name: 'Price list', description: null },
      { headers: { 'if-match': '"1"' } },
    )
    expect([patched.status, patched.headers.get('etag')]).toEqual([200, '"2"'])
    expect(patched.body).toMatchObject({ name: 'Price list', description: '', sourceCount: 2 })
    // The content does not depend on the file name.
    expect((await search(server, base, 'What does a brass bell cost?'))[0]?.text).toContain('19 francs')

    expect((await remove(server, path, stale)).status).toBe(412)
    const deleted = await remove(server, path, { headers: { 'if-match': '"2"' } })
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    for (const answer of [
      read(server, path),
      remove(server, path),
      send(server, 'PATCH', path, { name: 'x' }),
      send(server, 'POST', `${path}/sources`, { sources: TEXTS }),
      send(server, 'POST', `${path}/refresh`),
      send(server, 'POST', `${path}/search`, { query: 'bell' }),
      read(server, `${path}/sources`),
    ]) {
      expect(await answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })

  test('is listed newest first, page by page, without its sources', async ({ server }) => {
    const made: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      waitForNextMillisecond()
      made.unshift((await createBase(server, { name, sources: [{ text: `About ${name}` }] })).knowledgeBaseId)
    }
    const first = await read<KnowledgeBaseSummary[]>(server, BASES, { limit: 2 })
    expect(first.body.map(({ knowledgeBaseId }) => knowledgeBaseId)).toEqual(made.slice(0, 2))
    expect(first.body[0]).toMatchObject({ name: 'Three', sourceCount: 1 })
    expect(first.body[0]).not.toHaveProperty('sources')
    expect(first.headers.get('x-has-more')).toBe('true')
    const paginationKey = first.headers.get('x-next-pagination-key') ?? ''
    const second = await read<KnowledgeBaseSummary[]>(server, BASES, { limit: 2, paginationKey })
    expect(second.body[0]?.knowledgeBaseId).toBe(made[2])
  })

  test('has sources that are listed by status, read passage by passage, and deleted', async ({ server }) => {
    const long = Array.from(
      { length: 8 },
      (_, index) => `# Part ${index}\n\n${`Sentence about part ${index}. `.repeat(40)}`,
    )
    const { knowledgeBaseId } = await readyBase(server, {
      maxChunkSize: 1000,
      minChunkSize: 200,
      sources: [
        ...TEXTS,
        { title: 'Long', text: long.join('\n\n') },
        { filename: 'x.bin', base64: 'AAECAwQFBgcICQ==' },
      ],
    })
    const path = `${BASES}/${knowledgeBaseId}/sources`
    const failed = await expectBody(200, read<KnowledgeSource[]>(server, path, { status: 'error' }))
    expect(failed.map(({ filename }) => filename)).toEqual(['x.bin'])
    const ready: string[] = []
    let query: Record<string, string | number> = { status: 'ready', limit: 1 }
    for (;;) {
      const { body, headers } = await read<KnowledgeSource[]>(server, path, query)
      ready.push(...body.map(({ title }) => title))
      if (headers.get('x-has-more') !== 'true') break
      query = { ...query, paginationKey: headers.get('x-next-pagination-key') ?? '' }
    }
    expect(ready.toSorted()).toEqual(['Bells', 'Locks', 'Long'])
    const base = await readBase(server, knowledgeBaseId)
    const { source_id, chunkCount } = sourceOf(base, 'Long')
    const chunks = await expectBody(200, read<KnowledgeChunk[]>(server, `${path}/${source_id}/chunks`, { limit: 100 }))
    expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_chunk, index) => index))
    expect([chunks.length, Math.max(...chunks.map(({ text }) => text.length)) <= 1000]).toEqual([chunkCount, true])
    expect(chunks[3]?.headings.join(' ')).toMatch(/Part \d/)
    for (const [id, status] of [
      [source_id, 204],
      [source_id, 404],
      [sourceOf(base, 'x.bin').source_id, 204],
    ] as const) {
      expect((await remove(server, `${path}/${id}`)).status).toBe(status)
    }
    expect(await readBase(server, knowledgeBaseId)).toMatchObject({ status: 'ready', sourceCount: 2, chunkCount: 2 })
    expect(await search(server, base, 'Sentence about part', { filterScore: 0.5 })).toEqual([])
  })

  test('refuses the same content twice, and retries failed sources', async ({ server, website }) => {
    website.putHtml('/prices', '<title>Prices</title><p>A pump costs 24 francs, with a gauge 31 francs.</p>')
    const sources = [...TEXTS, { url: `${website.url}/prices` }, { url: `${website.url}/later` }]
    const base = await readyBase(server, { sources })
    expect(sourceOf(base, `${website.url}/later`)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('404'),
    })
    const path = `${BASES}/${base.knowledgeBaseId}/sources`
    website.putHtml('/later', '<title>Later</title><p>A saddle costs 65 francs and lasts for years.</p>')
    const again = await expectBody(201, send<KnowledgeBase>(server, 'POST', path, { sources: [...sources, ...TEXTS] }))
    expect(again.sourceCount).toBe(4)
    const complete = await settled(server, again)
    expect(complete.sources.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready', 'ready'])
    expect(website.paths.filter((one) => one === '/prices')).toHaveLength(1)
    // The same text under another title is a new source.
    const added = await expectBody(
      201,
      send<KnowledgeBase>(server, 'POST', path, { sources: [{ ...TEXTS[0], title: 'All bells' }] }),
    )
    expect(added.sourceCount).toBe(5)
    const uploads = await sendFiles(server, path, [
      { name: 'a.txt', content: 'Same' },
      { name: 'b.txt', content: 'Same' },
    ])
    expect(uploads.body.sourceCount).toBe(6)
  })

  test('is created from files and settings in one form', async ({ server }) => {
    const fields = {
      name: 'From a form',
      enableAutoRefresh: 'true',
      refreshIntervalHours: '12',
      sources: JSON.stringify(TEXTS),
    }
    const made = await sendFiles(
      server,
      BASES,
      [{ name: 'pumps.csv', content: 'Pump,Price\nSmall,24\nLarge,31\n' }],
      fields,
    )
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"'])
    expect(made.body).toMatchObject({
      name: 'From a form',
      enableAutoRefresh: true,
      refreshIntervalHours: 12,
      sourceCount: 3,
    })
    const base = await settled(server, made.body)
    expect((await search(server, base, 'price of the large pump'))[0]?.text).toContain('31')
  })
})

describe('the webhook knowledge_base_ready', () => {
  test('arrives signed each time all sources have been read', async ({ server, website }) => {
    await using receiver = await startWebhookReceiver()
    const events = ['knowledge_base_ready']
    const endpoint = await expectBody(201, send(server, 'POST', '/api/webhooks', { url: receiver.url, events }))
    const { secrets } = await expectBody(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    const waitForEvents = async (count: number, id: string) => {
      await expect
        .poll(() => receiver.received.filter((one) => subjectOf(one.body) === id).length, { timeout: 10_000 })
        .toBe(count)
    }
    website.putHtml('/bells', '<title>Bells</title><p>A brass bell costs 19 francs.</p>')
    const scan = { filename: 'x.bin', base64: 'AAECAwQFBgcICQ==' }
    const base = await readyBase(server, { sources: [...TEXTS, scan, { url: `${website.url}/bells` }] })
    await waitForEvents(1, base.knowledgeBaseId)
    const [webhook] = receiver.received.filter((one) => subjectOf(one.body) === base.knowledgeBaseId)
    expect(webhook?.body).toMatchObject({
      event: 'knowledge_base_ready',
      knowledge_base: { knowledgeBaseId: base.knowledgeBaseId, status: 'ready', chunkCount: base.chunkCount },
    })
    const signatureTime = /^v=(\d+),/.exec(webhook?.signature ?? '')?.[1] ?? ''
    const digests = secrets.map(({ secret }) => {
      return createHmac('sha256', secret)
        .update(webhook?.rawBody ?? '')
        .update(signatureTime)
        .digest('hex')
    })
    expect(webhook?.signature).toBe(`v=${signatureTime},${digests.map((digest) => `d=${digest}`).join(',')}`)
    await refresh(server, base)
    await waitForEvents(2, base.knowledgeBaseId)
    const failed = await baseOfFiles(server, [{ name: 'x.bin', content: Buffer.from(scan.base64, 'base64') }])
    expect(failed.status).toBe('error')
    await expectBody(204, remove(server, `/api/webhooks/${String(endpoint.webhookId)}`))
  })
})

function subjectOf(body: Record<string, unknown>): unknown {
  return (body.knowledge_base as { knowledgeBaseId?: unknown } | undefined)?.knowledgeBaseId
}

/** A token of a new member of the first workspace. */
async function memberToken(server: RunningServer, role: 'viewer' | 'editor'): Promise<string> {
  const login = { email: `${role}@example.com`, password: 'a password that is long enough' }
  const members = `/api/workspaces/${server.workspaceId}/members`
  const invited = await expectBody(
    201,
    server.call<{ inviteUrl: string }>('POST', members, { body: { email: login.email, role } }),
  )
  const browser = await acceptInvitationAs(server, invited, login)
  const made = server.call<{ token: string }>('POST', '/api/tokens', { headers: browser, body: { name: 'Own' } })
  return (await expectBody(201, made)).token
}

test('a viewer may read and search, an editor may change', async ({ server }) => {
  const base = await readyBase(server, { sources: TEXTS })
  const mine = `${BASES}/${base.knowledgeBaseId}`
  const query = { workspaceId: server.workspaceId }
  const body = (fields: object) => ({ body: { ...query, ...fields } })
  const viewer = clientOf(server, await memberToken(server, 'viewer'))
  const source = `${mine}/sources/${base.sources[0]?.source_id}`
  for (const path of [BASES, mine, `${mine}/sources`, `${source}/chunks`]) {
    expect([path, (await viewer.call('GET', path, { query })).status]).toEqual([path, 200])
  }
  const found = await viewer.call<{ text: string }[]>(
    'POST',
    `${mine}/search`,
    body({ query: 'price of a brass bell' }),
  )
  expect([found.status, found.body[0]?.text]).toEqual([200, expect.stringContaining('19 francs')])
  const changes = [
    ['POST', BASES, body({ name: 'Mine' })],
    ['PATCH', mine, body({ name: 'Mine' })],
    ['POST', `${mine}/sources`, body({ sources: [{ text: 'Bells are free.' }] })],
    ['POST', `${mine}/refresh`, body({})],
    ['DELETE', source, { query }],
    ['DELETE', mine, { query }],
  ] as const
  for (const [method, path, options] of changes) {
    const { status, body: answer } = await viewer.call(method, path, options)
    expect([method, path, status, answer.code]).toEqual([method, path, 403, 'forbidden'])
  }
  const form = new FormData()
  form.append('workspaceId', String(server.workspaceId))
  form.append('files', new Blob(['Bells are free.']), 'free.txt')
  const upload = await fetch(`${server.url}${mine}/sources`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_wrong' },
    body: form,
  })
  expect(upload.status).toBe(401)
  expect(await readBase(server, base.knowledgeBaseId)).toMatchObject({ name: 'Documents', sourceCount: 2 })
  const editor = clientOf(server, await memberToken(server, 'editor'))
  expect(
    (await editor.call('POST', `${mine}/sources`, body({ sources: [{ text: 'A horn costs 12 francs.' }] }))).status,
  ).toBe(201)
  await settled(server, base)
  expect((await editor.call('DELETE', mine, { query })).status).toBe(204)
})
