import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openWebPagesScene, UNKNOWN } from './web-pages-test-kit.ts'

describe('a page', () => {
  test('comes with its address, type and what tells whether it has changed', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    const lastModified = 'Mon, 05 Jan 2026 12:00:00 GMT'
    site.put('/menu', { kind: 'validated', body: '<h1>Menu</h1>', etag: '"1"', lastModified })
    const page = await scene.fetch('/menu#prices')
    expect(page).toEqual({
      ok: true,
      changed: true,
      url: `${site.url}/menu`,
      bytes: Buffer.from('<h1>Menu</h1>'),
      contentType: 'text/html; charset=utf-8',
      validators: { etag: '"1"', lastModified },
    })
    expect(site.requests.at(-1)?.headers['user-agent']).toContain('ParleyBot')
    for (const validators of [
      { etag: '"1"', lastModified: null },
      { etag: null, lastModified },
      { etag: '"1"', lastModified },
    ]) {
      expect(await scene.fetch('/menu', { validators })).toEqual({ ok: true, changed: false })
    }
    expect(await scene.fetch('/menu', { validators: { etag: '"0"', lastModified: null } })).toMatchObject({
      changed: true,
    })
  })

  test('that says it has not changed without having been asked is a failure', async () => {
    await using scene = await openWebPagesScene()
    scene.site.put('/', { kind: 'raw', status: 304, body: '', contentType: 'text/html' })
    expect(await scene.fetch('/')).toMatchObject({ ok: false, reason: 'failed' })
  })

  test('is told by the address that redirects led to, across names', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    const there = `http://name.test:${site.port}/new`
    // The policy allows the address on the site's port, by whatever name.
    site.put('/old', { kind: 'redirect', to: '/older', status: 301 })
    site.put('/older', { kind: 'redirect', to: there, status: 308 })
    site.putHtml('/new', 'new')
    expect(await scene.fetch('/old')).toMatchObject({ ok: true, url: there, bytes: Buffer.from('new') })
    expect(site.requests.filter(({ path }) => path === '/robots.txt')).toHaveLength(2)
  })

  test.each([
    [404, 'gone', false],
    [410, 'gone', false],
    [401, 'refused', false],
    [403, 'refused', false],
    [451, 'refused', false],
    [400, 'failed', false],
    [429, 'failed', true],
    [408, 'failed', true],
    [500, 'failed', true],
    [503, 'failed', true],
  ] as const)('with status %i is %s', async (status, reason, retryable) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/page', { kind: 'html', status })
    const page = await scene.fetch('/page')
    expect(page).toMatchObject({ ok: false, reason, retryable, message: expect.stringContaining(String(status)) })
  })

  test.each(['refuse', 'cut', 'wrong-length', 'garbage'] as const)('%s may be tried again', async (kind) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/page', { kind })
    const page = await scene.fetch('/page')
    expect(page).toMatchObject({ ok: false, reason: 'failed', retryable: true })
    expect(JSON.stringify(page)).not.toContain('127.0.0.1')
  })

  test('of a site that does not exist may be tried again', async () => {
    await using scene = await openWebPagesScene()
    expect(await scene.fetch('http://nowhere.test/')).toMatchObject({ ok: false, reason: 'failed', retryable: true })
  })

  test.each([
    ['larger than announced', { kind: 'flood', sizeBytes: 60 * 1024 * 1024 }],
    ['a gzip bomb', bomb()],
  ] as const)('%s is cut off', async (_name, reply) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/page', reply)
    const page = await scene.fetch('/page')
    expect(page).toEqual({ ok: false, reason: 'failed', message: 'The page is larger than 50 MiB.', retryable: false })
  })

  test('in gzip is unpacked', async () => {
    await using scene = await openWebPagesScene()
    const headers = { 'content-encoding': 'gzip' }
    scene.site.put('/page', { kind: 'raw', body: gzipSync('<p>hello'), contentType: 'text/html', headers })
    expect(await scene.fetch('/page')).toMatchObject({ ok: true, bytes: Buffer.from('<p>hello') })
  })

  test('that never begins ends after ten seconds, one that never ends after thirty', async () => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    site.put('/hangs', { kind: 'hang' })
    site.put('/drips', { kind: 'raw', body: '', contentType: 'text/html', headers: { 'content-length': '100' } })
    const hanging = scene.fetch('/hangs')
    await site.received(2)
    clock.advance(10_000)
    expect(await hanging).toMatchObject({
      reason: 'failed',
      retryable: true,
      message: expect.stringContaining('in time'),
    })
    site.put('/drips', { kind: 'drip' })
    const dripping = scene.fetch('/drips')
    await site.received(3)
    // The timer for the headers is given back as soon as they are there.
    await expect.poll(() => clock.timerCount).toBe(1)
    clock.advance(29_999)
    expect(clock.timerCount).toBe(1)
    clock.advance(1)
    expect(await dripping).toMatchObject({ reason: 'failed', retryable: true })
    expect(clock.timerCount).toBe(0)
  })

  test('is given up with its signal, before and meanwhile', async () => {
    await using scene = await openWebPagesScene()
    expect(await scene.fetch('/', { signal: AbortSignal.abort() })).toMatchObject({ ok: false, retryable: true })
    expect(scene.site.requests).toHaveLength(0)
    scene.site.put('/hangs', { kind: 'hang' })
    const controller = new AbortController()
    const page = scene.fetch('/hangs', { signal: controller.signal })
    await scene.site.received(2)
    controller.abort()
    expect(await page).toMatchObject({ ok: false, reason: 'failed', retryable: true })
    expect(scene.clock.timerCount).toBe(0)
  })

  test('without content is a failure', async () => {
    await using scene = await openWebPagesScene()
    scene.site.putHtml('/empty', '')
    expect(await scene.fetch('/empty')).toMatchObject({ ok: false, reason: 'failed', retryable: false })
  })
})

