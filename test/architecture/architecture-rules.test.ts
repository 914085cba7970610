import { describe, expect, test } from 'vitest'
import { importCycles } from './cycles.ts'
import { defaultExports, lengthProblems, nameProblems } from './file-shape.ts'
import { importsOf } from './imports.ts'
import { violationOf } from './layers.ts'
import { misplacedUses } from './location-rules.ts'
import { maskSource } from './source-text.ts'

const engineFile = 'packages/engine/src/dialogue/respond.ts'
const screenFile = 'packages/dashboard/src/features/agents/agent-screen.tsx'
const featureFile = 'packages/server/src/features/chats/chat-service.ts'

describe('maskSource', () => {
  test.each([
    ['a // b\nc', 'a     \nc'],
    ['a /* b\n */ c', 'a     \n    c'],
    ["x('// no')", "x('     ')"],
    ["'it\\'s' + y", "'     ' + y"],
    ['`a ${b + `c ${d}`} e` + f', '`  ${b + `  ${d}`}  ` + f'],
    ['`${ {a: 1}.a }z` + f', '`${ {a: 1}.a } ` + f'],
    ["x.split(/['\"]\\/[/]/g) + 'y'", "x.split(            ) + ' '"],
    ['a / b / c // d', 'a / b / c     '],
  ])('leaves of %j what runs', (source, code) => {
    expect(maskSource(source, { strings: true })).toBe(code)
  })

  test('keeps literals on request', () => {
    expect(maskSource("a('b') // c", { strings: false })).toBe("a('b')     ")
  })
})

describe('importsOf', () => {
  test.each([
    ["import { z } from 'zod'", 'zod', false],
    ["import {\n  a,\n  b,\n} from './ports.ts'", 'packages/engine/src/dialogue/ports.ts', false],
    ["import type { A } from '../ports.ts'", 'packages/engine/src/ports.ts', true],
    ["import { type A, type B } from '../ports.ts'", 'packages/engine/src/ports.ts', true],
    ["import { type A, b } from '../ports.ts'", 'packages/engine/src/ports.ts', false],
    ["import './side-effect.ts'", 'packages/engine/src/dialogue/side-effect.ts', false],
    ["export * from '@parley/contract'", 'packages/contract/src/index.ts', false],
    ["export { a } from '@parley/contract/agent'", 'packages/contract/src/agent.ts', false],
    ["import { s } from '@parley/engine/testing'", 'packages/engine/src/testing/index.ts', false],
    ["const fs = await import('node:fs')", 'node:fs', false],
    ["new Worker(new URL('./worker.ts', import.meta.url))", 'packages/engine/src/dialogue/worker.ts', false],
    ["a(); import b from 'b'", 'b', false],
  ])('finds %j', (source, to, typeOnly) => {
    expect(importsOf(engineFile, source)).toEqual([{ from: engineFile, to, typeOnly }])
  })

  test.each(["// import a from 'b'", "/* import('b') */", 'const sentence = `say from`', "export const from = 'b'"])(
    'finds nothing in %j',
    (source) => {
      expect(importsOf(engineFile, source)).toEqual([])
    },
  )
})

describe('importCycles', () => {
  const file = (name: string, source: string) => ({ path: `packages/engine/src/${name}.ts`, source })
  const pathsOf = (...names: string[]) => names.map((name) => `packages/engine/src/${name}.ts`)

  test('finds groups by types and values alike, and nothing where imports end', () => {
    const files = [
      file('a', "import { b } from './b.ts'"),
      file('b', "import type { C } from './c.ts'"),
      file('c', "export { a } from '@parley/engine/a'\nimport { d } from './d.ts'"),
      file('d', "const { e } = await import('./e.ts')"),
      file('e', "import { d } from './d.ts'"),
      file('f', "import { a } from './a.ts'"),
    ]
    expect(importCycles(files)).toEqual([pathsOf('a', 'b', 'c'), pathsOf('d', 'e')])
  })
})

