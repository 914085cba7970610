import { spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { expectEventually } from '../testing/browser/eventually.ts'
import { cleanClone } from './clean-clone-test-kit.ts'

describe('npm start', () => {
  test('installs once and then prints nothing', async () => {
    const clone = cleanClone()
    const first = await clone.run('start.cjs', ['a', 'b c'])
    expect(first).toMatchObject({ code: 3, stdout: `main ${clone.folder} a b c\n` })
    expect(first.stderr).toMatch(/^Installing dependencies \(once\) … done in [\d.]+ s\n$/)
    expect(await clone.run('start.cjs')).toMatchObject({ code: 3, stdout: `main ${clone.folder}\n`, stderr: '' })
    expect(clone.npmCalls()).toEqual(['ci --omit=dev'])
  })

  test('updates in place when the lock file changes, even after a failure and while a server is running', async () => {
    const clone = cleanClone()
    await clone.run('start.cjs')
    clone.lockDependencies('1.0.1')
    expect((await clone.run('start.cjs', [], { NPM_FAILS: 'npm error code ENOSPC' })).code).toBe(1)
    await clone.run('start.cjs')
    await clone.run('start.cjs')
    expect(clone.npmCalls()).toEqual(['ci --omit=dev', 'install --omit=dev', 'install --omit=dev'])
  })

  test('installs once when several are started at once', async () => {
    const clone = cleanClone()
    const runs = await Promise.all([1, 2, 3, 4].map(() => clone.run('start.cjs')))
    expect(runs.map(({ code }) => code)).toEqual([3, 3, 3, 3])
    expect(clone.npmCalls()).toHaveLength(1)
  })

  test('recovers from a killed install', async () => {
    const clone = cleanClone()
    const dead = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => dead.once('exit', resolve))
    mkdirSync(join(clone.folder, '.node'))
    writeFileSync(join(clone.folder, '.node/install.lock'), `${dead.pid} ${hostname()}`)
    expect((await clone.run('start.cjs')).code).toBe(3)
    expect(existsSync(join(clone.folder, '.node/install.lock'))).toBe(false)
  })

  test.each([
    ['1.0.0', []],
    ['0.9.0', ['ci --omit=dev']],
  ])('with version %s already installed by hand, runs npm with %j', async (version, calls) => {
    const clone = cleanClone()
    mkdirSync(join(clone.folder, 'node_modules'))
    writeFileSync(
      join(clone.folder, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version } } }),
    )
    expect((await clone.run('start.cjs')).code).toBe(3)
    expect(clone.npmCalls()).toEqual(calls)
  })

  test.each([
    ['npm error code ENOTFOUND', /registry could not be reached/],
    ['npm error code ENOSPC', /disk is full/],
    ['npm error code E418', /exit code 1.*\n+npm error code E418/],
  ])('explains a failed install (%s) and tries again next time', async (says, sentence) => {
    const clone = cleanClone()
    const failed = await clone.run('start.cjs', [], { NPM_FAILS: says })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(sentence)
    expect(failed.stderr).not.toContain('scripts/bootstrap')
    expect((await clone.run('start.cjs')).code).toBe(3)
  })

  test.each([
    ['SIGTERM', '24.0.0', 7],
    ['SIGTERM', '20.1.0', 7],
    ['SIGINT', '20.1.0', 8],
  ] as const)('forwards %s (started by Node %s)', async (signal, version, code) => {
    const clone = cleanClone()
    const child = clone.spawnScript('start.cjs', ['wait'], {}, version)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill(signal)
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(code)
  })
})