describe('redirects', () => {
  test('in a circle and too many of them are a failure for good', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    site.put('/a', { kind: 'redirect', to: '/b' })
    site.put('/b', { kind: 'redirect', to: '/a#again' })
    expect(await scene.fetch('/a')).toMatchObject({ reason: 'failed', retryable: false, message: /circle/ })
    for (let step = 0; step < 10; step += 1) site.put(`/${step}`, { kind: 'redirect', to: `/${step + 1}` })
    site.putHtml('/10', 'far')
    expect(await scene.fetch('/4')).toMatchObject({ reason: 'failed', retryable: false, message: /too often/ })
    expect(await scene.fetch('/5')).toMatchObject({ ok: true })
  })

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1:1/',
    'http://private.test/',
    'file:///etc/passwd',
    'ftp://name.test/',
    'http://user:secret@name.test/',
  ])('to %s are refused', async (to) => {
    await using scene = await openWebPagesScene({ names: { 'private.test': '10.0.0.1' } })
    scene.site.put('/page', { kind: 'redirect', to })
    const page = await scene.fetch('/page')
    expect(page).toMatchObject({ ok: false, reason: 'refused', retryable: false })
    expect(JSON.stringify(page)).not.toMatch(/\d+\.\d+\.\d+\.\d+|secret|passwd/)
    expect(scene.site.paths).toEqual(['/page'])
  })

  test.each(['http://10.0.0.1/', 'http://private.test/', 'ftp://name.test/', 'no address'])(
    'are not needed to refuse %s',
    async (url) => {
      await using scene = await openWebPagesScene({ names: { 'private.test': '10.0.0.1' } })
      expect(await scene.fetch(url)).toMatchObject({ ok: false, retryable: false })
      expect(scene.site.requests).toHaveLength(0)
    },
  )
})

