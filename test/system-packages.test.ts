import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const scripts = fileURLToPath(new URL('../scripts', import.meta.url))
const POSTGRES = 'postgres (PostgreSQL) 15.4 (Debian 15.4-1)'
const REDIS = 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc'
const CHROMIUM = 'Chromium 140.0.7339.16 built on Debian GNU/Linux 12 (bookworm)'
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Creates a machine with its own PATH. `services` maps programs to their version output. */
function machineWith(services: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-machine-'))
  folders.push(folder)
  const bin = join(folder, 'bin')
  const log = join(folder, 'log')
  const policyFile = join(folder, 'policy')
  mkdirSync(bin)
  const add = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  for (const [name, version] of Object.entries(services)) add(name, `echo '${version}'`)
  writeFileSync(log, '')

  function evaluate(module: string, expression: string): unknown {
    const program = `
      const module_ = require(${JSON.stringify(join(scripts, module))})
      Promise.resolve(${expression}).then((value) => console.log(JSON.stringify(value)))`
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
      env: { PATH: bin },
      encoding: 'utf8',
      timeout: 15_000,
    })
    return { value: JSON.parse(stdout || 'null'), said: stderr }
  }

  return {
    add,
    bin,
    log,
    policyFile,
    find: (name: 'findPostgres' | 'findRedis' | 'findChromium') =>
      evaluate('service-programs.cjs', `module_.${name}()`),
    install: (shouldInstall: boolean) =>
      evaluate('system-packages.cjs', `module_.installMissing(${JSON.stringify({ shouldInstall, policyFile })})`),
    aptCalls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
  }
}

const COMPLETE = { postgres: POSTGRES, initdb: '', 'redis-server': REDIS, chromium: CHROMIUM }

describe('service detection', () => {
  test('finds services in PATH with their versions', () => {
    const machine = machineWith(COMPLETE)
    expect(machine.find('findPostgres')).toMatchObject({ value: { folder: machine.bin, version: '15.4' } })
    expect(machine.find('findRedis')).toMatchObject({
      value: { file: join(machine.bin, 'redis-server'), version: '7.0.15' },
    })
    expect(machine.find('findChromium')).toMatchObject({
      value: { file: join(machine.bin, 'chromium'), version: '140.0.7339.16' },
    })
  })

  test.each(['Redis server v=5.0.14 sha=0', 'something else', ''])('ignores a Redis that prints %j', (version) => {
    expect(machineWith({ ...COMPLETE, 'redis-server': version }).find('findRedis')).toMatchObject({ value: null })
  })

  test.each(['Chromium 119.0.6045.199', 'something else', ''])('ignores a browser that prints %j', (version) => {
    expect(machineWith({ ...COMPLETE, chromium: version }).find('findChromium')).toMatchObject({ value: null })
  })

  test('ignores an outdated PostgreSQL', () => {
    const machine = machineWith({ ...COMPLETE, postgres: 'postgres (PostgreSQL) 14.9' })
    expect(machine.find('findPostgres')).not.toMatchObject({ value: { folder: machine.bin } })
  })
})

describe('missing services', () => {
  const redis = { program: 'Redis 6 or newer', debianPackage: 'redis-server' }
  const { 'redis-server': _none, ...withoutRedis } = COMPLETE
  const install = 'install -y -qq --no-install-recommends redis-server'

  test('installs nothing on a complete machine', () => {
    const machine = machineWith(COMPLETE)
    expect(machine.install(true)).toEqual({ value: [], said: '' })
  })

  test('lists missing services without installing them', () => {
    const machine = machineWith(withoutRedis)
    machine.add('apt-get', `echo called >> ${machine.log}`)
    expect(machine.install(false)).toEqual({ value: [redis], said: '' })
    expect(machine.aptCalls()).toEqual([])
  })

  test('installs without prompts and without starting the service', () => {
    const machine = machineWith(withoutRedis)
    machine.add(
      'apt-get',
      `shift 2
      echo "$@" >> ${machine.log}
      [ "$DEBIAN_FRONTEND" = noninteractive ] || exit 1
      ${machine.policyFile}; [ $? = 101 ] || exit 1
      echo '#!/bin/sh' > ${machine.bin}/redis-server
      echo 'echo "${REDIS}"' >> ${machine.bin}/redis-server
      /bin/chmod +x ${machine.bin}/redis-server`,
    )
    expect(machine.install(true)).toEqual({
      value: [],
      said: expect.stringMatching(/^Installing redis-server … done in [\d.]+ s\n$/),
    })
    expect(machine.aptCalls()).toEqual([install])
    expect(existsSync(machine.policyFile)).toBe(false)
  })

  test('retries with updated package lists, and lists unavailable services', () => {
    const machine = machineWith(withoutRedis)
    machine.add(
      'apt-get',
      `shift 2; echo "$@" >> ${machine.log}; [ "$1" = update ] || { echo no such package >&2; exit 100; }`,
    )
    writeFileSync(machine.policyFile, 'set by somebody')
    expect(machine.install(true)).toEqual({
      value: [redis],
      said: expect.stringMatching(/^Installing redis-server … failed after [\d.]+ s\nno such package\n$/),
    })
    expect(machine.aptCalls()).toEqual([install, 'update -qq', install])
    expect(readFileSync(machine.policyFile, 'utf8')).toBe('set by somebody')
  })

  test('lists missing services without apt-get', () => {
    expect(machineWith(withoutRedis).install(true)).toMatchObject({ value: [redis] })
  })
})