describe('the runtime', () => {
  const platformPackage = `node-${process.platform}-${process.arch}@24.21.0`

  test('is downloaded once for an older Node', async () => {
    const clone = cleanClone()
    const first = await clone.run('start.cjs', ['x'], {}, '20.1.0')
    expect(first).toMatchObject({ code: 3, stdout: `main ${clone.folder} x\n` })
    expect(first.stderr).toContain('Downloading Node 24.21.0 from the npm registry')
    expect(existsSync(join(clone.folder, '.node', `v24.21.0-${process.platform}-${process.arch}`, 'include'))).toBe(
      false,
    )
    expect(await clone.run('start.cjs', [], {}, '20.1.0')).toMatchObject({ code: 3, stderr: '' })
    expect(clone.npmCalls()).toEqual([`install ${platformPackage}`, 'ci --omit=dev'])
  })

  test('comes from the generic package when the platform has none', async () => {
    const clone = cleanClone()
    const { code } = await clone.run('start.cjs', [], { NPM_LACKS: platformPackage }, '20.1.0')
    expect(code).toBe(3)
    expect(clone.npmCalls()).toEqual([`install ${platformPackage}`, 'install node@24.21.0', 'ci --omit=dev'])
  })

  test('is removed if it does not run on this machine', async () => {
    const clone = cleanClone()
    const { code, stderr } = await clone.run('start.cjs', [], { NPM_INSTALLS: 'v0' }, '20.1.0')
    expect(code).toBe(1)
    expect(stderr).toContain('does not run on this machine')
    expect((await clone.run('start.cjs', [], {}, '20.1.0')).code).toBe(3)
  })

  test('is not downloaded by an unsupported Node', async () => {
    const { code, stderr } = await cleanClone().run('start.cjs', [], {}, '18.20.0')
    expect(code).toBe(1)
    expect(stderr).toContain('Parley needs Node 20 or newer')
  })
})

