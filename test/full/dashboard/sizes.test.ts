import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const DIST = fileURLToPath(new URL('../../../packages/dashboard/dist/', import.meta.url))
const KILOBYTE = 1_000
const MAX_ENTRY_BYTES = 150 * KILOBYTE
const MAX_ROUTE_BYTES = 110 * KILOBYTE
/** The code editor, which loads with the screens that use it. */
const EDITORS = /\/(?:code-area|explorer)[^/]*$/
const MAX_EDITOR_BYTES = 120 * KILOBYTE
/** Each file costs a phone part of a round trip. */
const MAX_FILES = 32
const MAX_STYLE_BYTES = 15 * KILOBYTE

interface Chunk {
  readonly file: string
  readonly src?: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}
type Manifest = Readonly<Record<string, Chunk>>

const manifest = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, 'utf8')) as Manifest
const sizes = new Map<string, number>()

/** Compressed size of a file, at most what browsers receive with Brotli. */
function sizeOf(file: string): number {
  const size = sizes.get(file) ?? gzipSync(readFileSync(DIST + file), { level: 9 }).length
  sizes.set(file, size)
  return size
}

/** Returns the files of a chunk and its static imports. */
function filesOf(key: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[key]
  if (chunk === undefined || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(imported, found)
  return found
}

function keyOf(fits: (chunk: Chunk) => boolean): string {
  const found = Object.keys(manifest).filter((key) => fits(manifest[key] as Chunk))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

const entry = keyOf(({ isEntry }) => isEntry === true)
const shell = keyOf(({ src }) => src?.endsWith('/shell/shell.tsx') === true)

/** Returns the bytes that a chunk adds to the loaded files. */
function addedBytes(key: string, known: ReadonlySet<string>): number {
  return [...filesOf(key)].filter((file) => !known.has(file)).reduce((sum, file) => sum + sizeOf(file), 0)
}

describe('the build of the dashboard', () => {
  test('has a small entry', () => {
    expect(addedBytes(entry, new Set())).toBeLessThanOrEqual(MAX_ENTRY_BYTES)
  })

  test('has small lazy chunks', () => {
    const known = new Set([...filesOf(entry), ...filesOf(shell)])
    const lazy = Object.keys(manifest).flatMap((from) =>
      (manifest[from]?.dynamicImports ?? []).map((key) => ({ from, key })),
    )
    expect(lazy.length).toBeGreaterThan(20)
    const heavy = lazy
      .map(({ from, key }) => ({ from, key, bytes: addedBytes(key, new Set([...known, ...filesOf(from)])) }))
      .filter(({ key, bytes }) => bytes > (EDITORS.test(key) ? MAX_EDITOR_BYTES : MAX_ROUTE_BYTES))
    expect(heavy).toEqual([])
  })

  test('loads few files for each page', () => {
    const pages = Object.keys(manifest).filter((key) => /features\/.+-screen\.tsx$/.test(key))
    expect(pages.length).toBeGreaterThan(20)
    const many = pages
      .map((key) => ({ key, files: new Set([entry, shell, key].flatMap((each) => [...filesOf(each)])).size }))
      .filter(({ files }) => files > MAX_FILES)
    expect(many).toEqual([])
  })

  test('has one small style sheet', () => {
    const styles = globSync('assets/*.css', { cwd: DIST })
    expect(styles).toHaveLength(1)
    expect(sizeOf(styles[0] ?? '')).toBeLessThanOrEqual(MAX_STYLE_BYTES)
  })

  test('has no source maps', () => {
    expect(globSync('**/*.map', { cwd: DIST })).toEqual([])
    const scripts = globSync('assets/*.{js,css}', { cwd: DIST })
    expect(scripts.filter((file) => readFileSync(DIST + file, 'utf8').includes('sourceMappingURL'))).toEqual([])
  })

  test('references no other host', () => {
    const files = globSync(['assets/*.{js,css}', 'index.html'], { cwd: DIST })
    const named = files.flatMap((file) => [
      ...new Set(
        [...readFileSync(DIST + file, 'utf8').matchAll(/(?:https?|wss?):\/\/[\w.-]+\.[a-z]{2,}/gi)].map(([url]) => url),
      ),
    ])
    expect([...new Set(named)].filter((url) => !NO_REQUESTS.has(url) && !EXAMPLE.test(url)).sort()).toEqual([])
  })
})

/** Example addresses in placeholders; the domain is reserved. */
const EXAMPLE = /^https:\/\/(?:[\w-]+\.)*example\.com$/
/** Other host names in the files, which receive no requests. */
const NO_REQUESTS: ReadonlySet<string> = new Set([
  // Namespaces of SVG, MathML and XLink.
  'http://www.w3.org',
  // Link in React's error messages.
  'https://react.dev',
  // License comment of the style sheet.
  'https://tailwindcss.com',
])
