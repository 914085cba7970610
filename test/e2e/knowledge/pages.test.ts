import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { describe, expect } from 'vitest'
import { expectBody, read, send } from '../../../testing/server-test.ts'
import type { Website } from '../../../testing/website-server/website-server.ts'
import {
  BASES,
  createBase,
  isSettled,
  readBase,
  readyBase,
  refresh,
  search,
  settled,
  sourceOf,
  test,
  waitForBase,
} from './knowledge-test-kit.ts'

/** An article under a navigation with links. */
function article(title: string, text: string, links: readonly string[] = []): string {
  const items = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav><ul>${items}</ul></nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`
}

/** A one-pixel image. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const REPAIRS = 'A puncture is repaired within two hours, and you can wait in the café of the workshop meanwhile.'
const RENTALS = 'Cargo bicycles are rented out for 35 francs a day against a deposit of 200 francs.'
const LESSONS = 'Riding lessons for adults take place on Tuesday evenings in the yard behind the shop.'

/** Returns the paths of the processed pages with their errors. */
function pagesOf(website: Website, { sources }: KnowledgeBase): Record<string, string | null> {
  return Object.fromEntries(sources.map(({ url, error }) => [(url ?? '').replace(website.url, ''), error]))
}

/** Crawls a site and waits until this many pages are ready. */
async function crawled(
  server: Parameters<typeof createBase>[0],
  crawl: readonly object[],
  count: number,
): Promise<KnowledgeBase> {
  const { knowledgeBaseId } = await createBase(server, { crawl })
  return await waitForBase(server, knowledgeBaseId, (base) => base.sourceCount >= count && isSettled(base))
}

describe.concurrent('a page', () => {
  test('is read without navigation, and cited with its address', async ({ server, website }) => {
    website.putHtml('/repairs', article('Repairs', REPAIRS, ['/rentals', '/lessons']))
    website.putHtml('/rentals', article('Rentals', RENTALS))
    const url = `${website.url}/repairs`
    const base = await readyBase(server, { sources: [{ url }, { url: `${url}#top` }] })
    expect(base.sources).toMatchObject([
      { source_type: 'url', url, title: 'Repairs', status: 'ready', contentType: 'text/html', crawled: false },
    ])
    const [found] = await search(server, base, 'How long does it take to repair a puncture?')
    expect(found).toMatchObject({
      sourceType: 'url',
      sourceName: 'Repairs',
      url,
      text: expect.stringContaining(REPAIRS),
    })
    expect(found?.text).not.toContain('/rentals')
    // Links are not followed unless requested.
    expect(website.paths).toEqual(['/repairs'])
    expect(website.requests[0]?.path).toBe('/robots.txt')
    expect(website.requests[1]?.headers['user-agent']).toContain('ParleyBot')
  })

  test('that cannot be loaded says why, while others are read', async ({ server, website }) => {
    website.putText('/robots.txt', 'User-agent: *\nDisallow: /private/\n')
    website.putHtml('/good', article('Good', LESSONS))
    website.putHtml('/private/list', article('Secret', 'Nobody may read this.'))
    website.put('/moved', { kind: 'redirect', to: '/good-too' })
    website.putHtml('/good-too', article('Moved', RENTALS))
    website.put('/login', { kind: 'html', status: 401 })
    website.put('/circle', { kind: 'redirect', to: '/circle' })
    website.put('/picture', { kind: 'raw', contentType: 'text/html', body: Buffer.from(PIXEL, 'base64') })
    website.put('/to-private', { kind: 'redirect', to: '/private/list' })
    const paths = ['good', 'private/list', 'moved', 'login', 'circle', 'picture', 'lost', 'to-private']
    const base = await readyBase(server, { sources: paths.map((path) => ({ url: `${website.url}/${path}` })) })
    expect(pagesOf(website, base)).toEqual({
      '/good': null,
      '/moved': null,
      '/private/list': expect.stringContaining('robots.txt'),
      '/to-private': expect.stringContaining('robots.txt'),
      '/login': expect.stringContaining('401'),
      '/circle': expect.stringContaining('in a loop'),
      '/picture': expect.stringContaining('Images cannot be read'),
      '/lost': expect.stringContaining('404'),
    })
    expect(website.paths).not.toContain('/private/list')
    expect(base.status).toBe('ready')
    expect((await search(server, base, 'When are riding lessons for adults?'))[0]?.sourceName).toBe('Good')
    expect((await search(server, base, 'What is the deposit for cargo bicycles?'))[0]?.text).toContain('200 francs')
  })

  test('in a private network is refused without a request, even behind redirects', async ({ server, website }) => {
    website.put('/away', { kind: 'redirect', to: 'http://10.0.0.1/admin' })
    website.put('/metadata', { kind: 'redirect', to: '/metadata-2' })
    website.put('/metadata-2', { kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data/' })
    website.put('/script', { kind: 'redirect', to: 'file:///etc/passwd' })
    const chain = Array.from({ length: 8 }, (_, index) => index)
    for (const step of chain) website.put(`/chain-${step}`, { kind: 'redirect', to: `/chain-${step + 1}` })
    const own = ['away', 'metadata', 'script', 'chain-0'].map((path) => `${website.url}/${path}`)
    const urls = [
      'http://10.1.2.3/',
      'http://[::1]/',
      `http://127.0.0.2:${website.port}/`,
      'http://192.168.0.1/',
      'http://[::ffff:10.0.0.1]/',
      'http://0/',
    ]
    const base = await readyBase(server, { sources: [...urls, ...own].map((url) => ({ url })) })
    const errors = pagesOf(website, base)
    for (const url of [...urls, '/away', '/metadata']) {
      expect([url, errors[url]]).toEqual([url, expect.stringContaining('private network')])
    }
    expect(errors['/script']).toMatch(/redirects/)
    expect(errors['/chain-0']).toMatch(/redirects too often/)
    expect(base.status).toBe('error')
    expect(JSON.stringify(errors)).not.toMatch(/169\.254|ECONN/)
    const invalidResponse = await send(server, 'POST', BASES, {
      name: 'x',
      sources: [{ url: 'ftp://127.0.0.1/' }, { url: 'file:///etc/passwd' }, { url: 'https://user:word@example.com/' }],
    })
    expect([invalidResponse.status, invalidResponse.body.code]).toEqual([400, 'invalid_request'])
    expect(JSON.stringify(invalidResponse.body)).not.toContain('word@')
  })
})

