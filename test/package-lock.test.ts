import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>
}
const installed = Object.entries(packages).filter(([location]) => location.includes('node_modules/'))

/** Finds a dependency as Node does: in the package's own folder, then in each folder above. */
function findLocked(location: string, name: string): LockedPackage | undefined {
  const parts = location.split('/')
  while (parts.length > 0) {
    const found = packages[`${parts.join('/')}/node_modules/${name}`]
    if (found) return found
    parts.pop()
  }
  return packages[`node_modules/${name}`]
}

describe('package-lock.json', () => {
  test('locks every dependency of every package, on every platform', () => {
    const missing = Object.entries(packages).flatMap(([location, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => findLocked(location, name) === undefined)
        .map((name) => `${location || 'parley'} needs ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('has a checksum for every download and names no registry', () => {
    const downloads = installed.filter(([, { link, inBundle }]) => !link && !inBundle)
    expect(downloads.length).toBeGreaterThan(500)
    expect(downloads.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
    expect(downloads.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  test.each([
    ['linux', 'x64', 'glibc'],
    ['linux', 'x64', 'musl'],
    ['linux', 'arm64', 'glibc'],
    ['linux', 'arm64', 'musl'],
    ['darwin', 'x64', undefined],
    ['darwin', 'arm64', undefined],
    ['win32', 'x64', undefined],
    ['win32', 'arm64', undefined],
  ])('has the native packages for %s %s %s', (os, cpu, libc) => {
    const native = installed
      .filter(
        ([, entry]) => entry.os?.includes(os) && entry.cpu?.includes(cpu) && entry.libc?.includes(libc ?? '') !== false,
      )
      .map(([location]) => location.replace(/^node_modules\//, ''))
    for (const family of [
      '@biomejs/cli-',
      '@oxc-parser/',
      '@rolldown/',
      '@tailwindcss/oxide-',
      '@typescript/',
      'lightningcss-',
    ]) {
      expect(native).toContainEqual(expect.stringContaining(family))
    }
  })
})
