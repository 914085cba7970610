import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineOperation } from '@parley/contract/operation'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RequestContext, Upload } from '../kernel/api/implement.ts'
import { BEARER, createThing, mountAny, READER_TOKEN, startTestServer, type TestServer } from './http-test-kit.ts'
import { createUploadFolder } from './upload-folder.ts'

const addFiles = defineOperation({
  name: 'addFiles',
  route: 'POST /api/files',
  tag: 'Things',
  summary: 'Add files',
  access: 'write',
  workspace: 'body',
  query: z.object({ workspaceId: z.string().optional() }),
  body: z.object({
    workspaceId: z.int().optional(),
    display_name: z.string().max(20),
    maxCount: z.int().min(0).optional(),
    sources: z.array(z.object({ url: z.string() })).default([]),
  }),
  upload: { maxFiles: 3, maxFileBytes: 1024 * 1024, maxRequestBytes: 2 * 1024 * 1024 },
  status: 201,
})

interface Setup extends AsyncDisposable {
  readonly server: TestServer
  readonly folder: string
  /** Returns the number of requests that reached the handler. */
  countHandled(): number
  send(form: FormData, options?: SendOptions): Promise<{ status: number; body: ResponseBody; headers: object }>
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
}

interface ResponseBody {
  readonly error: string
  readonly code: string
  readonly details: readonly { path: string; message: string }[]
  readonly body: Record<string, unknown>
  readonly workspaceId: number
  readonly uploads: readonly Record<string, unknown>[]
}

async function describeUpload({ open, ...metadata }: Upload) {
  const hash = createHash('sha256')
  // Reads twice, because a file may be read again.
  for await (const _chunk of open()) break
  for await (const chunk of open()) hash.update(chunk)
  return { ...metadata, read: hash.digest('hex') }
}

async function waitForFileCount(folder: string, count: number): Promise<void> {
  await expect.poll(async () => (await readdir(folder)).length, { interval: 5, timeout: 5000 }).toBe(count)
}

async function setUp(): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-forms-'))
  let handled = 0
  const handle = async (input: { body: unknown }, { workspaceId, uploads }: RequestContext) => {
    handled += 1
    return { body: input.body, workspaceId, uploads: await Promise.all(uploads.map(describeUpload)) }
  }
  const uploads = createUploadFolder({ path: folder, logError: (error) => expect(error).toBeUndefined() })
  const server = await startTestServer(
    (api) => {
      mountAny(api, addFiles, handle)
      mountAny(api, createThing, handle)
    },
    undefined,
    uploads,
  )
  return {
    server,
    folder,
    countHandled: () => handled,
    async send(form, { headers = {}, query = '' } = {}) {
      const encoded = new Response(form)
      const type = encoded.headers.get('content-type') ?? ''
      const response = await server.fastify.inject({
        method: 'POST',
        url: `/api/files${query}`,
        headers: { ...BEARER, 'content-type': type, ...headers },
        payload: Buffer.from(await encoded.arrayBuffer()),
      })
      // No file remains, regardless of the outcome.
      await waitForFileCount(folder, 0)
      return { status: response.statusCode, body: response.json(), headers: response.headers }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function buildForm(fields: Readonly<Record<string, string>>, files: readonly File[] = []): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const file of files) form.append('files', file)
  return form
}

const NAMED = { workspaceId: '1', display_name: 'a' }
const hashText = (content: string) => createHash('sha256').update(content).digest('hex')