describe('violationOf', () => {
  test.each([
    ['packages/contract/src/agent.ts', '@parley/engine/ports', 'zod and itself'],
    ['packages/contract/src/agent.ts', 'node:crypto', 'zod and itself'],
    [engineFile, 'node:fs', 'no node:'],
    [engineFile, '../../../server/src/kernel/errors.ts', 'no node:'],
    [engineFile, '../testing/index.ts', 'stays in tests'],
    ['packages/engine/src/dialogue/respond.test.ts', '../../../server/src/kernel/errors.ts', 'no node:'],
    ['packages/server/src/kernel/errors.ts', '../http/problems.ts', 'the kernel knows'],
    ['packages/server/src/kernel/errors.ts', '../config.ts', 'the kernel knows'],
    [featureFile, '../agents/agent-store.ts', 'through its public.ts'],
    ['packages/server/src/http/api.ts', '../features/agents/agent-store.ts', 'through its public.ts'],
    ['packages/server/src/tables/chat-tables.ts', '../kernel/errors.ts', 'tables know'],
    [featureFile, '../../http/problems.ts', 'not the edges'],
    [featureFile, '../../http/api.ts', 'not the edges'],
    [featureFile, '../../platform/system.ts', 'not the edges'],
    [featureFile, '../../config.ts', 'not the edges'],
    [featureFile, '../../app.ts', 'composition root'],
    [featureFile, '../../../../../testing/temporary-database.ts', 'stays in tests'],
    [featureFile, 'vitest', 'stays in tests'],
    ['packages/server/src/http/server.ts', '../platform/system.ts', 'not its neighbours'],
    ['packages/server/src/http/server.ts', '../app.ts', 'composition root'],
    [featureFile, '../../composition/foundation.ts', 'import the composition'],
    [screenFile, '../llms/llm-screen.tsx', 'in parts/'],
    [screenFile, '../../app/router.tsx', 'goes inward'],
    ['packages/dashboard/src/lib/format.ts', '../components/page.tsx', 'goes inward'],
    [screenFile, 'node:fs', 'no node:'],
    [screenFile, '@parley/engine/ports', 'the light tables'],
  ])('%s must not import %s', (from, specifier, reason) => {
    for (const statement of [`import { a } from '${specifier}'`, `import type { A } from '${specifier}'`]) {
      const [one] = importsOf(from, statement)
      expect(one && violationOf(one)).toContain(reason)
    }
  })

  test.each([
    ['packages/contract/src/agent.ts', './fields.ts'],
    ['packages/contract/src/agent.test.ts', 'fast-check'],
    [engineFile, '@parley/contract/agent'],
    [engineFile, 'ajv/dist/2020.js'],
    ['packages/engine/src/dialogue/respond.test.ts', '../testing/index.ts'],
    ['packages/server/src/kernel/errors.ts', '@parley/contract/errors'],
    ['packages/server/src/kernel/security/signature.ts', 'node:crypto'],
    [featureFile, './chat-store.ts'],
    [featureFile, '../../kernel/storage/database.ts'],
    [featureFile, '../../tables/chat-tables.ts'],
    [featureFile, '../agents/public.ts'],
    ['packages/server/src/http/api.ts', '../features/agents/public.ts'],
    [featureFile, '@parley/engine/dialogue/respond'],
    ['packages/server/src/features/chats/chat-service.test.ts', '../../platform/system.ts'],
    ['packages/server/src/platform/database/writer.ts', '../system.ts'],
    ['packages/server/src/main.ts', './app.ts'],
    [screenFile, './agent-tabs.tsx'],
    [screenFile, '../../parts/llm/prompt-settings.tsx'],
    [screenFile, '@parley/contract/access'],
    [screenFile, 'react'],
    ['packages/dashboard/src/app/route-tree.ts', '../features/agents/routes.ts'],
    ['test/e2e/start.test.ts', '../../packages/server/src/app.ts'],
  ])('%s may import %s', (from, specifier) => {
    expect(importsOf(from, `import { a } from '${specifier}'`).map((one) => violationOf(one))).toEqual([null])
  })

  test('a page takes schemas of the contract as types only', () => {
    const reasonFor = (statement: string) => importsOf(screenFile, statement).map((one) => violationOf(one))
    expect(reasonFor("import type { Agent } from '@parley/contract/agent'")).toEqual([null])
    expect(reasonFor("import { Agent } from '@parley/contract/agent'")).toEqual([
      expect.stringContaining('takes types'),
    ])
  })

  test('an exception excuses what it names and nothing else', () => {
    const exceptions = [
      { from: featureFile, to: 'packages/server/src/features/agents/agent-resolver.ts', reason: 'for the test' },
    ]
    const excused = importsOf(featureFile, "import { a } from '../agents/agent-resolver.ts'")
    const other = importsOf(featureFile, "import { a } from '../agents/agent-store.ts'")
    expect(excused.map((one) => violationOf(one, exceptions))).toEqual([null])
    expect(other.map((one) => violationOf(one, exceptions))).not.toEqual([null])
  })
})

