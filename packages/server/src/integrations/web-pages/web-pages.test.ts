import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { NO_VALIDATORS, openWebPagesScene } from './web-pages-test-kit.ts'

describe('a page', () => {
  test('returns its URL, content type and validators', async () => {
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

  test('fails if the site returns 304 for an unconditional request', async () => {
    await using scene = await openWebPagesScene()
    scene.site.put('/', { kind: 'raw', status: 304, body: '', contentType: 'text/html' })
    expect(await scene.fetch('/')).toMatchObject({ ok: false, reason: 'failed' })
  })

  test('returns the final URL after redirects across hosts', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    const redirectUrl = `http://name.test:${site.port}/new`
    // The policy allows the address and port under any name.
    site.put('/old', { kind: 'redirect', to: '/older', status: 301 })
    site.put('/older', { kind: 'redirect', to: redirectUrl, status: 308 })
    site.putHtml('/new', 'new')
    expect(await scene.fetch('/old')).toMatchObject({ ok: true, url: redirectUrl, bytes: Buffer.from('new') })
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
  ] as const)('returns a failure for status %i: %s', async (status, reason, retryable) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/page', { kind: 'html', status })
    const page = await scene.fetch('/page')
    expect(page).toMatchObject({ ok: false, reason, retryable, message: expect.stringContaining(String(status)) })
  })

  test.each(['refuse', 'cut', 'wrong-length', 'garbage'] as const)(
    'is retryable after a broken response: %s',
    async (kind) => {
      await using scene = await openWebPagesScene()
      scene.site.put('/page', { kind })
      const page = await scene.fetch('/page')
      expect(page).toMatchObject({ ok: false, reason: 'failed', retryable: true })
      expect(JSON.stringify(page)).not.toContain('127.0.0.1')
    },
  )

  test('is retryable if the host does not resolve', async () => {
    await using scene = await openWebPagesScene()
    expect(await scene.fetch('http://nowhere.test/')).toMatchObject({ ok: false, reason: 'failed', retryable: true })
  })

  test.each([
    ['a response larger than its content-length', { kind: 'flood', sizeBytes: 60 * 1024 * 1024 }],
    ['a gzip bomb', createGzipBomb()],
  ] as const)('rejects %s', async (_name, reply) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/page', reply)
    const page = await scene.fetch('/page')
    expect(page).toEqual({ ok: false, reason: 'failed', message: 'The page is larger than 50 MiB.', retryable: false })
  })

  test('decompresses gzip', async () => {
    await using scene = await openWebPagesScene()
    const headers = { 'content-encoding': 'gzip' }
    scene.site.put('/page', { kind: 'raw', body: gzipSync('<p>hello'), contentType: 'text/html', headers })
    expect(await scene.fetch('/page')).toMatchObject({ ok: true, bytes: Buffer.from('<p>hello') })
  })

  test('times out after 10 seconds without headers and after 30 seconds without an end', async () => {
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
    // The headers' timer is canceled when they arrive.
    await expect.poll(() => clock.timerCount).toBe(1)
    clock.advance(29_999)
    expect(clock.timerCount).toBe(1)
    clock.advance(1)
    expect(await dripping).toMatchObject({ reason: 'failed', retryable: true })
    expect(clock.timerCount).toBe(0)
  })

  test('stops when its signal aborts before or during the request', async () => {
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

  test('fails without content', async () => {
    await using scene = await openWebPagesScene()
    scene.site.putHtml('/empty', '')
    expect(await scene.fetch('/empty')).toMatchObject({ ok: false, reason: 'failed', retryable: false })
  })
})

describe('redirects', () => {
  test('fail permanently in a loop or if there are too many', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    site.put('/a', { kind: 'redirect', to: '/b' })
    site.put('/b', { kind: 'redirect', to: '/a#again' })
    expect(await scene.fetch('/a')).toMatchObject({ reason: 'failed', retryable: false, message: /loop/ })
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
  ])('to %s are rejected', async (to) => {
    await using scene = await openWebPagesScene({ names: { 'private.test': '10.0.0.1' } })
    scene.site.put('/page', { kind: 'redirect', to })
    const page = await scene.fetch('/page')
    expect(page).toMatchObject({ ok: false, reason: 'refused', retryable: false })
    expect(JSON.stringify(page)).not.toMatch(/\d+\.\d+\.\d+\.\d+|secret|passwd/)
    expect(scene.site.paths).toEqual(['/page'])
  })

  test.each(['http://10.0.0.1/', 'http://private.test/', 'ftp://name.test/', 'no address'])(
    'are not needed to reject %s',
    async (url) => {
      await using scene = await openWebPagesScene({ names: { 'private.test': '10.0.0.1' } })
      expect(await scene.fetch(url)).toMatchObject({ ok: false, retryable: false })
      expect(scene.site.requests).toHaveLength(0)
    },
  )
})

