import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importCycles } from './architecture/cycles.ts'
import { defaultExports, lengthProblems, MAX_LINES, nameProblems } from './architecture/file-shape.ts'
import { importsOf } from './architecture/imports.ts'
import { type Exception, isTestCode, violationOf } from './architecture/layers.ts'
import { misplacedUses } from './architecture/location-rules.ts'

/** Accepted violations of the rules in layers.ts. Unused exceptions fail the test. */
const EXCEPTIONS: readonly Exception[] = [
  {
    from: 'packages/server/src/integrations/',
    to: 'packages/server/src/platform/outbound/',
    reason: 'every request to a target that a customer names goes through the one guard against private addresses',
  },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const paths = globSync(
  ['packages/*/src/**/*.{ts,tsx}', 'testing/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
  {
    cwd: root,
  },
)
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
const files = paths.map((path) => ({ path, source: readFileSync(`${root}${path}`, 'utf8') }))
const inPackages = files.filter(({ path }) => path.startsWith('packages/'))
const imports = files.flatMap(({ path, source }) => importsOf(path, source))

describe('the source tree', () => {
  test('has files', () => {
    expect(inPackages.length).toBeGreaterThan(10)
    expect(imports.length).toBeGreaterThan(inPackages.length)
  })

  test('has only imports that point inward', () => {
    expect(imports.flatMap((one) => violationOf(one, EXCEPTIONS) ?? [])).toEqual([])
  })

  test('has no unused exceptions', () => {
    const unused = EXCEPTIONS.filter((exception) => {
      return !imports.some((one) => violationOf(one) !== null && violationOf(one, [exception]) === null)
    })
    expect(unused).toEqual([])
  })

  test('has no import cycles, including type imports', () => {
    const productive = inPackages.filter(({ path }) => !isTestCode(path))
    expect(importCycles(productive)).toEqual([])
  })

  test('uses time, randomness and the environment only in allowed places', () => {
    const productive = files.filter(({ path }) => !path.endsWith('.test.ts'))
    expect(productive.flatMap(({ path, source }) => misplacedUses(path, source))).toEqual([])
  })

  test(`has no file longer than ${MAX_LINES} lines`, () => {
    expect(files.flatMap(({ path, source }) => lengthProblems(path, source))).toEqual([])
  })

  test('has descriptive names in kebab case', () => {
    expect(paths.flatMap(nameProblems)).toEqual([])
  })

  test('builds the server and the dashboard again when a package that they import changes', () => {
    const { BUILDS } = createRequire(import.meta.url)('../scripts/bootstrap/build-sources.cjs') as {
      readonly BUILDS: Readonly<Record<string, { readonly sources: readonly string[] }>>
    }
    for (const { sources } of Object.values(BUILDS)) {
      const packages = imports
        .filter(({ from }) => sources.some((source) => from.startsWith(`${source}/`)) && !isTestCode(from))
        .flatMap(({ to, typeOnly }) => (typeOnly ? [] : (/^packages\/[^/]+\/src(?=\/.)/.exec(to) ?? [])))
      expect(sources).toEqual(expect.arrayContaining([...new Set(packages)]))
    }
  })

  test('has no default exports in packages', () => {
    expect(inPackages.flatMap(({ path, source }) => defaultExports(path, source))).toEqual([])
  })
})
