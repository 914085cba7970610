import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Branding } from '@parley/contract/branding'
import { createManualClock } from '@parley/engine/testing/index'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { mergeBrands } from '../features/branding/brand.ts'
import { registerDashboard } from './dashboard.ts'
import { createMetrics } from './metrics.ts'
import { createHttpServer } from './server.ts'

const PAGE = `<title>__PRODUCT_NAME__</title><link rel="icon" href="__FAVICON__" />
<script type="application/json" id="brand">__BRAND__</script><script src="/assets/index-abc.js"></script>`
const SCRIPT = 'console.log("a script that is long enough to be smaller when it is compressed")\n'.repeat(9)
const BUILD: Readonly<Record<string, string | Buffer>> = {
  'index.html': PAGE,
  'favicon.svg': '<svg/>',
  '.parley-build': 'secret',
  '.vite/manifest.json': '{}',
  'assets/index-abc.js': SCRIPT,
  'assets/index-abc.js.br': brotliCompressSync(SCRIPT),
  'assets/index-abc.js.gz': gzipSync(SCRIPT),
  'assets/inter-def.woff2': 'a font',
}
const BROWSER = { host: 'voice.example.com:8443', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function createBuildFolder(files: Readonly<Record<string, string | Buffer>> = BUILD): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-dashboard-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

interface DashboardServer extends AsyncDisposable {
  /** Requests a URL like a browser unless headers are given. */
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
  readonly errors: readonly unknown[]
}

function startDashboardServer(
  readBrand: (host: string) => Promise<Branding> = async () => mergeBrands(null, null),
  folder = createBuildFolder(),
): DashboardServer {
  let idCount = 0
  const errors: unknown[] = []
  const fastify = createHttpServer({
    clock: createManualClock().clock,
    makeId: (prefix) => `${prefix}_${++idCount}`,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: createMetrics(),
    trustProxy: false,
  })
  fastify.routeMethods.add('/api/things', 'POST')
  registerDashboard(fastify, { folder, readBrand, logError: (error) => void errors.push(error) })
  return {
    inject: async (options) => await fastify.inject(options),
    get: async (url, headers = BROWSER) => await fastify.inject({ url, headers }),
    errors,
    [Symbol.asyncDispose]: async () => void (await fastify.close()),
  }
}

/** Returns the JSON text of the brand in a page. */
function readBrandText(page: string): string {
  return /id="brand">(.*?)<\/script>/s.exec(page)?.[1] ?? ''
}

function parseBrand(page: string): unknown {
  return JSON.parse(readBrandText(page))
}

describe('the page', () => {
  test.each(['/', '/?next=1', '/1/agents', '/1/agents/agent_1.2', '/sign-in', '/reset-password?token=a', '/apis'])(
    'is served at %s to browsers',
    async (url) => {
      await using server = startDashboardServer()
      const response = await server.get(url)
      expect(response.statusCode).toBe(200)
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(response.body).toContain('<title>Parley</title>')
      const head = await server.inject({ method: 'HEAD', url, headers: BROWSER })
      expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', response.headers.etag])
    },
  )

  test('is served at the root for any Accept header', async () => {
    await using server = startDashboardServer()
    for (const accept of ['application/json', '*/*']) {
      expect((await server.get('/', { accept })).body).toContain('<title>Parley</title>')
    }
  })

  test('allows only the needed sources of this host', async () => {
    await using server = startDashboardServer()
    const { headers } = await server.get('/1/agents')
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        "script-src 'self'",
        "connect-src 'self' ws://voice.example.com:8443 wss://voice.example.com:8443",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'self'",
      ]),
    )
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'SAMEORIGIN',
      'permissions-policy': expect.stringMatching(/^microphone=\(self\).*camera=\(\).*geolocation=\(\)/),
    })
  })

  test('shows the brand of the host', async () => {
    await using server = startDashboardServer(async (host) => ({
      ...mergeBrands(null, null),
      productName: `Voices of ${host}`,
      faviconUrl: 'https://cdn.example.com/icon.png?a=1&b="2"',
    }))
    const { body } = await server.get('/')
    expect(body).toContain('<title>Voices of voice.example.com:8443</title>')
    expect(body).toContain('href="https://cdn.example.com/icon.png?a=1&amp;b=&quot;2&quot;"')
    expect(parseBrand(body)).toMatchObject({ productName: 'Voices of voice.example.com:8443', primaryColor: '#1d4ed8' })
  })

  test.each([
    '</script><script>alert(1)</script>',
    '</title><img src=x onerror=alert(1)>',
    "$& $' __BRAND__ __FAVICON__",
    'a\u2028b\u2029c & "d"',
  ])('treats the name %j as text', async (productName) => {
    await using server = startDashboardServer(async () => ({ ...mergeBrands(null, null), productName }))
    const { body } = await server.get('/')
    expect(body.match(/<script/g)).toHaveLength(2)
    expect(body.match(/<\/title>/g)).toHaveLength(1)
    expect(body).not.toContain('<img')
    expect(readBrandText(body)).not.toMatch(/[<>&\u2028\u2029]/)
    expect(parseBrand(body)).toEqual({ ...mergeBrands(null, null), productName })
  })

  test('shows the default brand and logs when the brand cannot be read', async () => {
    const failure = new Error('The database is unavailable.')
    await using server = startDashboardServer(async () => Promise.reject(failure))
    const response = await server.get('/sign-in')
    expect([response.statusCode, parseBrand(response.body)]).toEqual([200, mergeBrands(null, null)])
    expect(response.body).toContain('href="/favicon.svg"')
    expect(server.errors).toEqual([failure])
  })

  test('returns 304 until the brand changes', async () => {
    let productName = 'One'
    await using server = startDashboardServer(async () => ({ ...mergeBrands(null, null), productName }))
    const etag = String((await server.get('/')).headers.etag)
    const secondResponse = await server.get('/2/calls', { ...BROWSER, 'if-none-match': etag })
    expect([secondResponse.statusCode, secondResponse.body, secondResponse.headers.etag]).toEqual([304, '', etag])
    productName = 'Two'
    expect((await server.get('/', { ...BROWSER, 'if-none-match': etag })).statusCode).toBe(200)
  })
})