describe('robots.txt', () => {
  test('disallows pages and is cached for an hour', async () => {
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

  test('is requested once for concurrent pages', async () => {
    await using scene = await openWebPagesScene()
    for (const path of ['/a', '/b', '/c']) scene.site.putHtml(path, path)
    const pages = await Promise.all(['/a', '/b', '/c'].map((path) => scene.fetch(path)))
    expect(pages.every(({ ok }) => ok)).toBe(true)
    expect(scene.site.requests).toHaveLength(4)
  })

  test('applies to the target of a redirect', async () => {
    await using scene = await openWebPagesScene()
    const { site } = scene
    // Both names resolve to the same site. `paths` omits requests for robots.txt.
    site.put('/go', { kind: 'redirect', to: `http://name.test:${site.port}/closed` })
    site.putText('/robots.txt', 'User-agent: *\nDisallow: /closed')
    site.putHtml('/closed', 'closed')
    expect(await scene.fetch('/go')).toMatchObject({ reason: 'refused' })
    expect(site.paths).toEqual(['/go'])
  })

  test.each([401, 403, 404])('allows everything for status %i', async (status) => {
    await using scene = await openWebPagesScene()
    scene.site.put('/robots.txt', { kind: 'html', status })
    scene.site.putHtml('/page', 'page')
    expect(await scene.fetch('/page')).toMatchObject({ ok: true })
  })

  test.each([
    ['status 500', { kind: 'html', status: 500 }],
    ['status 429', { kind: 'html', status: 429 }],
    ['no response', { kind: 'refuse' }],
  ] as const)('makes all pages retryable after %s', async (_name, reply) => {
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

  test('is parsed up to 500 KB and rejected if it is too large', async () => {
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

  test('is not followed to a private address', async () => {
    await using scene = await openWebPagesScene()
    scene.site.put('/robots.txt', { kind: 'redirect', to: 'http://169.254.169.254/' })
    scene.site.putHtml('/page', 'page')
    expect(await scene.fetch('/page')).toMatchObject({ reason: 'refused' })
    expect(scene.site.paths).toEqual([])
  })
})

describe('politeness', () => {
  test('waits 200 ms between requests, or the crawl delay up to ten seconds', async () => {
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

  test('limits concurrent requests per site and skips a site after two timeouts', async () => {
    await using scene = await openWebPagesScene()
    const { site, clock } = scene
    const paths = ['/1', '/2', '/3', '/4', '/5']
    for (const path of paths) site.put(path, { kind: 'hang' })
    site.putHtml('/quick', 'quick')
    const getRequestedPaths = () => site.paths.filter((path) => path !== '/quick')
    const pages = paths.map((path) => scene.fetch(path))
    await site.received(3)
    // Another site is not delayed.
    expect(await scene.fetch(`http://name.test:${site.port}/quick`)).toMatchObject({ ok: true })
    expect(getRequestedPaths()).toHaveLength(2)
    clock.advance(10_000)
    const timeoutFailure = { ok: false, reason: 'failed', retryable: true, message: expect.stringContaining('in time') }
    expect(await Promise.all(pages)).toEqual(paths.map(() => timeoutFailure))
    expect(await scene.fetch('/quick')).toEqual(timeoutFailure)
    expect(await scene.fetch(`http://name.test:${site.port}/quick`)).toMatchObject({ ok: true })
    expect(getRequestedPaths()).toHaveLength(2)
    clock.advance(60_000)
    expect(await scene.fetch('/quick')).toMatchObject({ ok: true })
    // A response resets the count of timeouts.
    const single = scene.fetch('/1')
    await expect.poll(() => getRequestedPaths().length).toBe(3)
    clock.advance(10_000)
    expect(await single).toEqual(timeoutFailure)
    expect(await scene.fetch('/quick')).toMatchObject({ ok: true })
  })

  test('honors Retry-After and does not wait longer than a minute', async () => {
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
    const longRetryHeaders = { 'retry-after': new Date(clock.now() + 3_600_000).toUTCString() }
    site.put('/busy', { kind: 'raw', status: 503, body: 'wait', contentType: 'text/plain', headers: longRetryHeaders })
    await scene.fetch('/busy')
    expect(await scene.fetch('/page')).toMatchObject({ reason: 'failed', retryable: true })
    expect(site.paths).toEqual(['/busy', '/page', '/busy'])
  })

  test('stops waiting when its signal aborts and leaves no timer', async () => {
    await using scene = await openWebPagesScene({ pauseMs: 200 })
    const controller = new AbortController()
    const page = scene.fetch('/page', { signal: controller.signal, validators: NO_VALIDATORS })
    await scene.clock.waitForTimer(200)
    controller.abort()
    expect(await page).toMatchObject({ ok: false, retryable: true })
    scene.clock.advance(200)
    expect(scene.clock.timerCount).toBe(0)
    expect(scene.site.paths).toEqual([])
  })
})

function createGzipBomb() {
  const body = gzipSync(Buffer.alloc(60 * 1024 * 1024))
  return { kind: 'raw', body, contentType: 'text/html', headers: { 'content-encoding': 'gzip' } } as const
}
