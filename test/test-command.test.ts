import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleanClone } from './clean-clone-test-kit.ts'

describe('npm test', () => {
  const VITEST = `console.log([process.env.TIER, ...process.argv.slice(2)].join(' ')); process.exitCode = 4`

  function cloneWithVitest() {
    const clone = cleanClone()
    mkdirSync(join(clone.folder, 'node_modules/vitest'), { recursive: true })
    writeFileSync(join(clone.folder, 'node_modules/vitest/vitest.mjs'), VITEST)
    return clone
  }

  test('installs dev tools after a start, forwards arguments, and returns the exit code of the tests', async () => {
    const clone = cloneWithVitest()
    await clone.run('start.cjs')
    expect(await clone.run('test.cjs', ['-t', 'x y'], { TIER: '' })).toMatchObject({ code: 4, stdout: ' run -t x y\n' })
    await clone.run('start.cjs')
    expect(clone.npmCalls()).toEqual(['ci --omit=dev', 'install --include=dev'])
  })

  /** Creates a clone on a machine with all services. Its vitest reports one file that is named after the tier. */
  function cloneWithReports(statuses: Readonly<Record<string, string>>) {
    const clone = cloneWithVitest()
    const bin = join(clone.folder, 'bin')
    mkdirSync(bin)
    const says = {
      postgres: 'postgres (PostgreSQL) 15.4',
      initdb: '',
      'redis-server': 'Redis server v=7.0.15 sha=0',
      chromium: 'Chromium 150.0.1.2',
    }
    for (const [name, line] of Object.entries(says)) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho '${line}'\n`, { mode: 0o755 })
    }
    writeFileSync(
      join(clone.folder, 'node_modules/vitest/vitest.mjs'),
      `import fs from 'node:fs'
      const { TIER, TEST_REPORT } = process.env
      const status = ${JSON.stringify(statuses)}[TIER]
      const result = { status, ancestorTitles: ['', 'stores'], title: 'a' }
      const name = ${JSON.stringify(clone.folder)} + '/test/' + TIER + '.test.ts'
      fs.writeFileSync(TEST_REPORT, JSON.stringify({ testResults: [{ name, status: 'passed', assertionResults: [result] }] }))
      console.log([TIER, ...process.argv.slice(2)].join(' '))
      process.exitCode = status === 'broken' ? 3 : 0`,
    )
    const report = join(clone.folder, 'report.json')
    const runFull = (args: readonly string[], environment: Record<string, string> = {}) => {
      return clone.run('test-full.cjs', args, { PATH: bin, CI: '', TEST_REPORT: report, ...environment })
    }
    const count = async (exitCode: number | null) => {
      const { stdout } = await clone.run('summarize-tests.cjs', ['test:full', report, String(exitCode)])
      return stdout.trimEnd().split('\n').at(-1)
    }
    return { runFull, count }
  }

  test('counts the two parts of the full tier together', async () => {
    const { runFull, count } = cloneWithReports({ full: 'passed', postgres: 'passed' })
    const { code, stdout } = await runFull([])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'full run\npostgres run\n' })
    expect(await count(code)).toBe('2 passed, 0 failed')
  })

  test('a part can run alone with its own arguments', async () => {
    const { runFull, count } = cloneWithReports({ full: 'passed', postgres: 'passed' })
    const { code, stdout } = await runFull(['--only', 'postgres', 'llms', '-t', 'x y'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'postgres run llms -t x y\n' })
    expect(await count(code)).toBe('1 passed, 0 failed')
    const unknown = await runFull(['--only', 'mysql'])
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Available: full, postgres, acceptance, postgres-all.'),
    })
  })

  test('a failed part does not stop the other one, and fails the whole run', async () => {
    const { runFull, count } = cloneWithReports({ full: 'broken', postgres: 'passed' })
    const { code, stdout } = await runFull([])
    expect(stdout).toContain('postgres run')
    expect(code).toBe(3)
    expect(await count(code)).toBe('1 passed, 1 failed')
  })

  test('lists skipped tests of the full tier, and fails where skips are not allowed', async () => {
    const { runFull } = cloneWithReports({ full: 'skipped', postgres: 'passed' })
    const { code, stdout } = await runFull([])
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nskipped: test\/full.test.ts > stores \(1 test\)\n$/)
    const mustBeComplete = existsSync('/etc/debian_version') && process.getuid?.() === 0
    expect((await runFull([], { CI: 'true' })).code).toBe(mustBeComplete ? 1 : 0)
  })

  test('tests that are skipped on PostgreSQL are listed and do not fail the run', async () => {
    const { runFull } = cloneWithReports({ full: 'passed', postgres: 'skipped' })
    const { code, stdout } = await runFull([], { CI: 'true' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nskipped on PostgreSQL: test\/postgres.test.ts > stores \(1 test\)\n$/)
  })
})

describe('the summary line', () => {
  const suite = (status: string, ...results: string[]) => ({
    name: '/x/a.test.ts',
    status,
    assertionResults: results.map((each) => ({ status: each, ancestorTitles: [], title: 'a' })),
  })

  test.each([
    [
      'counts both',
      '0',
      [suite('passed', 'passed', 'skipped'), suite('failed', 'passed', 'failed')],
      '2 passed, 1 failed',
    ],
    ['counts a file that could not be loaded', '1', [suite('failed')], '0 passed, 1 failed'],
    ['counts a run that failed otherwise', '1', [suite('passed', 'passed')], '1 passed, 1 failed'],
    ['counts a report that is missing', '0', null, '0 passed, 1 failed'],
    ['counts a clean run', '0', [suite('passed', 'passed')], '1 passed, 0 failed'],
  ])('%s', async (_name, exitCode, testResults, line) => {
    const clone = cleanClone()
    const file = join(clone.folder, 'report.json')
    if (testResults) writeFileSync(file, JSON.stringify({ testResults }))
    const { code, stdout } = await clone.run('summarize-tests.cjs', ['test', file, exitCode])
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(line)
    expect(code).toBe(line.endsWith(' 0 failed') ? 0 : 1)
  })
})