describe('other paths return a JSON error', () => {
  test.each<[string, InjectOptions]>([
    ['if JSON is accepted', { url: '/1/agents', headers: { accept: 'application/json' } }],
    ['if anything is accepted', { url: '/1/agents', headers: { accept: '*/*' } }],
    ['if HTML is not accepted', { url: '/x', headers: { accept: 'text/html;q=0, */*' } }],
    ['without an Accept header', { url: '/1/agents' }],
    ['for a form submission', { method: 'POST', url: '/1/agents', headers: BROWSER, payload: '{' }],
    ['for a form submission to the root', { method: 'POST', url: '/', headers: BROWSER }],
    ['at a path that looks like a URL', { url: '//evil.example/a', headers: BROWSER }],
    ...['/api', '/api/nothing', '/API/nothing', '/sdk/a', '/call', '/healthz/a', '/metrics/a', '/openapi.json/a'].map(
      (url): [string, InjectOptions] => [`at ${url}`, { url, headers: BROWSER }],
    ),
    ...['/assets', '/assets/', '/widget/a.js', '/w/1', '/llms.txt', '/readyz/a'].map((url): [string, InjectOptions] => [
      `at ${url}`,
      { url, headers: BROWSER },
    ]),
  ])('%s', async (_name, request) => {
    await using server = startDashboardServer()
    const response = await server.inject(request)
    expect([response.statusCode, response.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    expect(response.json().code).toBe('not_found')
  })

  test('with another method', async () => {
    await using server = startDashboardServer()
    const response = await server.get('/api/things')
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'POST'])
  })
})

