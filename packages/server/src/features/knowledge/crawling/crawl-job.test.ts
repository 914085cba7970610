import type { Crawl } from '@parley/contract/knowledge-base'
import { describe, expect, test } from 'vitest'
import { buildCrawlJob } from '../ingestion/ingest-job.ts'
import { BASE, openIngestion, type TestPage } from '../ingestion/ingest-test-kit.ts'
import { refreshBase } from '../ingestion/refresh-base.ts'
import { ALIAS } from '../sources/read-sources.ts'

const SITE = 'https://shop.example/help'

async function openSite(pages: Readonly<Record<string, TestPage>>, changes: Partial<Crawl> = {}) {
  const ingestion = await openIngestion()
  const site: Crawl = { path: SITE, exclude: [], maxPages: 10, ...changes }
  await ingestion.addBase({ crawl: JSON.stringify([site]) })
  for (const [path, page] of Object.entries(pages)) ingestion.scenario.pages.set(new URL(path, SITE).href, page)
  const start = () => ingestion.database.batch([ingestion.jobs.buildEnqueueStatement(buildCrawlJob(BASE, site.path))])
  await start()
  return {
    ingestion,
    start,
    /** Reads all pages. */
    async crawl() {
      for (let second = 0; second < 60; second += 1) await ingestion.advance(1_000)
      const sources = (await ingestion.readSources()).filter(({ status }) => status !== ALIAS)
      return sources.map(({ identity, status }) => [identity.replace('url:https://shop.example', ''), status])
    },
    [Symbol.asyncDispose]: () => ingestion[Symbol.asyncDispose](),
  }
}

const links = (...paths: readonly string[]): string =>
  `A page.\n\n${paths.map((path) => `link: ${new URL(path, SITE).href}`).join('\n')}`

test('finds each page of a site once by following links', async () => {
  await using site = await openSite({
    '/help': links(
      '/help/a',
      '/help/b#part',
      '/help',
      '/about',
      '/help/photo.jpg',
      '/helpless',
      'https://other.example/help/x',
    ),
    '/help/a': links('/help', '/help/b?utm_source=mail', '/help/c'),
    '/help/b': links('/help/a', '/help/c', 'mailto:shop@example.com'),
    '/help/c': 'The last one.',
  })
  expect(await site.crawl()).toEqual([
    ['/help', 'ready'],
    ['/help/a', 'ready'],
    ['/help/b', 'ready'],
    ['/help/c', 'ready'],
  ])
  expect(site.ingestion.scenario.fetched).toHaveLength(4)
  expect(await site.ingestion.readPublishedEvents()).toHaveLength(1)
})

test('keeps only the first page when all links lead outside', async () => {
  await using site = await openSite({ '/help': links('/about', 'https://other.example/') })
  expect(await site.crawl()).toEqual([['/help', 'ready']])
})

test('skips excluded pages and stops at the page limit', async () => {
  const pages = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`/help/${index}`, 'A page.']))
  const firstPage = links('/help/old/1', ...Object.keys(pages))
  await using site = await openSite(
    { ...pages, '/help': firstPage },
    { exclude: ['/help/old', `${SITE}/1`], maxPages: 4 },
  )
  expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/0', '/help/2', '/help/3'])
})

test('respects the page limit when many pages are read at once', async () => {
  const paths = Array.from({ length: 12 }, (_, index) => `/help/${index}`)
  const pages = Object.fromEntries(paths.map((path) => [path, links(`${path}/x`, `${path}/y`, `${path}/z`)]))
  await using site = await openSite({ ...pages, '/help': links(...paths) }, { maxPages: 17 })
  const crawledPages = await site.crawl()
  expect(crawledPages).toHaveLength(17)
  // The last pages of the site do not exist.
  expect(crawledPages.filter(([, status]) => status === 'ready')).toHaveLength(13)
})

describe('a redirected page', () => {
  test('is dropped when its target exists or is outside, and is fetched once for many links', async () => {
    await using site = await openSite({
      '/help': links('/help/a', '/help/old-a', '/help/away', '/help/b'),
      '/help/a': links('/help/old-a'),
      '/help/b': links('/help/old-a', '/help/away'),
      '/help/old-a': { text: 'A page.', url: `${SITE}/a` },
      '/help/away': { text: 'Log in.', url: 'https://shop.example/login' },
    })
    expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/a', '/help/b'])
    expect(site.ingestion.scenario.fetched).toHaveLength(5)
  })

  test('moves to its target within the site', async () => {
    await using site = await openSite({
      '/help': links('/help/a'),
      '/help/a': { text: links('/help/a/'), url: `${SITE}/a/` },
    })
    expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/a/'])
  })

  test('may lead anywhere when it is the first page', async () => {
    await using site = await openSite({
      '/help': { text: links('/help/a'), url: 'https://www.shop.example/en/help' },
      '/help/a': 'A page.',
    })
    expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/a'])
  })
})