describe('the dashboard', () => {
  /** Fake Vite that builds a page and assets and can fail or hang partway through. */
  const VITE = `
const fs = require('node:fs'), path = require('node:path')
const out = process.argv[process.argv.indexOf('--outDir') + 1]
fs.appendFileSync('vite.log', 'build\\n')
fs.mkdirSync(path.join(out, 'assets'), { recursive: true })
fs.writeFileSync(path.join(out, 'index.html'), 'page of ' + fs.readFileSync('src/main.tsx', 'utf8'))
if (process.env.VITE_FAILS) { console.error(process.env.VITE_FAILS); process.exit(1) }
fs.writeFileSync(path.join(out, 'assets', 'tiny.css'), 'a')
fs.writeFileSync(path.join(out, 'assets', 'font.woff2'), 'a font '.repeat(99))
fs.writeFileSync(path.join(out, 'assets', 'main.js'), fs.readFileSync('src/main.tsx', 'utf8').repeat(99))
const parent = process.ppid
if (process.env.VITE_HANGS) setInterval(() => process.ppid === parent || process.exit(), 50)
`
  const BUILT = /^Building the dashboard \(once\) … done in [\d.]+ s\n$/

  function cloneWithDashboard() {
    const clone = cleanClone()
    const folder = join(clone.folder, 'packages/dashboard')
    const files = {
      'packages/dashboard/index.html': '<!doctype html>',
      'packages/dashboard/src/main.tsx': 'one',
      'packages/dashboard/src/main.test.tsx': 'a test',
      'packages/contract/src/index.ts': 'a contract',
      'node_modules/vite/package.json': '{}',
      'node_modules/vite/bin/vite.js': VITE,
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(clone.folder, name)), { recursive: true })
      writeFileSync(join(clone.folder, name), content)
    }
    return {
      ...clone,
      /** Runs `start.cjs` and omits the line about installing dependencies from its output. */
      start: async (environment: Record<string, string> = {}) => {
        const { code, stderr } = await clone.run('start.cjs', [], environment)
        return { code, stderr: stderr.replace(/^Installing .*\n/m, '') }
      },
      builds: () => readFileSync(join(folder, 'vite.log'), 'utf8').split('\n').length - 1,
      built: (name: string) => readFileSync(join(folder, 'dist', name)),
      /** Returns unexpected files in the dashboard folder, such as those of an interrupted build. */
      leftovers: () => readdirSync(folder).filter((name) => !/^(dist|src|index\.html|vite\.log)$/.test(name)),
    }
  }

  test('is built at the first start, with compressed copies of files that get smaller', async () => {
    const clone = cloneWithDashboard()
    expect(await clone.start()).toMatchObject({ code: 3, stderr: expect.stringMatching(BUILT) })
    expect(clone.built('index.html').toString()).toBe('page of one')
    expect(brotliDecompressSync(clone.built('assets/main.js.br')).toString()).toBe('one'.repeat(99))
    expect(gunzipSync(clone.built('assets/main.js.gz')).toString()).toBe('one'.repeat(99))
    expect(readdirSync(join(clone.folder, 'packages/dashboard/dist/assets')).sort()).toEqual(
      ['font.woff2', 'main.js', 'main.js.br', 'main.js.gz', 'tiny.css'].sort(),
    )
    expect(clone.leftovers()).toEqual([])
  })

  test('is not rebuilt by later starts, which print and write nothing', async () => {
    const clone = cloneWithDashboard()
    await clone.start()
    const times = () =>
      readdirSync(clone.folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => !/^(npm\.log|old-node\.cjs)$/.test(name))
        .map((name) => [name, statSync(join(clone.folder, name)).mtimeMs])
    const before = times()
    expect(await clone.start()).toEqual({ code: 3, stderr: '' })
    expect(times()).toEqual(before)
    expect(clone.builds()).toBe(1)
  })

  test.each([
    ['a source', 'packages/dashboard/src/main.tsx', 2],
    ['the contract', 'packages/contract/src/index.ts', 2],
    ['a new source', 'packages/dashboard/src/new.tsx', 2],
    ['the locked packages', 'package-lock.json', 2],
    ['a test', 'packages/dashboard/src/main.test.tsx', 1],
    ['the server', 'packages/server/src/main.ts', 1],
  ])('after a change of %s (%s) was built %i times', async (_name, file, builds) => {
    const clone = cloneWithDashboard()
    await clone.start()
    appendFileSync(join(clone.folder, file), '\n')
    await clone.start()
    await clone.start()
    expect(clone.builds()).toBe(builds)
  })

  test('is rebuilt after a source was removed', async () => {
    const clone = cloneWithDashboard()
    await clone.start()
    rmSync(join(clone.folder, 'packages/contract/src/index.ts'))
    await clone.start()
    expect(clone.builds()).toBe(2)
  })

  test('is reused when only the modification times of its sources change, as in a copy', async () => {
    const clone = cloneWithDashboard()
    await clone.start()
    utimesSync(join(clone.folder, 'packages/dashboard/src/main.tsx'), 1, 1)
    expect(await clone.start()).toEqual({ code: 3, stderr: '' })
    expect(clone.builds()).toBe(1)
  })

  test('is built once when several are started at once', async () => {
    const clone = cloneWithDashboard()
    const runs = await Promise.all([1, 2, 3].map(() => clone.start()))
    expect(runs.map(({ code }) => code)).toEqual([3, 3, 3])
    expect(clone.builds()).toBe(1)
  })

  test('stops the start with the output of a failed build and keeps the last build', async () => {
    const clone = cloneWithDashboard()
    await clone.start()
    writeFileSync(join(clone.folder, 'packages/dashboard/src/main.tsx'), 'two')
    const failed = await clone.start({ VITE_FAILS: 'main.tsx:3 is not valid' })
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/could not be built \(vite build, exit code 1\)\.\n+main\.tsx:3 is not valid/)
    expect(failed.stderr).not.toContain('scripts/bootstrap')
    expect([clone.built('index.html').toString(), clone.leftovers()]).toEqual(['page of one', []])
    expect((await clone.start()).code).toBe(3)
    expect(clone.built('index.html').toString()).toBe('page of two')
  })

  test('reports a missing build tool', async () => {
    const clone = cloneWithDashboard()
    rmSync(join(clone.folder, 'node_modules/vite'), { recursive: true })
    expect(await clone.start()).toMatchObject({ code: 1, stderr: expect.stringContaining('vite is not installed') })
  })

  test.each([
    ['SIGTERM', 130],
    ['SIGKILL', null],
  ] as const)('keeps the last build when %s interrupts a build', async (signal, code) => {
    const clone = cloneWithDashboard()
    await clone.start()
    writeFileSync(join(clone.folder, 'packages/dashboard/src/main.tsx'), 'two')
    const child = clone.spawnScript('start.cjs', [], { VITE_HANGS: '1' })
    await expectEventually(() => clone.builds()).toBe(2)
    child.kill(signal)
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(code)
    expect(clone.built('index.html').toString()).toBe('page of one')
    expect((await clone.start()).code).toBe(3)
    expect([clone.built('index.html').toString(), clone.leftovers()]).toEqual(['page of two', []])
  })

  test('is built before tests and by `npm run build`', async () => {
    const clone = cloneWithDashboard()
    expect((await clone.run('build.cjs')).code).toBe(0)
    expect(clone.built('index.html').toString()).toBe('page of one')
    mkdirSync(join(clone.folder, 'node_modules/vitest'))
    const page = join(clone.folder, 'packages/dashboard/dist/index.html')
    writeFileSync(
      join(clone.folder, 'node_modules/vitest/vitest.mjs'),
      `import fs from 'node:fs'; console.log(fs.readFileSync(${JSON.stringify(page)}, 'utf8'))`,
    )
    writeFileSync(join(clone.folder, 'packages/dashboard/src/main.tsx'), 'two')
    expect(await clone.run('test.cjs')).toMatchObject({ code: 0, stdout: 'page of two\n' })
  })
})