describe('files', () => {
  test('are immutable for browsers', async () => {
    await using server = startDashboardServer()
    const response = await server.get('/assets/index-abc.js', {})
    expect(response.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'content-length': String(SCRIPT.length),
    })
    expect([response.statusCode, response.body]).toEqual([200, SCRIPT])
    const head = await server.inject({ method: 'HEAD', url: '/assets/index-abc.js' })
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', String(SCRIPT.length)])
    expect((await server.get('/assets/inter-def.woff2')).headers['content-type']).toBe('font/woff2')
  })

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity, br;q=0.5', undefined],
    ['deflate', undefined],
    ['br;q=x', undefined],
    ['', undefined],
  ])('are sent to %j as %s', async (accepted, encoding) => {
    await using server = startDashboardServer()
    const response = await server.get('/assets/index-abc.js', { 'accept-encoding': accepted })
    expect(response.headers['content-encoding']).toBe(encoding)
    const name = encoding === undefined ? '' : encoding === 'br' ? '.br' : '.gz'
    expect(response.rawPayload).toEqual(Buffer.from(BUILD[`assets/index-abc.js${name}`] ?? ''))
  })

  test('are sent uncompressed without a compressed version', async () => {
    await using server = startDashboardServer()
    const response = await server.get('/assets/inter-def.woff2', { 'accept-encoding': 'br, gzip' })
    expect([response.headers['content-encoding'], response.body]).toEqual([undefined, 'a font'])
  })

  test('return 304 for a matching ETag of the same encoding', async () => {
    await using server = startDashboardServer()
    const url = '/assets/index-abc.js'
    const { headers } = await server.get(url, { 'accept-encoding': 'br' })
    const ifNoneMatch = { 'if-none-match': String(headers.etag) }
    expect((await server.get(url, { ...ifNoneMatch, 'accept-encoding': 'br' })).statusCode).toBe(304)
    expect((await server.get(url, { ...ifNoneMatch, 'accept-encoding': 'gzip' })).statusCode).toBe(200)
  })

  test.each([
    '/assets/index-old.js',
    '/assets/index-abc.js.br',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2findex.html',
    '/assets/../../package.json',
    '/assets/.parley-build',
    '/.parley-build',
    '/.vite/manifest.json',
    '/favicon.svg.br',
    '/__proto__.x',
  ])('do not include %s', async (url) => {
    await using server = startDashboardServer()
    const response = await server.get(url, { accept: '*/*' })
    expect([response.statusCode, response.json().code]).toEqual([404, 'not_found'])
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test('at the root are cached for an hour', async () => {
    await using server = startDashboardServer()
    const response = await server.get('/favicon.svg?v=2', { accept: 'image/*' })
    expect([response.statusCode, response.body, response.headers['content-type']]).toEqual([
      200,
      '<svg/>',
      'image/svg+xml',
    ])
    expect(response.headers['cache-control']).toBe('public, max-age=3600')
    const secondResponse = await server.get('/favicon.svg', { 'if-none-match': String(response.headers.etag) })
    expect(secondResponse.statusCode).toBe(304)
  })
})

describe('a build', () => {
  test('shows an explanation while missing and is found later', async () => {
    const folder = createBuildFolder({})
    await using server = startDashboardServer(undefined, folder)
    for (const url of ['/', '/1/agents']) {
      const response = await server.get(url)
      expect([response.statusCode, response.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
      expect(response.headers['cache-control']).toBe('no-store')
      expect(response.body).toContain('npm start')
    }
    expect((await server.get('/assets/index-abc.js')).statusCode).toBe(404)
    expect((await server.get('/favicon.svg', { accept: 'image/*' })).json().code).toBe('not_found')
    writeFileSync(join(folder, 'index.html'), PAGE)
    expect((await server.get('/')).statusCode).toBe(200)
    expect(server.errors).toEqual([])
  })

  test('shows the same page and logs an error when unreadable', async () => {
    const folder = createBuildFolder({ 'index.html/a-folder': '' })
    await using server = startDashboardServer(undefined, folder)
    expect((await server.get('/')).statusCode).toBe(503)
    expect(server.errors).toEqual([expect.objectContaining({ code: 'EISDIR' })])
  })

  test('is served unchanged until the next start after a replacement', async () => {
    const folder = createBuildFolder()
    await using server = startDashboardServer(undefined, folder)
    expect((await server.get('/')).body).toContain('/assets/index-abc.js')
    renameSync(folder, `${folder}-old`)
    folders.push(`${folder}-old`)
    renameSync(createBuildFolder({ 'index.html': 'next' }), folder)
    expect((await server.get('/')).body).toContain('/assets/index-abc.js')
    expect((await server.get('/assets/index-abc.js')).statusCode).toBe(200)
  })
})