test('reports a dead link, and removes it when the next refresh finds it dead', async () => {
  await using site = await openSite({ '/help': links('/help/dead', '/help/a'), '/help/a': links('/help/dead') })
  const { ingestion } = site
  const crawledPages = await site.crawl()
  expect(crawledPages).toEqual([
    ['/help', 'ready'],
    ['/help/a', 'ready'],
    ['/help/dead', 'error'],
  ])
  expect(ingestion.scenario.fetched.filter((url) => url.endsWith('/dead'))).toHaveLength(1)
  const { database, clock, jobs, makeId } = ingestion
  await database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, now: clock.now() }, { jobs, makeId }),
  )
  expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/a'])
})

test('follows the links of a page added by the owner and keeps that page permanent', async () => {
  await using ingestion = await openIngestion()
  await ingestion.addBase()
  ingestion.scenario.pages.set(SITE, { text: links('/help/a'), etag: '"1"' })
  ingestion.scenario.pages.set(`${SITE}/a`, 'A page.')
  await ingestion.addPage(SITE)
  await ingestion.run()
  await ingestion.time.advance(1_000)
  expect(await ingestion.readSources()).toHaveLength(1)
  const crawl = JSON.stringify([{ path: SITE, exclude: [], maxPages: 10 }])
  await ingestion.change(ingestion.database.queryBuilder.updateTable('knowledge_bases').set({ crawl }))
  await ingestion.database.batch([ingestion.jobs.buildEnqueueStatement(buildCrawlJob(BASE, SITE))])
  await ingestion.advance(10_000)
  expect(
    (await ingestion.readSources()).map(({ crawl_path, status, generation }) => [crawl_path, status, generation]),
  ).toEqual([
    [null, 'ready', 1],
    [SITE, 'ready', 1],
  ])
})

test('adds pages when the limit of a site is raised', async () => {
  const pages = {
    '/help': links('/help/a', '/help/b'),
    '/help/a': links('/help/c'),
    '/help/b': 'A page.',
    '/help/c': 'A page.',
  }
  await using site = await openSite(pages, { maxPages: 2 })
  expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/a'])
  const { ingestion } = site
  const crawl = JSON.stringify([{ path: SITE, exclude: [], maxPages: 9 }])
  await ingestion.change(ingestion.database.queryBuilder.updateTable('knowledge_bases').set({ crawl }))
  await site.start()
  expect((await site.crawl()).map(([path]) => path)).toEqual(['/help', '/help/a', '/help/b', '/help/c'])
})

test('keeps a page permanent when the owner adds it during a crawl', async () => {
  await using site = await openSite({ '/help': { text: 'A page.', url: 'https://shop.example/help/en' } })
  const { ingestion } = site
  ingestion.scenario.whilePreparing = async () => {
    ingestion.scenario.whilePreparing = async () => undefined
    const ownerColumns = { crawl_path: null, title: 'Our help' }
    await ingestion.change(ingestion.database.queryBuilder.updateTable('knowledge_sources').set(ownerColumns))
  }
  await site.crawl()
  expect(await ingestion.readSources()).toMatchObject([
    { identity: `url:${SITE}`, crawl_path: null, title: 'Our help', status: 'ready' },
  ])
})

test('does not follow a site removed during the crawl', async () => {
  await using site = await openSite({ '/help': links('/help/a'), '/help/a': 'A page.' })
  site.ingestion.scenario.whilePreparing = () =>
    site.ingestion.change(site.ingestion.database.queryBuilder.updateTable('knowledge_bases').set({ crawl: '[]' }))
  expect((await site.crawl()).map(([path]) => path)).toEqual(['/help'])
})

describe('a sitemap', () => {
  const path = 'https://shop.example/sitemap.xml'
  const urls = [
    'https://shop.example/a',
    'https://www.shop.example/b',
    'https://other.example/c',
    'https://shop.example/d.png',
  ]

  test('lists the pages, and links in them are not followed', async () => {
    await using site = await openSite({ '/a': links('/a/1'), '/a/1': 'A page.' }, { path })
    site.ingestion.scenario.pages.set('https://www.shop.example/b', 'A page.')
    site.ingestion.scenario.sitemaps.set(path, { ok: true, urls })
    expect(await site.crawl()).toEqual([
      ['/a', 'ready'],
      ['url:https://www.shop.example/b', 'ready'],
    ])
  })

  test('is listed as a source with its error while it cannot be read', async () => {
    await using site = await openSite({ '/a': 'A page.' }, { path })
    expect(await site.crawl()).toEqual([['/sitemap.xml', 'error']])
    expect((await site.ingestion.readSources())[0]).toMatchObject({ error: 'There is no sitemap.' })
    await site.start()
    site.ingestion.scenario.sitemaps.set(path, { ok: true, urls: ['https://shop.example/a'] })
    expect(await site.crawl()).toEqual([['/a', 'ready']])
  })
})