describe('misplacedUses', () => {
  test.each([
    'process.env',
    'Date.now()',
    'new Date()',
    'performance.now()',
    'setTimeout(run, 5)',
    'globalThis.setInterval(run, 5)',
    'setImmediate(run)',
    'Math.random()',
    'randomUUID()',
    'randomBytes(16)',
    'crypto.randomUUID()',
    '`${Date.now()}`',
  ])('finds %s', (expression) => {
    expect(misplacedUses(featureFile, `const a = 1\nconst b = ${expression}\n`)).toEqual([
      expect.stringContaining(`${featureFile}:2: `),
    ])
  })

  test.each([
    '// process.env',
    "const hint = 'set process.env.PORT'",
    'const day = new Date(atMs)',
    'const size = dependencies.randomBytes(4)',
    'interface Needs { readonly randomBytes: (size: number) => Uint8Array }',
    'const isoDate = toIso(clock.now())',
  ])('accepts %s', (source) => {
    expect(misplacedUses(featureFile, source)).toEqual([])
  })

  test('lets each thing stand in its own place only', () => {
    const system = 'packages/server/src/platform/system.ts'
    expect(misplacedUses(system, 'setTimeout(run, Date.now() + Math.random())')).toEqual([])
    expect(misplacedUses(system, 'process.env')).toHaveLength(1)
    expect(misplacedUses('packages/server/src/config.ts', 'process.env')).toEqual([])
    expect(misplacedUses('packages/server/src/config.ts', 'Date.now()')).toHaveLength(1)
  })
})

describe('the shape of files', () => {
  test.each([
    [engineFile, 400, 0],
    [engineFile, 401, 1],
    ['packages/engine/src/dialogue/respond.test.ts', 600, 0],
    ['packages/engine/src/dialogue/respond.test.ts', 601, 1],
  ])('%s with %i lines has %i problems', (path, lines, problems) => {
    expect(lengthProblems(path, 'x\n'.repeat(lines))).toHaveLength(problems)
  })

  test.each([
    'packages/engine/src/utils/pad.ts',
    'packages/engine/src/dialogue/helpers.ts',
    'packages/engine/src/types.ts',
    'packages/engine/src/string-utils.ts',
    'packages/server/src/shared/a.ts',
    'packages/server/src/kernel/versionStore.ts',
    'packages/server/src/kernel/Errors.ts',
    'packages/server/src/kernel/app_error.ts',
  ])('the name %s is refused', (path) => {
    expect(nameProblems(path)).toHaveLength(1)
  })

  test.each([
    'packages/server/src/platform/database/migrations/0001-initial.ts',
    'packages/server/src/kernel/errors.test.ts',
    'packages/dashboard/src/app.tsx',
    'packages/contract/src/event-types.ts',
  ])('the name %s is accepted', (path) => {
    expect(nameProblems(path)).toEqual([])
  })

  test('default exports are found in every form', () => {
    const source = "export default run\nexport { run as default }\n// export default\nconst a = 'export default'\n"
    expect(defaultExports(engineFile, source)).toEqual([
      `${engineFile}:1: no default exports`,
      `${engineFile}:2: no default exports`,
    ])
  })
})