describe.concurrent('a refresh', () => {
  test('on request updates changed pages, keeps the others, and reports missing ones', async ({ server, website }) => {
    const validated = (text: string, version: number) => ({
      kind: 'validated' as const,
      body: article('Rentals', text),
      etag: `"v${version}"`,
      lastModified: 'Mon, 02 Mar 2026 09:00:00 GMT',
    })
    website.putHtml('/repairs', article('Repairs', REPAIRS))
    website.put('/rentals', validated(RENTALS, 1))
    website.putHtml('/lessons', article('Lessons', LESSONS))
    const urls = ['repairs', 'rentals', 'lessons'].map((path) => `${website.url}/${path}`)
    const first = await readyBase(server, { sources: urls.map((url) => ({ url })) })
    const chunksOf = async (url: string) => {
      const path = `${BASES}/${first.knowledgeBaseId}/sources/${sourceOf(first, url).source_id}/chunks`
      return await expectBody(200, read(server, path))
    }
    const [, rentals = '', lessons = ''] = urls
    const before = await chunksOf(rentals)
    website.putHtml('/repairs', article('Repairs', 'A puncture is now repaired within twenty minutes.'))
    website.put('/lessons', { kind: 'html', status: 404 })
    const second = await refresh(server, first)
    expect(second.sources.map(({ source_id }) => source_id).toSorted()).toEqual(
      first.sources.map(({ source_id }) => source_id).toSorted(),
    )
    expect(website.requests.findLast(({ path }) => path === '/rentals')?.headers['if-none-match']).toBe('"v1"')
    expect(await chunksOf(rentals)).toEqual(before)
    expect(sourceOf(second, rentals)).toMatchObject({ status: 'ready', error: null })
    expect(Date.parse(sourceOf(second, rentals).refreshedAt ?? '')).toBeGreaterThan(
      Date.parse(sourceOf(first, rentals).refreshedAt ?? ''),
    )
    const repaired = await search(server, second, 'How fast is a puncture repaired?')
    expect(repaired[0]?.text).toContain('twenty minutes')
    expect(JSON.stringify(repaired)).not.toContain('two hours')
    // A missing page may return, so its old text is kept with the reason.
    expect(sourceOf(second, lessons)).toMatchObject({
      status: 'ready',
      error: expect.stringMatching(/^Gone since .*404/),
    })
    expect((await search(server, second, 'When are riding lessons?'))[0]?.text).toContain('Tuesday')
    website.putHtml('/lessons', article('Lessons', 'Riding lessons for adults take place on Fridays.'))
    website.put('/rentals', validated('Cargo bicycles are rented out for 42 francs a day.', 2))
    const third = await refresh(server, second)
    expect(sourceOf(third, lessons).error).toBeNull()
    expect((await search(server, third, 'When are riding lessons?'))[0]?.text).toContain('Fridays')
    expect((await search(server, third, 'What does it cost to rent a cargo bicycle?'))[0]?.text).toContain('42 francs')
    expect(third.lastRefreshedAt).not.toBeNull()
  })

  test('keeps the old passages until the new ones are ready', async ({ server, website }) => {
    website.putHtml('/repairs', article('Repairs', REPAIRS))
    const base = await readyBase(server, { sources: [{ url: `${website.url}/repairs` }] })
    website.put('/repairs', { kind: 'hang' })
    const requestReceived = website.received(website.requests.length + 1)
    const path = `${BASES}/${base.knowledgeBaseId}/refresh`
    const refreshing = await expectBody(200, send<KnowledgeBase>(server, 'POST', path))
    expect([refreshing.status, refreshing.sources[0]?.status]).toEqual(['refreshing', 'refreshing'])
    await requestReceived
    expect((await search(server, base, 'How long does it take to repair a puncture?'))[0]?.text).toContain('two hours')
    const again = await expectBody(200, send<KnowledgeBase>(server, 'POST', path))
    expect(again.status).toBe('refreshing')
    // A source that is deleted during its refresh is not used for answers either.
    await server.call('DELETE', `${BASES}/${base.knowledgeBaseId}`, { query: { workspaceId: server.workspaceId } })
    const emptySearch = await send(server, 'POST', `${BASES}/${base.knowledgeBaseId}/search`, { query: 'puncture' })
    expect(emptySearch.status).toBe(404)
  })
})

