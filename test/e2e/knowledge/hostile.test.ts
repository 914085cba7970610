import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import {
  BILLION_LAUGHS,
  createDocxParagraph,
  createRawDocx,
  createRawXlsx,
} from '../../../testing/documents/office-documents.ts'
import { LOOPING_PDFS } from '../../../testing/documents/pdf-documents.ts'
import type { RunningServer } from '../../../testing/running-server.ts'
import { complete, createAgent, createChat, expectBody, read, send } from '../../../testing/server-test.ts'
import {
  BASES,
  baseOfFiles,
  createBase,
  readBase,
  readyBase,
  search,
  sendFiles,
  sendRaw,
  settled,
  sourceOf,
  test,
} from './knowledge-test-kit.ts'

const MEBIBYTE = 1024 * 1024
const READABLE = { name: 'good.txt', content: 'The workshop repairs a puncture within two hours.' }

/** Runs a chat turn in time while a document is processed. */
async function expectFastTurn(server: RunningServer): Promise<void> {
  const { chatId } = await createChat(server, await createAgent(server, {}, { model: 'offline' }))
  const startedAt = performance.now()
  expect((await complete(server, chatId, 'Hello')).at(-1)?.content).not.toBe('')
  expect(performance.now() - startedAt).toBeLessThan(5_000)
}

/** Returns the server's memory in MiB, or null if the system does not report it. */
function residentMebibytes({ pid }: RunningServer): number | null {
  try {
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return (Number(pages) * 4096) / MEBIBYTE
  } catch {
    return null
  }
}

describe('hostile documents', () => {
  test('are contained, and name the limit that they exceeded', { timeout: 60_000 }, async ({ server }) => {
    const before = residentMebibytes(server)
    const nested = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`
    const laughs = { declaration: BILLION_LAUGHS }
    const cell = '<c r="A1" t="inlineStr"><is><t>&a9;</t></is></c>'
    const paragraphs = createDocxParagraph('The same paragraph again and again. '.repeat(20)).repeat(60_000)
    const bad: Readonly<Record<string, readonly [Uint8Array | string, RegExp]>> = {
      'bomb.docx': [createRawDocx(' '.repeat(60 * MEBIBYTE)), /unpack/],
      'bomb.xlsx': [createRawXlsx(' '.repeat(60 * MEBIBYTE)), /unpack/],
      'lying.docx': [createRawDocx(paragraphs, { claimedBytes: 1000 }), /damaged|MB|packed|times|characters/],
      'laughs.docx': [createRawDocx(createDocxParagraph('&a9;'), laughs), /XML entities/],
      'laughs.xlsx': [createRawXlsx(`<row r="1">${cell}</row>`, laughs), /XML entities/],
      'nested.json': [nested, /nest|levels|deep/],
      'nested-objects.json': [`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /nest|levels|deep/],
      'far-cell.xlsx': [createRawXlsx('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'), /100 columns/],
    }
    const files = Object.entries(bad).map(([name, [content]]) => ({ name, content }))
    const { knowledgeBaseId } = await createBase(server)
    const added = await sendFiles(server, `${BASES}/${knowledgeBaseId}/sources`, [...files, READABLE])
    expect(added.status).toBe(201)
    await expectFastTurn(server)
    const base = await settled(server, added.body)
    for (const [name, [, reason]] of Object.entries(bad)) {
      const { status, error } = sourceOf(base, name)
      expect([name, status, error]).toEqual([name, 'error', expect.stringMatching(reason)])
    }
    expect(sourceOf(base, 'good.txt').status).toBe('ready')
    expect((await search(server, base, 'How fast is a puncture repaired?'))[0]?.text).toContain('two hours')
    const after = residentMebibytes(server)
    if (before !== null && after !== null) expect(after - before).toBeLessThan(200)
    expect((await server.call('GET', '/readyz')).status).toBe(200)
  })

  test('that are cyclic PDFs come to an end', async ({ server }) => {
    const files = Object.entries(LOOPING_PDFS).map(([name, make]) => ({ name: `${name}.pdf`, content: make() }))
    const base = await baseOfFiles(server, [...files, READABLE])
    for (const { name } of files) {
      expect([name, sourceOf(base, name)]).toEqual([
        name,
        expect.objectContaining({ status: 'error', error: expect.stringMatching(/\.$/), chunkCount: 0 }),
      ])
    }
    expect(sourceOf(base, 'good.txt').status).toBe('ready')
    await expectFastTurn(server)
  })

  test('are not executed', async ({ server }) => {
    const script = '<script>document.write("pwned")</script><img src=x onerror="alert(1)">'
    const content = `<html><title>Bells</title><body><p>Bells ring at noon.${script}</p></body></html>`
    const base = await baseOfFiles(server, [{ name: 'page.html', content }])
    const [found] = await search(server, base, 'When do the bells ring?')
    expect(found).toMatchObject({ sourceName: 'Bells', text: expect.stringContaining('Bells ring at noon.') })
    expect(JSON.stringify(found)).not.toMatch(/onerror|document\.write|script/)
  })
})