describe('the server build', () => {
  /** Fake bundler that copies the program and can fail. */
  const ROLLDOWN = `
import fs from 'node:fs'
export const rolldown = async ({ input }) => ({
  async write({ dir }) {
    if (process.env.ROLLDOWN_FAILS) throw new Error(process.env.ROLLDOWN_FAILS)
    fs.writeFileSync(dir + '/main.js', fs.readFileSync(input.main, 'utf8'))
  },
})
`
  const BUILT = /^Building the server \(once\) … done in [\d.]+ s\n$/
  const program = (says: string) => `console.log('${says}', import.meta.url.split('/').slice(-2).join('/'))\n`

  async function cloneWithBundler() {
    const clone = cleanClone()
    const main = join(clone.folder, 'packages/server/src/main.ts')
    const files = {
      'packages/server/package.json': '{"type":"module"}',
      'node_modules/vite/package.json': '{}',
      'node_modules/rolldown/package.json': '{"main":"index.mjs"}',
      'node_modules/rolldown/index.mjs': ROLLDOWN,
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(clone.folder, name)), { recursive: true })
      writeFileSync(join(clone.folder, name), content)
    }
    writeFileSync(main, program('one'))
    const first = await clone.run('start.cjs')
    return { ...clone, main, first: { ...first, stderr: first.stderr.replace(/^Installing .*\n/m, '') } }
  }

  test('is created at the first start and again when the sources change', async () => {
    const clone = await cloneWithBundler()
    expect(clone.first).toMatchObject({ code: 0, stdout: 'one dist/main.js\n', stderr: expect.stringMatching(BUILT) })
    expect(await clone.run('start.cjs')).toMatchObject({ stdout: 'one dist/main.js\n', stderr: '' })
    writeFileSync(clone.main, program('two'))
    const second = await clone.run('start.cjs')
    expect(second).toMatchObject({ stdout: 'two dist/main.js\n', stderr: expect.stringMatching(BUILT) })
  })

  test('stops the start with the output of the bundler if it fails', async () => {
    const clone = await cloneWithBundler()
    writeFileSync(clone.main, program('two'))
    const failed = await clone.run('start.cjs', [], { ROLLDOWN_FAILS: 'main.ts is not valid' })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('The server could not be built (rolldown, exit code 1)')
    expect(failed.stderr).toContain('main.ts is not valid')
  })

  test('is optional, and without a bundler the sources run instead of an old build', async () => {
    const clone = await cloneWithBundler()
    rmSync(join(clone.folder, 'node_modules/rolldown'), { recursive: true })
    writeFileSync(clone.main, program('two'))
    expect(await clone.run('start.cjs')).toMatchObject({ code: 0, stdout: 'two src/main.ts\n', stderr: '' })
  })

  test('runs without the sources, as in a container image', async () => {
    const clone = await cloneWithBundler()
    rmSync(join(clone.folder, 'packages/server/src'), { recursive: true })
    expect(await clone.run('start.cjs')).toMatchObject({ code: 0, stdout: 'one dist/main.js\n', stderr: '' })
  })
})