describe('robots.txt', () => {
  test('keeps pages from being read, and is asked for once an hour', async () => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    site.putText('/robots.txt', 'User-agent: *\nDisallow: /\n\nUser-agent: ParleyBot\nDisallow: /private\n')
    site.putHtml('/page', 'page')
    site.putHtml('/private', 'private')
    expect(await scene.fetch('/page')).toMatchObject({ ok: true })
    const refusal = await scene.fetch('/private')
    expect(refusal).toMatchObject({ reason: 'refused', retryable: false, message: /robots\.txt.*ParleyBot/ })
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/page'])
    clock.advance(60 * 60 * 1000 + 1)
    site.putText('/robots.txt', '')
    expect(await scene.fetch('/private')).toMatchObject({ ok: true })
  })

  test('is asked for once by many who need it at the same time', async () => {
    await using scene = await openWebPagesScene()
    for (const path of ['/a', '/b', '/c']) scene.site.putHtml(path, path)
    const pages = await Promise.all(['/a', '/b', '/c'].map((path) => scene.fetch(path)))
    expect(pages.every(({ ok }) => ok)).toBe(true)
    expect(scene.site.requests).toHaveLength(4)
  })

  test('of the site that a redirect leads to counts there', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    // Both names are the same machine, so that its rules are those of both: only the first one's are left out.
    site.put('/go', { kind: 'redirect', to: `http://name.test:${site.port}/closed` })
    site.putText('/robots.txt', 'User-agent: *\nDisallow: /closed')
    site.putHtml('/closed', 'closed')
    expect(await scene.fetch('/go')).toMatchObject({ reason: 'refused' })
    expect(site.paths).toEqual(['/go'])
  })

  test.each([401, 403, 404])('with status %i allows everything', async (status) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/robots.txt', { kind: 'html', status })
    scene.site.putHtml('/page', 'page')
    expect(await scene.fetch('/page')).toMatchObject({ ok: true })
  })

  test.each([
    ['status 500', { kind: 'html', status: 500 }],
    ['status 429', { kind: 'html', status: 429 }],
    ['no answer', { kind: 'refuse' }],
  ] as const)('with %s keeps everything for later', async (_name, reply) => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    site.put('/robots.txt', reply)
    site.putHtml('/page', 'page')
    expect(await scene.fetch('/page')).toMatchObject({ reason: 'failed', retryable: true, message: /robots\.txt/ })
    expect(await scene.fetch('/page')).toMatchObject({ reason: 'failed' })
    expect(site.requests).toHaveLength(1)
    site.put('/robots.txt', { kind: 'html', status: 404 })
    clock.advance(60_001)
    expect(await scene.fetch('/page')).toMatchObject({ ok: true })
  })

  test('counts up to its first 500 KB and may not be endless', async () => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    const comment = `#${'x'.repeat(100)}\n`.repeat(6000)
    site.putText('/robots.txt', `User-agent: *\nDisallow: /early\n${comment}Disallow: /late\n`)
    for (const path of ['/early', '/late']) site.putHtml(path, path)
    expect(await scene.fetch('/early')).toMatchObject({ reason: 'refused' })
    expect(await scene.fetch('/late')).toMatchObject({ ok: true })
    site.put('/robots.txt', { kind: 'flood', sizeBytes: 10_000_000 })
    clock.advance(60 * 60 * 1000 + 1)
    expect(await scene.fetch('/late')).toMatchObject({ reason: 'refused', message: /too large/ })
  })

  test('that leads to a private address is not followed', async () => {
    await using scene = await openWebPagesScene()
    scene.site.put('/robots.txt', { kind: 'redirect', to: 'http://169.254.169.254/' })
    scene.site.putHtml('/page', 'page')
    expect(await scene.fetch('/page')).toMatchObject({ reason: 'refused' })
    expect(scene.site.paths).toEqual([])
  })
})

