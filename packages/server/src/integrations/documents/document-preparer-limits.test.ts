import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeRawDocx } from '../../../../../testing/documents/office-documents.ts'
import { openPreparer } from './document-test-kit.ts'

const MEBIBYTE = 1024 * 1024

/** A server of its own, so that the garbage of other tests is not collected meanwhile. Tells what came of it and the longest that its thread was busy. */
const BUSY_SERVER = `
  const { createDocumentPreparer } = await import(${JSON.stringify(import.meta.resolve('./document-preparer.ts'))})
  const { makeLongText } = await import(${JSON.stringify(import.meta.resolve('../../../../../testing/documents/text-documents.ts'))})
  const clock = { now: Date.now, after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer) } }
  const preparer = createDocumentPreparer({ clock, threads: 1 })
  const prepare = (text) => preparer.prepare(
    { bytes: new TextEncoder().encode(text), filename: '', contentType: null, url: null, title: '' },
    { workspaceId: 1, sizes: { maxChunkSize: 2000, minChunkSize: 400 }, signal: new AbortController().signal },
  )
  // Of this thread and no other, so that a busy machine does not count.
  const cpuMs = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  await prepare('Starts the process.')
  const text = makeLongText(4_900_000)
  let [busiestMs, lastMs] = [0, cpuMs()]
  const looking = setInterval(() => {
    busiestMs = Math.max(busiestMs, cpuMs() - lastMs)
    lastMs = cpuMs()
  }, 1)
  const { ok, characters } = await prepare(text)
  clearInterval(looking)
  console.log(JSON.stringify({ ok, characters, busiestMs }))
  process.exit()
`

test('a text of 5 MB is read, and holds up the main thread for no more than a few milliseconds', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', BUSY_SERVER])
  const { ok, characters, busiestMs } = JSON.parse(stdout)
  expect({ ok, characters }).toEqual({ ok: true, characters: expect.closeTo(4_843_000, -5) })
  expect(busiestMs).toBeLessThan(50)
})

test.each([
  ['buffers', 'x'.repeat(40 * MEBIBYTE)],
  ['a heap', `<html><body>${'<p><b>a</b></p>'.repeat(600_000)}</body></html>`],
])('%s beyond the memory of a document end its process, and the next one is read', async (_name, text) => {
  await using preparer = openPreparer({ threads: 1, limits: { memoryBytes: 160 * MEBIBYTE, characters: 100_000_000 } })
  expect(await preparer.prepare(text)).toEqual({
    ok: false,
    retryable: false,
    message: 'Reading the document took more memory than the 160 MB that it may take: split or simplify it.',
  })
  expect(await preparer.prepare('The next one.')).toMatchObject({ ok: true })
})

test('a Word document that is nested without end is refused in words', async () => {
  await using preparer = openPreparer()
  const depth = 20_000
  const open = '<w:tbl><w:tr><w:tc>'
  const close = '</w:tc></w:tr></w:tbl>'
  const outcome = await preparer.prepare(makeRawDocx(open.repeat(depth) + close.repeat(depth)))
  expect(outcome).toMatchObject({ ok: false, retryable: false })
})

/** A server that reads a long document and says so. */
const SERVER = `
  const { createDocumentPreparer } = await import(${JSON.stringify(import.meta.resolve('./document-preparer.ts'))})
  const clock = { now: Date.now, after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer) } }
  const prepare = (text) => preparer.prepare(
    { bytes: new TextEncoder().encode(text), filename: '', contentType: null, url: null, title: '' },
    { workspaceId: 1, sizes: { maxChunkSize: 2000, minChunkSize: 400 }, signal: new AbortController().signal },
  )
  const preparer = createDocumentPreparer({ clock, threads: 1 })
  setInterval(() => {}, 1000)
  await prepare('Starts the process.')
  prepare('A word and another one. '.repeat(200_000))
  setTimeout(() => console.log('reading'), 100)
`

test.skipIf(process.platform !== 'linux')('a process whose server was killed does not go on', async () => {
  const server = spawn(process.execPath, ['--input-type=module', '--eval', SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(server.stdout, 'data')
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim()
  expect(children).toMatch(/^\d+$/)
  server.kill('SIGKILL')
  await once(server, 'exit')
  await expect.poll(() => isRunning(children), { timeout: 1_000 }).toBe(false)
})

/** One that nobody has buried yet does not run any more. */
function isRunning(id: string): boolean {
  return existsSync(`/proc/${id}/status`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
}
