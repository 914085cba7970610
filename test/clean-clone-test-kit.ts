import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** Fake npm that logs its arguments, creates the expected files and can fail. */
const NPM = `
const fs = require('node:fs'), path = require('node:path')
const args = process.argv.slice(2), folder = args[args.indexOf('--prefix') + 1]
fs.appendFileSync(process.env.NPM_LOG, args.filter((a) => /^(ci|install|node|--omit|--include)/.test(a)).join(' ') + '\\n')
if (process.env.NPM_FAILS) { console.error(process.env.NPM_FAILS); process.exit(1) }
const runtime = args.find((a) => a.startsWith('node'))
const at = path.join(folder, 'node_modules')
if (runtime && !runtime.includes(process.env.NPM_LACKS)) {
  const file = path.join(at, runtime.split('@')[0], 'bin', 'node')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.mkdirSync(path.join(at, runtime.split('@')[0], 'include'))
  const version = process.env.NPM_INSTALLS || 'v' + runtime.split('@')[1]
  fs.writeFileSync(file, '#!/bin/sh\\nif [ "$1" = --version ]; then echo ' + version + '; else exec "' + process.execPath + '" "$@"; fi\\n')
  fs.chmodSync(file, 0o755)
} else if (!runtime) fs.mkdirSync(at, { recursive: true })
else process.exit(1)
`

/** Fake server that prints its arguments and then exits or waits for a signal. */
const MAIN = `
const list: string[] = process.argv.slice(2)
if (list[0] === 'wait') {
  process.on('SIGTERM', () => process.exit(7))
  process.on('SIGINT', () => process.exit(8))
  setInterval(() => undefined, 1000)
} else process.exitCode = 3
console.log(['main', process.cwd(), ...list].join(' '))
`

const scripts = fileURLToPath(new URL('../scripts', import.meta.url))

/** Creates a checkout of the scripts with a fake npm and server. Removes it after the test. */
export function cleanClone() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bootstrap-'))
  const children: ChildProcess[] = []
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const main = join(folder, 'packages/server/src/main.ts')
  const log = join(folder, 'npm.log')
  cpSync(scripts, join(folder, 'scripts'), { recursive: true })
  mkdirSync(dirname(main), { recursive: true })
  writeFileSync(main, MAIN)
  writeFileSync(join(folder, 'npm-cli.js'), NPM)
  writeFileSync(log, '')
  lockDependencies('1.0.0')

  function lockDependencies(version: string): void {
    const packages = { '': {}, 'node_modules/a': { version }, 'node_modules/tool': { version, dev: true } }
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
  }

  /** Runs a script in a child process. `as` is the Node version that it sees. */
  function spawnScript(name: string, args: readonly string[], environment: Record<string, string> = {}, as?: string) {
    const old = join(folder, 'old-node.cjs')
    writeFileSync(old, `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${as}' } })`)
    const flags = as === undefined ? [] : ['--require', old]
    const child = spawn(process.execPath, [...flags, join(folder, 'scripts', name), ...args], {
      cwd: tmpdir(),
      env: { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), NPM_LOG: log, NPM_LACKS: '#', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    return child
  }

  async function run(
    name: string,
    args: readonly string[] = [],
    environment: Record<string, string> = {},
    as?: string,
  ) {
    const child = spawnScript(name, args, environment, as)
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await code, stdout, stderr }
  }

  return {
    folder,
    lockDependencies,
    run,
    spawnScript,
    npmCalls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
  }
}
