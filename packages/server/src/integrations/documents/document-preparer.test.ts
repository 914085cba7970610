import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { afterAll, describe, expect, test } from 'vitest'
import { createRawDocx } from '../../../../../testing/documents/office-documents.ts'
import { MANUAL_FACT, makeManual } from '../../../../../testing/documents/pdf-documents.ts'
import { makeLongText } from '../../../../../testing/documents/text-documents.ts'
import { DocumentProcess } from './document-process.ts'
import { openPreparer } from './document-test-kit.ts'
import { buildEmbeddingText } from './embedded-text.ts'

const preparer = openPreparer()
afterAll(() => preparer.close())

/** Takes more than a second to read. */
const LONG = makeLongText(3_000_000)

describe('preparing a document', () => {
  test('returns indexed chunks with their page and headings', async () => {
    const manual = await preparer.prepare(await makeManual(), { filename: 'manual.pdf' })
    if (!manual.ok) throw new Error(manual.message)
    const { chunks, segment, ...header } = manual
    expect(header).toMatchObject({
      contentType: 'application/pdf',
      title: 'Kestrel service manual',
      pageCount: 50,
      links: [],
    })
    expect(chunks.map(({ position }) => position)).toEqual(chunks.keys().toArray())
    expect(segment.byteLength).toBeGreaterThan(1000)
    const factChunk = chunks.find(({ text }) => text.includes(MANUAL_FACT.sentence))
    expect(factChunk).toMatchObject({ page: MANUAL_FACT.page, headings: [MANUAL_FACT.chapter, MANUAL_FACT.heading] })
    const embeddingText = factChunk === undefined ? '' : buildEmbeddingText(manual.title, factChunk)
    expect(factChunk?.contentHash).toBe(createHash('sha256').update(embeddingText).digest('hex'))
  })

  test('uses the given title and returns equal results for equal input', async () => {
    const fields = { title: 'My notes', filename: 'a.md' }
    const firstResult = await preparer.prepare('# Other\n\nText of it.', fields)
    expect(firstResult).toMatchObject({ ok: true, title: 'My notes' })
    expect(await preparer.prepare('# Other\n\nText of it.', fields)).toEqual(firstResult)
  })

  test('returns the reason if the document cannot be read', async () => {
    expect(await preparer.prepare('%PDF-1.7 no')).toEqual({
      ok: false,
      retryable: false,
      message: expect.stringContaining('seems to be damaged'),
    })
  })
})

describe('a slow document', () => {
  test('fails at its deadline, and the next one is read', async () => {
    const { clock, advance, countPendingTimers: pendingTimers } = createManualClock()
    const slow = openPreparer({ clock, maxProcesses: 1, limits: { waitMs: 60_000 } })
    const longResult = slow.prepare(LONG)
    const nextResult = slow.prepare('The next one.')
    await advance(60_000)
    expect(await longResult).toEqual({
      ok: false,
      retryable: false,
      message: 'Reading the document took longer than the limit of 60 seconds: split or simplify the document.',
    })
    expect(await nextResult).toMatchObject({
      retryable: true,
      message: expect.stringContaining('because no process was free'),
    })
    expect(await slow.prepare('Another one.')).toMatchObject({ ok: true, characters: 12 })
    await slow.close()
    expect(pendingTimers()).toBe(0)
  })

  test('can be cancelled', async () => {
    await using slow = openPreparer({ maxProcesses: 1 })
    const [running, waiting] = [new AbortController(), new AbortController()]
    const outcomes = [running, waiting].map(({ signal }) => slow.prepare(LONG, { signal }))
    const nextResult = slow.prepare('The next one.')
    waiting.abort()
    running.abort()
    const stopped = { ok: false, retryable: true, message: expect.stringContaining('was canceled') }
    expect(await Promise.all(outcomes)).toEqual([stopped, stopped])
    expect(await nextResult).toMatchObject({ ok: true })
    expect(await slow.prepare('Late.', { signal: AbortSignal.abort() })).toEqual(stopped)
  })
})

describe('multiple documents', () => {
  test('wait in a queue with a maximum length', async () => {
    await using busy = openPreparer({ maxProcesses: 1, limits: { maxQueued: 2 } })
    const outcomes = await Promise.all(['one', 'two', 'three', 'four'].map((text) => busy.prepare(text)))
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, false])
    expect(outcomes[3]).toMatchObject({
      retryable: true,
      message: expect.stringContaining('too many documents are waiting'),
    })
  })

  test('of one workspace leave a process for other workspaces', async () => {
    await using shared = openPreparer({ maxProcesses: 2 })
    const stop = new AbortController()
    const finished: string[] = []
    const slowTasks = [1, 2, 3, 4].map(async () => {
      await shared.prepare(LONG, { workspaceId: 1, signal: stop.signal })
      finished.push('slow')
    })
    const shortTasks = ['a', 'b'].map((text) => shared.prepare(text, { workspaceId: 2 }))
    const otherTask = shared.prepare('c', { workspaceId: 3 }).then(() => finished.push('other'))
    expect(await Promise.all(shortTasks)).toMatchObject([{ ok: true }, { ok: true }])
    await otherTask
    expect(finished).toEqual(['other'])
    stop.abort()
    await Promise.all(slowTasks)
  })

  test('fail as retryable when the server stops', async () => {
    const stopping = openPreparer({ maxProcesses: 1 })
    const outcomes = [LONG, 'two'].map((text) => stopping.prepare(text))
    await stopping.close()
    const stoppingError = { ok: false, retryable: true, message: expect.stringContaining('the server is stopping') }
    expect(await Promise.all([...outcomes, stopping.prepare('three')])).toEqual([
      stoppingError,
      stoppingError,
      stoppingError,
    ])
  })
})