describe.concurrent('a site', () => {
  test('is crawled within its path, without excluded parts', async ({ server, website }) => {
    website.putText('/robots.txt', 'User-agent: ParleyBot\nDisallow: /help/internal\nAllow: /\n')
    const links = [
      '/help/repairs',
      'rentals',
      '/help/old/2019',
      '/help/internal/salaries',
      '/shop',
      'https://other.example/',
      '/help/logo.png',
      '/help/repairs?utm_source=mail',
    ]
    website.putHtml('/help/', article('Help', 'What we can do for you.', links))
    website.putHtml('/help/repairs', article('Repairs', REPAIRS, ['/help/lessons', '/help/']))
    website.putHtml('/help/rentals', article('Rentals', RENTALS))
    website.putHtml('/help/lessons', article('Lessons', LESSONS))
    website.putHtml('/help/old/2019', article('Old', 'What was true in 2019.'))
    website.putHtml('/help/internal/salaries', article('Salaries', 'What nobody may read.'))
    website.putHtml('/shop', article('Shop', 'Outside of the help pages.'))
    const base = await crawled(server, [{ path: `${website.url}/help/`, exclude: ['/help/old'] }], 5)
    expect(pagesOf(website, base)).toEqual({
      '/help/': null,
      '/help/repairs': null,
      '/help/rentals': null,
      '/help/lessons': null,
      '/help/internal/salaries': expect.stringContaining('robots.txt'),
    })
    expect(base.sources.every(({ crawled: found }) => found)).toBe(true)
    expect(website.paths.toSorted()).toEqual(['/help/', '/help/lessons', '/help/rentals', '/help/repairs'])
    expect((await search(server, base, 'When are riding lessons for adults?'))[0]?.url).toBe(
      `${website.url}/help/lessons`,
    )

    // A refresh removes missing pages and adds new ones.
    website.put('/help/rentals', { kind: 'html', status: 404 })
    website.putHtml('/help/repairs', article('Repairs', REPAIRS, ['/help/lessons', '/help/storage']))
    website.putHtml('/help/storage', article('Storage', 'Wheels are stored over the winter for 60 francs.'))
    await refresh(server, base)
    const now = await waitForBase(
      server,
      base.knowledgeBaseId,
      (one) => isSettled(one) && '/help/storage' in pagesOf(website, one),
    )
    expect(Object.keys(pagesOf(website, now))).not.toContain('/help/rentals')
    expect(
      await search(server, now, 'What does it cost to rent a cargo bicycle for a day?', { filterScore: 0.5 }),
    ).toEqual([])
    expect((await search(server, now, 'Are wheels stored over the winter?'))[0]?.text).toContain('60 francs')

    // Excluding a site later removes its pages immediately.
    const left = await expectBody(
      200,
      send<KnowledgeBase>(server, 'PATCH', `${BASES}/${base.knowledgeBaseId}`, { crawl: [] }),
    )
    expect([left.sourceCount, left.chunkCount]).toEqual([0, 0])
    expect(await search(server, left, 'Are wheels stored over the winter?')).toEqual([])
  })

  test('is read as far as its limit', async ({ server, website }) => {
    const pages = Array.from({ length: 12 }, (_, index) => `/page-${index}`)
    website.putHtml('/', article('All', 'Everything there is.', pages))
    for (const page of pages) website.putHtml(page, article(page, `What is special about ${page}.`))
    const base = await crawled(server, [{ path: `${website.url}/`, maxPages: 4 }], 4)
    expect([base.sourceCount, base.chunkCount]).toEqual([4, 4])
    expect(website.paths).toHaveLength(4)
  })

  test('is read from its sitemap, or says why that cannot be read', async ({ server, website }) => {
    const entries = ['/a/one', '/a/two', '/b/three'].map((path) => `<url><loc>${website.url}${path}</loc></url>`)
    const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`
    website.putText('/sitemap.xml', sitemap, 'application/xml')
    website.putHtml('/a/one', article('One', REPAIRS, ['/a/four']))
    website.putHtml('/a/two', article('Two', RENTALS))
    website.putHtml('/b/three', article('Three', LESSONS))
    const crawl = [{ path: `${website.url}/sitemap.xml`, exclude: [`${website.url}/b/`] }]
    const base = await crawled(server, crawl, 2)
    expect(pagesOf(website, base)).toEqual({ '/a/one': null, '/a/two': null })
    expect(website.paths).not.toContain('/a/four')
    const lost = await crawled(server, [{ path: `${website.url}/none.xml` }], 1)
    expect(pagesOf(website, lost)).toEqual({ '/none.xml': expect.stringContaining('404') })
    expect(lost.status).toBe('error')
  })

  test('that redirects to another page of the site is read once', async ({ server, website }) => {
    website.put('/', { kind: 'redirect', to: '/en/' })
    website.putHtml('/en/', article('Start', REPAIRS, ['/', '/en/rentals', '/en/index']))
    website.put('/en/index', { kind: 'redirect', to: '/en/' })
    website.putHtml('/en/rentals', article('Rentals', RENTALS))
    const { knowledgeBaseId } = await createBase(server, { crawl: [{ path: `${website.url}/` }] })
    const base = await waitForBase(server, knowledgeBaseId, (one) => {
      return isSettled(one) && Object.keys(pagesOf(website, one)).some((page) => page === '/en/rentals')
    })
    const finishedBase = await settled(server, base)
    expect(finishedBase.chunkCount).toBe(2)
    const found = await search(server, finishedBase, 'How long does it take to repair a puncture?')
    expect(found.filter(({ text }) => text.includes(REPAIRS))).toHaveLength(1)
    expect(await readBase(server, knowledgeBaseId)).toMatchObject({ sourceCount: 2 })
  })
})
