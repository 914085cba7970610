import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = ['node_modules', '.git', '.node', 'data', 'dist']
const registryReachable = spawnSync('npm', ['ping', '--fetch-retries=0'], { timeout: 15_000 }).status === 0

/** Returns the first Node.js in PATH that must download a newer runtime, or else the current one. */
function oldestNode(): string {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return found.find((file) => existsSync(file) && /^v2[0-3]\./.test(versionOf(file))) ?? process.execPath
}

function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout ?? ''
}

/** Waits until the output of a child matches. Rejects if the child exits first. */
function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk
      const match = pattern.exec(output)
      if (match) resolve(match)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)))
  })
}

describe.skipIf(!registryReachable)('a clean clone, with the real npm registry', () => {
  const folders: string[] = []
  const children: ChildProcess[] = []

  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  test('starts, serves and stops', async () => {
    const node = oldestNode()
    const folder = mkdtempSync(join(tmpdir(), 'parley-clone-'))
    folders.push(folder)
    cpSync(root, folder, {
      recursive: true,
      filter: (source) =>
        !source
          .slice(root.length)
          .split(sep)
          .some((part) => LEFT_OUT.includes(part)),
    })
    const child = spawn(node, ['scripts/start.cjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    const [, address = ''] = await waitForOutput(child, /ready at (http:\S+)/)
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    const page = await (await fetch(address)).text()
    const script = /<script type="module"[^>]* src="([^"]+)"/.exec(page)?.[1] ?? ''
    const loaded = await fetch(`${address}${script}`, { headers: { 'accept-encoding': 'br' } })
    expect([script, loaded.status, loaded.headers.get('content-encoding')]).toEqual([script, 200, 'br'])
    await loaded.arrayBuffer()
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const downloaded = /^v2[0-3]\./.test(versionOf(node)) ? [expect.stringMatching(/^v24\./)] : []
    expect(readdirSync(join(folder, '.node'))).toEqual(downloaded)
    const developmentOnly = ['lighthouse', '@redocly', 'autocannon', 'docx', 'write-excel-file', 'pdfkit', 'vitest']
    expect(developmentOnly.filter((name) => existsSync(join(folder, 'node_modules', name)))).toEqual([])
  })
})