describe('a form with files', () => {
  test('with thousands of empty file inputs is rejected early', async () => {
    await using setup = await setUp()
    const empty = () => new File([], '')
    const fewInputs = await setup.send(buildForm(NAMED, Array.from({ length: 20 }, empty)))
    expect([fewInputs.status, fewInputs.body.uploads]).toEqual([201, []])
    const manyInputs = await setup.send(buildForm(NAMED, Array.from({ length: 3_000 }, empty)))
    expect([manyInputs.status, manyInputs.body.code]).toEqual([413, 'payload_too_large'])
    expect(manyInputs.body.error).toBe('A form may have at most 100 file parts without a file.')
    expect(setup.countHandled()).toBe(1)
  })

  test('is passed to the handler as a body and files with hashes', async () => {
    await using setup = await setUp()
    const long = 'z'.repeat(300_000)
    const files = [
      new File(['menu'], 'Menü.pdf', { type: 'application/pdf' }),
      new File([long], '../long.txt', { type: 'text/plain' }),
      new File([], 'empty.txt', { type: 'text/plain' }),
    ]
    const fields = { workspace_id: '1', 'display-name': '7', sources: '[{"url":"https://a.example/"}]', extra: 'x' }
    const { status, body, headers } = await setup.send(buildForm(fields, files))
    expect(status).toBe(201)
    expect(headers).toMatchObject({ 'x-ignored-fields': 'extra' })
    expect(body).toMatchObject({
      workspaceId: 1,
      body: { display_name: '7', sources: [{ url: 'https://a.example/' }] },
    })
    const expected = (filename: string, contentType: string, content: string) => {
      const hash = hashText(content)
      return { field: 'files', filename, contentType, sizeBytes: content.length, sha256: hash, read: hash }
    }
    expect(body.uploads).toEqual([
      expected('Menü.pdf', 'application/pdf', 'menu'),
      expected('long.txt', 'text/plain', long),
      expected('empty.txt', 'text/plain', ''),
    ])
  })

  test('with an unused file input has no file', async () => {
    await using setup = await setUp()
    const { status, body } = await setup.send(
      buildForm(NAMED, [new File([], '', { type: 'application/octet-stream' })]),
    )
    expect([status, body.uploads]).toEqual([201, []])
  })

  test.each([
    ['in the query', { display_name: 'a' }, { query: '?workspaceId=2' }],
    ['in a header', { display_name: 'a' }, { headers: { 'x-workspace-id': '2' } }],
    ['in a field', { display_name: 'a', 'workspace-id': '2' }, {}],
  ])('can name its workspace %s', async (_name, fields, options) => {
    await using setup = await setUp()
    const { status, body } = await setup.send(buildForm(fields), options)
    expect([status, body.workspaceId]).toEqual([201, 2])
  })

  test('reports all invalid fields at once', async () => {
    await using setup = await setUp()
    const fields = { workspaceId: '1', display_name: 'x'.repeat(21), maxCount: 'many', sources: '[{"url":1}]' }
    const { status, body } = await setup.send(buildForm(fields, [new File(['x'], 'x.txt')]))
    expect(status).toBe(400)
    expect(body.details.map(({ path }) => path).sort()).toEqual(['display_name', 'maxCount', 'sources[0].url'])
    expect(setup.countHandled()).toBe(0)
  })

  test.each([
    ['too large a file', [new File(['x'.repeat(1024 * 1024 + 1)], 'large.txt')], /at most 1 MiB.*large\.txt/],
    ['too many files', [1, 2, 3, 4].map((n) => new File(['x'], `${n}.txt`)), /at most 3 files/],
    ['too large a request', [1, 2, 3].map((n) => new File(['x'.repeat(1_000_000)], `${n}.txt`)), /at most 2 MiB/],
  ])('is rejected with the limit for %s', async (_name, files, message) => {
    await using setup = await setUp()
    const { status, body } = await setup.send(buildForm(NAMED, files))
    expect([status, body.code]).toEqual([413, 'payload_too_large'])
    expect(body.error).toMatch(message)
    expect(setup.countHandled()).toBe(0)
  })

  test('with too large or too many fields is rejected', async () => {
    await using setup = await setUp()
    const large = await setup.send(buildForm({ ...NAMED, note: 'x'.repeat(1024 * 1024 + 1) }))
    expect([large.status, large.body.error]).toEqual([413, expect.stringContaining('"note"')])
    const manyInputs = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`field${index}`, 'x']))
    expect((await setup.send(buildForm(manyInputs))).status).toBe(413)
  })

  test('is rejected unread without a valid token, right or workspace', async () => {
    await using setup = await setUp()
    const form = () => buildForm({ display_name: 'a' }, [new File(['x'.repeat(1024 * 1024 + 1)], 'large.txt')])
    const nobody = await setup.send(form(), { headers: { authorization: '' } })
    const reader = await setup.send(form(), { headers: { authorization: `Bearer ${READER_TOKEN}` } })
    const otherWorkspace = await setup.send(form(), { query: '?workspaceId=3' })
    // Otherwise the size would be reported.
    expect([nobody, reader, otherWorkspace].map(({ status }) => status)).toEqual([401, 403, 403])
    const inField = await setup.send(buildForm({ ...NAMED, workspaceId: '3' }))
    expect(inField.body.code).toBe('workspace_forbidden')
  })

  test('with an idempotency key runs once and rejects another file', async () => {
    await using setup = await setUp()
    const headers = { 'idempotency-key': 'key' }
    const first = await setup.send(buildForm(NAMED, [new File(['one'], 'a.txt')]), { headers })
    // The second form has another boundary.
    const repeated = await setup.send(buildForm(NAMED, [new File(['one'], 'a.txt')]), { headers })
    const other = await setup.send(buildForm(NAMED, [new File(['two'], 'a.txt')]), { headers })
    expect([first.status, repeated.status, setup.countHandled()]).toEqual([201, 201, 1])
    expect(repeated.body).toEqual(first.body)
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    [
      'that ends too early',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    ],
    ['that is something else', 'multipart/form-data; boundary=b', '{"workspaceId": 1}'],
    [
      'in an unknown text encoding',
      'multipart/form-data; boundary=b',
      Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--b--', 'latin1'),
    ],
  ])('%s returns 400', async (_name, contentType, payload) => {
    await using setup = await setUp()
    const headers = { ...BEARER, 'content-type': contentType }
    const response = await setup.server.fastify.inject({ method: 'POST', url: '/api/files', headers, payload })
    expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request'])
    await waitForFileCount(setup.folder, 0)
  })

  test('is accepted by upload operations only, which also accept JSON', async () => {
    await using setup = await setUp()
    const { fastify } = setup.server
    const form = { 'content-type': 'multipart/form-data; boundary=b' }
    const headers = { ...BEARER, ...form }
    const otherWorkspace = await fastify.inject({ method: 'POST', url: '/api/things', headers, payload: '--b--' })
    expect(otherWorkspace.statusCode).toBe(415)
    const payload = { workspaceId: 1, display_name: 'a' }
    const json = await fastify.inject({ method: 'POST', url: '/api/v1/files', headers: BEARER, payload })
    expect([json.statusCode, json.json().uploads]).toEqual([201, []])
    const text = { ...BEARER, 'content-type': 'text/plain' }
    const other = await fastify.inject({ method: 'POST', url: '/api/files', headers: text, payload: 'x' })
    expect([other.statusCode, other.json().error]).toEqual([415, expect.stringContaining('multipart/form-data')])
    const nothing = await fastify.inject({ method: 'POST', url: '/api/files', headers })
    expect(nothing.json().details.map(({ path }: { path: string }) => path)).toContain('display_name')
  })
})

