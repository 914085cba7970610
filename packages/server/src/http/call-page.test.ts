import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock } from '@parley/engine/testing/index'
import { afterEach, describe, expect, test } from 'vitest'
import { loadBrowserModules, registerCallPage, stripTypes } from './call-page.ts'
import { createMetrics } from './metrics.ts'
import { createHttpServer } from './server.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function startPageServer(files?: Readonly<Record<string, string>>) {
  let idCount = 0
  const fastify = createHttpServer({
    clock: createManualClock().clock,
    makeId: (prefix) => `${prefix}_${++idCount}`,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: createMetrics(),
    trustProxy: false,
  })
  if (files === undefined) registerCallPage(fastify)
  else {
    const folder = mkdtempSync(join(tmpdir(), 'parley-page-'))
    folders.push(folder)
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    registerCallPage(fastify, { folder })
  }
  return { fastify, [Symbol.asyncDispose]: async () => void (await fastify.close()) }
}

describe('the call page', () => {
  test('has a strict policy and loads everything from this host', async () => {
    await using server = startPageServer()
    const page = await server.fastify.inject({ url: '/call/call_1', headers: { host: 'voice.example.com:8443' } })
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'self';")
    expect(policy).toContain("connect-src 'self' ws://voice.example.com:8443 wss://voice.example.com:8443;")
    expect(policy).not.toContain('unsafe')
    expect(page.headers['referrer-policy']).toBe('no-referrer')
    expect(page.body).not.toMatch(/<script(?![^>]*\bsrc=)|\bstyle="|\bon\w+="|https?:\/\//)
    expect(page.body).not.toContain('__SDK__')

    for (const [, address = ''] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const file = await server.fastify.inject({ url: address })
      expect([address, file.statusCode]).toEqual([address, 200])
      expect(file.headers['cache-control']).toContain('immutable')
    }
  })

  test('returns 304 for a matching ETag', async () => {
    await using server = startPageServer()
    const { headers } = await server.fastify.inject({ url: '/call/call_1' })
    const secondResponse = await server.fastify.inject({
      url: '/call/call_2',
      headers: { 'if-none-match': String(headers.etag) },
    })
    expect([secondResponse.statusCode, secondResponse.body]).toEqual([304, ''])
  })
})

describe('browser modules', () => {
  test('all load from the public entry', async () => {
    await using server = startPageServer()
    const bodies = new Map<string, string>()
    const load = async (path: string): Promise<void> => {
      if (bodies.has(path)) return
      const { statusCode, headers, body } = await server.fastify.inject({ url: path })
      expect([path, statusCode, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
        path,
        200,
        'text/javascript; charset=utf-8',
        '*',
      ])
      bodies.set(path, body)
      for (const [, name = ''] of body.matchAll(/(?:from\s*|new URL\()'(\.[^']+)'/g)) {
        await load(new URL(name, `http://host${path}`).pathname)
      }
    }
    await load('/sdk/index.js')
    expect([...bodies.keys()].some((path) => path.endsWith('/audio/call-worklet.js'))).toBe(true)
    expect([...bodies.values()].join('\n')).not.toMatch(/\.ts'|\binterface\b \w+ \{/)
  })

  test('return 404 for other versions and files', async () => {
    await using server = startPageServer()
    const index = await server.fastify.inject({ url: '/sdk/index.js' })
    const hash = /\.\/(\w+)\//.exec(index.body)?.[1] ?? ''
    for (const path of [
      '/sdk/0000000000000000/index.js',
      `/sdk/${hash}/index.ts`,
      `/sdk/${hash}/page/index.html`,
      `/sdk/${hash}/start-call.test.js`,
      `/sdk/${hash}/../package.json`,
      `/sdk/${hash}/%2e%2e/package.json`,
    ]) {
      expect([path, (await server.fastify.inject({ url: path })).statusCode]).toEqual([path, 404])
    }
  })

  test('change their URL with their content', async () => {
    const readIndexModule = async (content: string) => {
      await using server = startPageServer({ 'index.ts': content })
      return (await server.fastify.inject({ url: '/sdk/index.js' })).body
    }
    expect(await readIndexModule('export const one: number = 1\n')).not.toBe(
      await readIndexModule('export const one: number = 2\n'),
    )
  })
})

test('stripTypes removes types and imports served file names', () => {
  const source = [
    "import type { A } from './a.ts'",
    "import { b, type C } from '../b.ts'",
    "export * from './d.ts'",
    "const worklet = new URL('./worklet.ts', import.meta.url)",
    "const later = import('./later.ts')",
    "const text: string = 'from a.ts'",
  ].join('\n')
  const code = stripTypes(source)
  expect(code).not.toContain("a.ts'\n")
  expect(code.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())).toEqual([
    '',
    "import { b, } from '../b.js'",
    "export * from './d.js'",
    "const worklet = new URL('./worklet.js', import.meta.url)",
    "const later = import('./later.js')",
    "const text = 'from a.ts'",
  ])
})

/** Loads the modules of a folder with one file. */
async function load(name: string, source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-modules-'))
  try {
    writeFileSync(join(folder, name), source)
    return await loadBrowserModules(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the hash depends on the served text, not on the source', async () => {
  const original = await load('index.ts', 'export const one: number = 1\n')
  // Both sources are equal after types are replaced by blanks.
  const typeOnlyChange = await load('index.ts', 'export const one: bigint = 1\n')
  expect(typeOnlyChange.files).toEqual(original.files)
  expect(typeOnlyChange.hash).toBe(original.hash)
  const otherModules = [
    await load('index.ts', 'export const one: number = 2\n'),
    await load('other.ts', 'export const one: number = 1\n'),
    await load('index.css', 'body {}\n'),
  ]
  expect(new Set([original, ...otherModules].map(({ hash }) => hash)).size).toBe(4)
})