/** Counts the child processes that read documents. */
function countReaders(): number {
  const ids = globSync(`/proc/${process.pid}/task/*/children`).flatMap((file) =>
    readFileSync(file, 'utf8').trim().split(' '),
  )
  return ids.filter((id) => id !== '' && readCommand(id).includes('document-reader')).length
}

function readCommand(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test.skipIf(process.platform !== 'linux')('processes start with the first document and end when idle', async () => {
  const initialReaders = countReaders()
  const { clock, advance } = createManualClock()
  await using idle = openPreparer({ clock, idleMs: 30_000 })
  expect(countReaders()).toBe(initialReaders)
  await Promise.all([1, 2].map((workspaceId) => idle.prepare('text', { workspaceId })))
  expect(countReaders()).toBe(initialReaders + 2)
  await advance(30_000)
  await expect.poll(countReaders).toBe(initialReaders)
  expect(await idle.prepare('again')).toMatchObject({ ok: true })
})

const MEBIBYTE = 1024 * 1024

/**
 * Runs in its own process to exclude garbage collection of other tests. Prints the outcome and the longest time that the main
 * thread was blocked.
 */
const BUSY_SERVER = `
  const { createDocumentPreparer } = await import(${JSON.stringify(import.meta.resolve('./document-pool.ts'))})
  const { makeLongText } = await import(${JSON.stringify(import.meta.resolve('../../../../../testing/documents/text-documents.ts'))})
  const clock = { now: Date.now, after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer) } }
  const preparer = createDocumentPreparer({ clock, threads: 1 })
  const prepare = (text) => preparer.prepare(
    { bytes: new TextEncoder().encode(text), filename: '', contentType: null, url: null, title: '' },
    { workspaceId: 1, sizes: { maxChunkSize: 2000, minChunkSize: 400 }, signal: new AbortController().signal },
  )
  // Only this thread, so that a busy machine does not count.
  const cpuMs = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  await prepare('Starts the process.')
  const text = makeLongText(4_900_000)
  let [busiestMs, lastMs] = [0, cpuMs()]
  const timer = setInterval(() => {
    busiestMs = Math.max(busiestMs, cpuMs() - lastMs)
    lastMs = cpuMs()
  }, 1)
  const { ok, characters } = await prepare(text)
  clearInterval(timer)
  console.log(JSON.stringify({ ok, characters, busiestMs }))
  process.exit()
`

test('reading a text of 5 MB blocks the main thread for only a few milliseconds', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', BUSY_SERVER])
  const { ok, characters, busiestMs } = JSON.parse(stdout)
  expect({ ok, characters }).toEqual({ ok: true, characters: expect.closeTo(4_843_000, -5) })
  expect(busiestMs).toBeLessThan(50)
})

test.each([
  ['buffers', 'x'.repeat(40 * MEBIBYTE)],
  ['a heap', `<html><body>${'<p><b>a</b></p>'.repeat(600_000)}</body></html>`],
])('%s beyond the memory limit terminates the process, and the next document is read', async (_name, text) => {
  await using preparer = openPreparer({
    maxProcesses: 1,
    limits: { memoryBytes: 160 * MEBIBYTE, characters: 100_000_000 },
  })
  expect(await preparer.prepare(text)).toEqual({
    ok: false,
    retryable: false,
    message: 'Reading the document took more memory than the limit of 160 MB: split or simplify the document.',
  })
  expect(await preparer.prepare('The next one.')).toMatchObject({ ok: true })
})

test('a deeply nested Word document is rejected', async () => {
  await using preparer = openPreparer()
  const depth = 20_000
  const openTags = '<w:tbl><w:tr><w:tc>'
  const closeTags = '</w:tc></w:tr></w:tbl>'
  const outcome = await preparer.prepare(createRawDocx(openTags.repeat(depth) + closeTags.repeat(depth)))
  expect(outcome).toMatchObject({ ok: false, retryable: false })
})

/** A server that prints a line while it reads a long document. */
const SERVER = `
  const { createDocumentPreparer } = await import(${JSON.stringify(import.meta.resolve('./document-pool.ts'))})
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

test.skipIf(process.platform !== 'linux')('a process ends when its server is killed', async () => {
  const server = spawn(process.execPath, ['--input-type=module', '--eval', SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(server.stdout, 'data')
  const childId = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim()
  expect(childId).toMatch(/^\d+$/)
  server.kill('SIGKILL')
  await once(server, 'exit')
  await expect.poll(() => isRunning(childId), { timeout: 1_000 }).toBe(false)
})

/** Whether a process is running. Zombies do not count. */
function isRunning(id: string): boolean {
  return existsSync(`/proc/${id}/status`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
}

test('a process that is terminating is not alive', async () => {
  const reader = new DocumentProcess(64 * 1024 * 1024)
  expect(reader.isAlive).toBe(true)
  const termination = reader.terminate()
  expect(reader.isAlive).toBe(false)
  await termination
  expect(reader.isAlive).toBe(false)
})