describe('politeness', () => {
  test('lets requests to one site begin 200 ms apart, or as its crawl delay says, up to ten seconds', async () => {
    await using scene = await openWebPagesScene({ pauseMs: 200 })
    const { site, clock } = scene
    site.putText('/robots.txt', 'User-agent: *\nCrawl-delay: 60')
    for (const path of ['/a', '/b']) site.putHtml(path, path)
    const first = scene.fetch('/a')
    await clock.waitForTimer(200)
    expect(site.paths).toEqual([])
    clock.advance(200)
    expect(await first).toMatchObject({ ok: true })
    const second = scene.fetch('/b')
    await clock.waitForTimer(10_000)
    clock.advance(9999)
    expect(site.paths).toEqual(['/a'])
    clock.advance(1)
    expect(await second).toMatchObject({ ok: true })
    expect(clock.timerCount).toBe(0)
  })

  test('asks one site for two things at once at most, and leaves it alone when neither is answered', async () => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    const paths = ['/1', '/2', '/3', '/4', '/5']
    for (const path of paths) site.put(path, { kind: 'hang' })
    site.putHtml('/quick', 'quick')
    const asked = () => site.paths.filter((path) => path !== '/quick')
    const pages = paths.map((path) => scene.fetch(path))
    await site.received(3)
    // Another site is not kept waiting; once it has answered, the others would have been asked as well.
    expect(await scene.fetch(`http://name.test:${site.port}/quick`)).toMatchObject({ ok: true })
    expect(asked()).toHaveLength(2)
    clock.advance(10_000)
    const late = { ok: false, reason: 'failed', retryable: true, message: expect.stringContaining('in time') }
    expect(await Promise.all(pages)).toEqual(paths.map(() => late))
    expect(await scene.fetch('/quick')).toEqual(late)
    expect(await scene.fetch(`http://name.test:${site.port}/quick`)).toMatchObject({ ok: true })
    expect(asked()).toHaveLength(2)
    clock.advance(60_000)
    expect(await scene.fetch('/quick')).toMatchObject({ ok: true })
    // An answer makes up for what was not answered before.
    const single = scene.fetch('/1')
    await expect.poll(() => asked().length).toBe(3)
    clock.advance(10_000)
    expect(await single).toEqual(late)
    expect(await scene.fetch('/quick')).toMatchObject({ ok: true })
  })

  test('leaves a site alone for as long as it asks, and does not wait for longer than a minute', async () => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    const headers = { 'retry-after': '30' }
    site.put('/busy', { kind: 'raw', status: 429, body: 'wait', contentType: 'text/plain', headers })
    site.putHtml('/page', 'page')
    await scene.fetch('/busy')
    const page = scene.fetch('/page')
    await clock.waitForTimer(30_000)
    clock.advance(30_000)
    expect(await page).toMatchObject({ ok: true })
    const longer = { 'retry-after': new Date(clock.now() + 3_600_000).toUTCString() }
    site.put('/busy', { kind: 'raw', status: 503, body: 'wait', contentType: 'text/plain', headers: longer })
    await scene.fetch('/busy')
    expect(await scene.fetch('/page')).toMatchObject({ reason: 'failed', retryable: true })
    expect(site.paths).toEqual(['/busy', '/page', '/busy'])
  })

  test('gives up with the signal, and leaves no timer behind', async () => {
    await using scene = await openWebPagesScene({ pauseMs: 200 })
    const controller = new AbortController()
    const page = scene.fetch('/page', { signal: controller.signal, validators: UNKNOWN })
    await scene.clock.waitForTimer(200)
    controller.abort()
    expect(await page).toMatchObject({ ok: false, retryable: true })
    scene.clock.advance(200)
    expect(scene.clock.timerCount).toBe(0)
    expect(scene.site.paths).toEqual([])
  })
})

function bomb() {
  const body = gzipSync(Buffer.alloc(60 * 1024 * 1024))
  return { kind: 'raw', body, contentType: 'text/html', headers: { 'content-encoding': 'gzip' } } as const
}