describe('hostile requests', () => {
  test('file names are never used as paths', async ({ server }) => {
    const { knowledgeBaseId } = await createBase(server)
    const path = `${BASES}/${knowledgeBaseId}/sources`
    const names = {
      '../../../../etc/passwd.txt': 'passwd.txt',
      'C:\\Windows\\system.ini': 'system.ini',
      '<script>alert(1)</script>.txt': 'script>.txt',
      'a\u0000b\u202etxt.exe': 'abtxt.exe',
      [`${'ä'.repeat(400)}.txt`]: `${'ä'.repeat(251)}.txt`,
    }
    const parts = Object.keys(names).map(
      (name, index) =>
        `--limit\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\nText number ${index} of five.\r\n`,
    )
    const workspace = `--limit\r\nContent-Disposition: form-data; name="workspaceId"\r\n\r\n${server.workspaceId}\r\n`
    const body = Buffer.from(`${workspace}${parts.join('')}--limit--\r\n`)
    const headers = { 'content-type': 'multipart/form-data; boundary=limit' }
    const answer = await sendRaw<Awaited<ReturnType<typeof readBase>>>(server, path, { body, headers })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    expect(answer.body.sources.map(({ filename }) => filename).toSorted()).toEqual(Object.values(names).toSorted())
    const base = await settled(server, answer.body)
    expect(base.sources.filter(({ status }) => status !== 'ready')).toEqual([])
    const hostileFile = { filename: '../x\u0000/y.txt', base64: Buffer.from('Text number six.').toString('base64') }
    const json = await send(server, 'POST', path, { sources: [hostileFile] })
    expect(json.status).toBe(400)
    const escapingFile = { ...hostileFile, filename: '../../six.txt' }
    const stored = await expectBody(201, send<typeof base>(server, 'POST', path, { sources: [escapingFile] }))
    expect(stored.sources.map(({ filename }) => filename).filter((name) => /[/\\]/.test(name))).toEqual([])
  })

  test('a request over the limit is refused and stores nothing', async ({ server }) => {
    const { knowledgeBaseId } = await createBase(server)
    const path = `${BASES}/${knowledgeBaseId}/sources`
    const many = Array.from({ length: 26 }, (_, index) => ({ name: `${index}.txt`, content: `Text ${index}` }))
    const tooMany = await sendFiles<{ error: string; code: string }>(server, path, many)
    expect([tooMany.status, tooMany.body.code, tooMany.body.error]).toEqual([
      413,
      'payload_too_large',
      expect.stringContaining('25 files'),
    ])
    const large = { name: 'large.txt', content: Buffer.alloc(51 * MEBIBYTE, 'x') }
    const tooLarge = await sendFiles<{ error: string; code: string }>(server, path, [READABLE, large])
    expect([tooLarge.status, tooLarge.body.error]).toEqual([413, expect.stringContaining('50 MiB')])
    const base64 = Buffer.alloc(17 * MEBIBYTE, 'x').toString('base64')
    const json = await send<{ error: string }>(server, 'POST', path, { sources: [{ filename: 'x.txt', base64 }] })
    expect([json.status, json.body.error]).toEqual([413, expect.stringMatching(/16|MiB/)])
    const tooManySources = Array.from({ length: 101 }, (_, index) => ({ text: `Text ${index}` }))
    expect((await send(server, 'POST', path, { sources: tooManySources })).status).toBe(400)
    expect(await readBase(server, knowledgeBaseId)).toMatchObject({ sourceCount: 0, status: 'ready' })
    await expectFastTurn(server)
  })

  test('malformed bodies are refused with the problem', async ({ server }) => {
    const { knowledgeBaseId } = await createBase(server)
    const path = `${BASES}/${knowledgeBaseId}/sources`
    const workspace = `--x\r\nContent-Disposition: form-data; name="workspaceId"\r\n\r\n${server.workspaceId}\r\n`
    const file = '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nHello\r\n'
    const forms: readonly (readonly [string, string])[] = [
      ['multipart/form-data', `${workspace}${file}--x--\r\n`],
      ['multipart/form-data; boundary=x', `${workspace}${file}`],
      ['multipart/form-data; boundary=x', 'no form at all'],
      [
        'multipart/form-data; boundary=x',
        `${workspace}--x\r\nContent-Disposition: form-data\r\n\r\nHello\r\n--x--\r\n`,
      ],
      ['multipart/form-data; boundary=x', `${workspace}--x\r\n${'X-Long: y\r\n'.repeat(5000)}\r\nHello\r\n--x--\r\n`],
      [
        'multipart/form-data; boundary=x',
        `${workspace}--x\r\nContent-Disposition: form-data; name="sources"\r\n\r\n[{"text"\r\n--x--\r\n`,
      ],
      ['multipart/form-data; boundary=x', `${file}--x--\r\n`],
      [
        'multipart/form-data; boundary=x',
        `${workspace}--x\r\nContent-Disposition: form-data; name="files"; filename="empty.txt"\r\n\r\n\r\n--x--\r\n`,
      ],
      ['multipart/mixed; boundary=x', `${workspace}${file}--x--\r\n`],
    ]
    for (const [type, text] of forms) {
      const answer = await sendRaw<{ code: string; error: string }>(server, path, {
        body: Buffer.from(text),
        headers: { 'content-type': type },
      })
      expect([text.slice(0, 300), type, answer.status]).toEqual([
        text.slice(0, 300),
        type,
        type.includes('mixed') ? 415 : 400,
      ])
      expect(answer.body.error).not.toBe('')
    }
    const sources: readonly (readonly [object, string])[] = [
      [{ filename: 'a.txt', base64: 'not base64!' }, 'sources[0].base64'],
      [{ filename: 'a.txt', base64: '' }, 'sources[0].base64'],
      [{ base64: 'SGVsbG8=' }, 'sources[0].filename'],
      [{ text: 'a', url: 'https://example.com/' }, 'sources[0]'],
      [{ text: ' ' }, 'sources[0].text'],
      [{ url: 'javascript:alert(1)' }, 'sources[0].url'],
      [{}, 'sources[0]'],
    ]
    for (const [source, where] of sources) {
      const answer = await send<{ details: { path: string }[] }>(server, 'POST', path, { sources: [source] })
      expect([source, answer.status, answer.body.details.map((detail) => detail.path)]).toEqual([
        source,
        400,
        expect.arrayContaining([where]),
      ])
    }
    expect((await readBase(server, knowledgeBaseId)).sourceCount).toBe(0)
  })

  test('resources of another workspace are not found', async ({ server }) => {
    const { id: other } = await expectBody(
      201,
      server.call<{ id: number }>('POST', '/api/workspaces', { body: { name: 'Other' } }),
    )
    const base = await readyBase(server, { sources: [{ text: READABLE.content }] })
    const mine = `${BASES}/${base.knowledgeBaseId}`
    const source = `${mine}/sources/${base.sources[0]?.source_id}`
    const query = { workspaceId: other }
    const attempts = [
      server.call('GET', mine, { query }),
      server.call('DELETE', mine, { query }),
      server.call('PATCH', mine, { body: { workspaceId: other, name: 'Taken' } }),
      server.call('GET', `${mine}/sources`, { query }),
      server.call('GET', `${source}/chunks`, { query }),
      server.call('DELETE', source, { query }),
      server.call('POST', `${mine}/sources`, { body: { workspaceId: other, sources: [{ text: 'Mine now.' }] } }),
      server.call('POST', `${mine}/refresh`, { body: { workspaceId: other } }),
      server.call('POST', `${mine}/search`, { body: { workspaceId: other, query: 'puncture' } }),
      sendFiles(server, `${mine}/sources`, [READABLE], { workspaceId: String(other) }),
    ]
    for (const { status, body } of await Promise.all(attempts)) {
      expect([status, body]).toMatchObject([404, { code: 'not_found' }])
    }
    const llm = await server.call<{ warnings: string[] }>('POST', '/api/v1/llms', {
      body: { workspaceId: other, knowledge_base_ids: [base.knowledgeBaseId] },
    })
    expect([llm.status, llm.body.warnings]).toEqual([201, [expect.stringContaining(base.knowledgeBaseId)]])
    expect((await expectBody(200, read<unknown[]>(server, `${mine}/sources`))).length).toBe(1)
    expect(await readBase(server, base.knowledgeBaseId)).toMatchObject({ name: 'Documents', sourceCount: 1 })
  })
})
