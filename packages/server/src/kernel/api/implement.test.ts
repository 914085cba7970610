import { defineOperation } from '@parley/contract/operation'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { BEARER, startTestServer } from '../../http/http-test-kit.ts'
import { AppError } from '../errors.ts'
import { createReadCache } from '../storage/read-cache.ts'
import { type CachedResponse, implement, implementRead, JsonText } from './implement.ts'

const readNote = defineOperation({
  name: 'readNote',
  route: 'GET /api/notes/{noteId}',
  tag: 'Notes',
  summary: 'Reads a note',
  access: 'read',
  workspace: 'query',
  pathParameters: z.object({ noteId: z.string() }),
  query: z.object({ part: z.string().optional() }),
  status: 200,
  result: z.object({ text: z.string() }),
})

const listNotes = defineOperation({
  name: 'listNotes',
  route: 'GET /api/notes',
  tag: 'Notes',
  summary: 'Lists notes',
  access: 'read',
  workspace: 'query',
  query: z.object({ limit: z.coerce.number().optional() }),
  status: 200,
  result: z.array(z.string()),
})

const saveNote = defineOperation({
  name: 'saveNote',
  route: 'POST /api/notes',
  tag: 'Notes',
  summary: 'Saves a note',
  access: 'write',
  workspace: 'body',
  body: z.object({ text: z.string() }),
  status: 201,
  result: z.object({ text: z.string() }),
})

async function openNotes() {
  let changes = 0
  const runs: string[] = []
  const responses = createReadCache<CachedResponse>({
    database: {
      capabilities: { seesAllWrites: true },
      getChangeCount: () => changes,
    },
    tables: ['resources'],
    maxCharacters: 10_000,
    countCharacters: ({ json }) => json.content.length,
  })
  const server = await startTestServer((api) => {
    implementRead({ api, responses: responses }, readNote, async ({ path, query }, context) => {
      runs.push(path.noteId)
      if (path.noteId === 'none') throw new AppError('not_found', 'No such note.')
      context.setEtag(changes + 1)
      return { text: `${context.workspaceId} ${path.noteId} ${query.part ?? ''} ${changes} ü` }
    })
    implementRead({ api, responses: responses }, listNotes, async (_input, context) => {
      runs.push('list')
      context.setNextPage({ key: 'after', version: 3 })
      return ['one', 'two']
    })
    implement(api, saveNote, async ({ body }) => new JsonText(JSON.stringify(body.text === 'bad' ? 1 : body)))
  })
  return {
    runs,
    server,
    recordChange: () => {
      changes += 1
    },
    get: (url: string) => server.fastify.inject({ method: 'GET', url, headers: BEARER }),
    post: (text: string, headers: Record<string, string> = {}) =>
      server.fastify.inject({
        method: 'POST',
        url: '/api/notes',
        headers: { ...BEARER, ...headers },
        payload: { workspaceId: 1, text },
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

describe('implementRead', () => {
  test('caches the response and its headers until a table changes', async () => {
    await using notes = await openNotes()
    const first = await notes.get('/api/notes/a?workspaceId=1')
    const second = await notes.get('/api/notes/a?workspaceId=1')
    expect(second).toMatchObject({ statusCode: 200, body: '{"text":"1 a  0 ü"}' })
    expect(second.headers).toMatchObject({
      etag: '"1"',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(second.body)),
    })
    expect(second.body).toBe(first.body)
    expect(notes.runs).toEqual(['a'])
    notes.recordChange()
    const third = await notes.get('/api/notes/a?workspaceId=1')
    expect(third.headers.etag).toBe('"2"')
    expect(third.json()).toEqual({ text: '1 a  1 ü' })
  })

  test('separates workspaces, paths and queries', async () => {
    await using notes = await openNotes()
    const urls = ['a?workspaceId=1', 'a?workspaceId=2', 'b?workspaceId=1', 'a?workspaceId=1&part=x']
    const read = async () =>
      (await Promise.all(urls.map((url) => notes.get(`/api/notes/${url}`)))).map(({ body }) => body)
    const texts = await read()
    expect(new Set(texts).size).toBe(urls.length)
    expect(await read()).toEqual(texts)
    expect(notes.runs).toHaveLength(urls.length)
  })

  test('builds the link to the next page from the current request', async () => {
    await using notes = await openNotes()
    await notes.get('/api/notes?workspaceId=1')
    const alias = await notes.get('/api/v1/notes?workspace-id=1')
    expect(alias.headers).toMatchObject({
      'x-has-more': 'true',
      'x-next-pagination-key': 'after',
      'x-next-pagination-key-version': '3',
      link: '</api/v1/notes?workspace-id=1&paginationKey=after&paginationKeyVersion=3>; rel="next"',
    })
    expect(alias.headers.etag).toBeUndefined()
    expect(notes.runs).toEqual(['list'])
  })

  test('does not cache errors', async () => {
    await using notes = await openNotes()
    await notes.get('/api/notes/none?workspaceId=1')
    expect((await notes.get('/api/notes/none?workspaceId=1')).statusCode).toBe(404)
    expect(notes.runs).toEqual(['none', 'none'])
  })
})

describe('JsonText', () => {
  test('sends the text unchanged, stores it for replays and validates it', async () => {
    await using notes = await openNotes()
    const key = { 'idempotency-key': 'key-1' }
    expect(await notes.post('hi', key)).toMatchObject({ statusCode: 201, body: '{"text":"hi"}' })
    const replayedResponse = await notes.post('hi', key)
    expect(replayedResponse).toMatchObject({ statusCode: 201, body: '{"text":"hi"}' })
    expect(replayedResponse.headers['idempotent-replayed']).toBe('true')
    expect((await notes.post('bad')).statusCode).toBe(500)
  })
})