describe('on a connection', () => {
  const buildHead = (port: number, extra: string) =>
    `POST /api/files?workspaceId=1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${BEARER.authorization}\r\n` +
    `Content-Type: multipart/form-data; boundary=b\r\n${extra}\r\n`
  const buildPost = (body: string, more = '') =>
    `POST /api/files?workspaceId=1 HTTP/1.1\r\nHost: x\r\nAuthorization: ${BEARER.authorization}\r\n` +
    `Content-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
  const lastPost = buildPost('{"display_name":"a"}', 'Connection: close\r\n')
  const FILE = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'

  /** Sends all requests over one connection and returns the statuses of the responses. */
  async function sendRequests(port: number, ...requests: readonly string[]): Promise<readonly string[]> {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += String(chunk)
    })
    for (const request of requests) socket.write(request)
    await once(socket, 'close')
    return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
  }

  test('a disconnected client leaves no files', async () => {
    await using setup = await setUp()
    const port = await setup.server.listen()
    const socket = connect(port, '127.0.0.1')
    socket.write(`${buildHead(port, 'Content-Length: 100000\r\n')}${FILE}some of it`)
    await waitForFileCount(setup.folder, 1)
    socket.destroy()
    await waitForFileCount(setup.folder, 0)
    expect(setup.countHandled()).toBe(0)
    expect(setup.server.log.filter(({ level }) => level !== 'info')).toEqual([])
  })

  test('an error is sent before the rest arrives, and the connection stays open', async () => {
    await using setup = await setUp()
    const port = await setup.server.listen()
    const body = `${FILE}${'x'.repeat(1_900_000)}\r\n--b--`
    const form = `${buildHead(port, `Content-Length: ${body.length}\r\n`)}${body}`
    expect(await sendRequests(port, form, lastPost)).toEqual(['413', '201'])
    await waitForFileCount(setup.folder, 0)
  })

  test('an error for oversized JSON is sent early too', async () => {
    await using setup = await setUp()
    const port = await setup.server.listen()
    const oversized = buildPost(`{"display_name":"${'x'.repeat(20_000_000)}"}`)
    expect(await sendRequests(port, oversized, lastPost)).toEqual(['413', '201'])
  })

  test('a caller has at most eight concurrent uploads', async () => {
    await using setup = await setUp()
    const port = await setup.server.listen()
    const sockets = Array.from({ length: 8 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write(`${buildHead(port, 'Content-Length: 100000\r\n')}${FILE}some of it`)
      return socket
    })
    await waitForFileCount(setup.folder, 8)
    const { statusCode, headers } = await setup.server.fastify.inject({
      method: 'POST',
      url: '/api/files?workspaceId=1',
      headers: { ...BEARER, 'content-type': 'multipart/form-data; boundary=b' },
      payload: '--b--',
    })
    expect([statusCode, headers['retry-after']]).toEqual([429, '2'])
    for (const socket of sockets) socket.destroy()
    await waitForFileCount(setup.folder, 0)
  })
})

describe('upload folder', () => {
  test('is private and removes files of dead processes after a day', async () => {
    await using setup = await setUp()
    const path = join(setup.folder, 'uploads')
    const old = join(path, 'parley-upload-old')
    const recent = join(path, 'parley-upload-recent')
    const foreign = join(path, 'something-else')
    for (const folder of [old, recent, foreign]) await mkdir(join(folder, 'inner'), { recursive: true })
    const now = (await stat(recent)).mtimeMs
    await utimes(old, now / 1000, now / 1000 - 25 * 60 * 60)
    await utimes(foreign, now / 1000, now / 1000 - 25 * 60 * 60)
    const uploads = createUploadFolder({ path, logError: (error) => expect(error).toBeUndefined() })
    {
      await using uploadSpace = uploads.open('one')
      const folder = join(await uploadSpace.createFilePath(), '..')
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
      expect((await readdir(path)).sort()).toEqual(
        [folder.split('/').at(-1), 'parley-upload-recent', 'something-else'].sort(),
      )
    }
    expect((await readdir(path)).sort()).toEqual(['parley-upload-recent', 'something-else'])
  })

  test('returns an error without details if it cannot be created', async () => {
    const uploads = createUploadFolder({ path: '/dev/null/uploads', logError: () => undefined })
    const creation = uploads.open('one').createFilePath()
    await expect(creation).rejects.toMatchObject({ code: 'unavailable' })
    await expect(creation).rejects.not.toThrow('/dev/null')
  })
})
