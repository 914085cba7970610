import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadBrowserModules } from './browser-modules.ts'

/** The modules of a folder with this one file. */
async function load(name: string, source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-modules-'))
  try {
    writeFileSync(join(folder, name), source)
    return await loadBrowserModules(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the hash stands for what browsers get, not for what it was made from', async () => {
  const one = await load('index.ts', 'export const one: number = 1\n')
  // Types leave blanks of their length: the same is served.
  const typeOnlyChange = await load('index.ts', 'export const one: bigint = 1\n')
  expect(typeOnlyChange.files).toEqual(one.files)
  expect(typeOnlyChange.hash).toBe(one.hash)
  const others = [
    await load('index.ts', 'export const one: number = 2\n'),
    await load('other.ts', 'export const one: number = 1\n'),
    await load('index.css', 'body {}\n'),
  ]
  expect(new Set([one, ...others].map(({ hash }) => hash)).size).toBe(4)
})
