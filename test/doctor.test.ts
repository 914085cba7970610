import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleanClone } from './clean-clone-test-kit.ts'

const VERSIONS = {
  git: 'git version 2.39.5',
  postgres: 'postgres (PostgreSQL) 15.4',
  initdb: '',
  'redis-server': 'Redis server v=7.0.15 sha=0',
  chromium: 'Chromium 140.0.7339.16',
}

/** Returns a function that runs the doctor with only the given programs in PATH. */
function machineWith(programs: Readonly<Record<string, string>>) {
  const clone = cleanClone()
  const files = { 'npm/bin/npm-cli.js': '', 'npm/package.json': '{"version":"11.0.0"}' }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(clone.folder, name)), { recursive: true })
    writeFileSync(join(clone.folder, name), content)
  }
  const bin = join(clone.folder, 'bin')
  mkdirSync(bin)
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho '${line}'\n`, { mode: 0o755 })
  }
  const npm = join(clone.folder, 'npm/bin/npm-cli.js')
  return async (environment: Record<string, string> = {}, as?: string) => {
    const settings = { PATH: bin, npm_execpath: npm, PORT: '0', HOST: '', DATA_DIR: '', ...environment }
    const { code, stdout, stderr } = await clone.run('doctor.cjs', [], settings, as)
    return { code, stderr, stdout, missing: stdout.split('\n').filter((line) => line.startsWith('  missing')) }
  }
}

describe('npm run doctor', () => {
  test('lists its findings by purpose', async () => {
    const { code, stderr, stdout } = await machineWith(VERSIONS)()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.match(/^For .*$/gm)).toEqual(['For npm start', 'For tests', 'For benchmarks'])
    for (const found of [
      `Node ${process.versions.node}`,
      'npm 11.0.0',
      ': 15.4 (',
      ': 7.0.15 (',
      ': 140.0.7339.16 (',
    ]) {
      expect(stdout).toContain(found)
    }
  })

  test('lists missing test dependencies with a fix and does not fail', async () => {
    const { git: _git, chromium: _chromium, ...others } = VERSIONS
    const { code, missing } = await machineWith(others)()
    expect(code).toBe(0)
    expect(missing).toContainEqual(
      expect.stringMatching(/Chromium 120 or newer was not found: .*(apt-get|brew) install/),
    )
    expect(missing).toContainEqual(expect.stringMatching(/git was not found: .*install git/))
  })

  test.each([
    ['an old Node', {}, '18.20.0', /Node 18\.20\.0 is too old: install Node 24/],
    [
      'a data folder that cannot be made',
      { DATA_DIR: '/dev/null/data' },
      undefined,
      /DATA_DIR \/dev\/null\/data is not writable: /,
    ],
    ['an address of another machine', { HOST: '203.0.113.1' }, undefined, /port 0 on 203\.0\.113\.1 is not available/],
  ] as const)('fails for %s', async (_name, environment, version, line) => {
    const { code, missing } = await machineWith(VERSIONS)(environment, version)
    expect(code).toBe(1)
    expect(missing).toContainEqual(expect.stringMatching(line))
  })

  test('fails if the port is in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { code, missing } = await machineWith(VERSIONS)({ PORT: String(port) })
    server.close()
    expect(code).toBe(1)
    expect(missing).toContainEqual(expect.stringContaining(`port ${port} on 127.0.0.1 is in use: stop the program`))
  })

  test('accepts an older Node that downloads its runtime', async () => {
    const { code, stdout } = await machineWith(VERSIONS)({}, '20.1.0')
    expect(code).toBe(0)
    expect(stdout).toContain('Node 20.1.0; npm start downloads Node 24 into .node/')
  })
})
