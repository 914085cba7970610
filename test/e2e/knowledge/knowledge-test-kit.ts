import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { Passage } from '@parley/contract/knowledge-passage'
import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { expect } from 'vitest'
import { type ApiResponse, createApiClient } from '../../../testing/api-client.ts'
import { OWNER_TOKEN, type RunningServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, expectBody, read, send } from '../../../testing/server-test.ts'
import { startWebsite } from '../../../testing/website-server/website-server.ts'
import { sharedTest } from '../scripted-model.ts'

export const BASES = '/api/knowledge-bases'
const DEADLINE_MS = 30_000
const POLL_MS = 25
const SEARCHES = 3

/** Runs tests against a server with a scripted model and a website on loopback, shared by the files of a worker. */
export const test = sharedTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('website', { scope: 'test' }, async ({}, { onCleanup }) => {
    const website = await startWebsite()
    onCleanup(() => website.close())
    return website
  })

/** A file as a browser sends it. */
interface SentFile {
  readonly name: string
  readonly content: Uint8Array | string
  readonly type?: string
}

/** Sends files as `multipart/form-data`, as a browser does; other fields before them. */
export async function sendFiles<Body = KnowledgeBase>(
  server: RunningServer,
  path: string,
  files: readonly SentFile[],
  fields: Readonly<Record<string, string>> = {},
): Promise<ApiResponse<Body>> {
  const form = new FormData()
  const named = { workspaceId: String(server.workspaceId), ...fields }
  for (const [name, value] of Object.entries(named)) form.append(name, value)
  for (const { name, content, type = '' } of files) {
    form.append('files', new Blob([Buffer.from(content)], { type }), name)
  }
  return await sendRaw<Body>(server, path, { body: form })
}

/** Posts a body unchanged. Rejects for status 500, like the client of the tests. */
export async function sendRaw<Body>(
  server: RunningServer,
  path: string,
  request: { readonly body: FormData | Buffer; readonly headers?: Readonly<Record<string, string>> },
): Promise<ApiResponse<Body>> {
  const { body, headers = {} } = request
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, ...headers },
    body: body instanceof FormData ? body : new Uint8Array(body),
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  const text = await response.text()
  if (response.status >= 500 && response.status !== 503) throw new Error(`${path}: ${text}\n${server.output}`)
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Body }
}

/** A new knowledge base as returned on creation, with unprocessed sources. */
export async function createBase(server: RunningServer, fields: object = {}): Promise<KnowledgeBase> {
  return await expectBody(201, send<KnowledgeBase>(server, 'POST', BASES, { name: 'Documents', ...fields }))
}

export async function readBase(server: RunningServer, knowledgeBaseId: string): Promise<KnowledgeBase> {
  return await expectBody(200, read<KnowledgeBase>(server, `${BASES}/${knowledgeBaseId}`))
}

/** Waits until the knowledge base matches. Fails with the last state after a timeout. */
export async function waitForBase(
  server: RunningServer,
  knowledgeBaseId: string,
  isSo: (base: KnowledgeBase) => boolean,
): Promise<KnowledgeBase> {
  const until = Date.now() + DEADLINE_MS
  for (;;) {
    const base = await readBase(server, knowledgeBaseId)
    if (isSo(base)) return base
    if (Date.now() > until) expect.fail(`Not in time:\n${JSON.stringify(base, null, 1)}\n${server.output}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Whether no source is being processed. */
export function isSettled({ status }: Pick<KnowledgeBase, 'status'>): boolean {
  return status === 'ready' || status === 'error'
}

/** Waits until all sources are processed. */
export function settled(server: RunningServer, { knowledgeBaseId }: Pick<KnowledgeBase, 'knowledgeBaseId'>) {
  return waitForBase(server, knowledgeBaseId, isSettled)
}

/** Creates a knowledge base and waits until its sources are processed. */
export async function readyBase(server: RunningServer, fields: object): Promise<KnowledgeBase> {
  return await settled(server, await createBase(server, fields))
}

/** Creates a knowledge base from files and waits until they are processed. */
export async function baseOfFiles(server: RunningServer, files: readonly SentFile[]): Promise<KnowledgeBase> {
  const { knowledgeBaseId } = await createBase(server)
  const answer = await sendFiles(server, `${BASES}/${knowledgeBaseId}/sources`, files)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return await settled(server, answer.body)
}

/** Returns the source with this file name, title or URL, or fails. */
export function sourceOf({ sources }: Pick<KnowledgeBase, 'sources'>, name: string): KnowledgeSource {
  const found = sources.find(({ filename, title, url }) => [filename, title, url].includes(name))
  if (found === undefined) return expect.fail(`No source "${name}" in ${JSON.stringify(sources)}`)
  return found
}

/** The passages for a question. Repeats a search that is answered with "not ready", as clients do. */
export async function search(
  server: RunningServer,
  { knowledgeBaseId }: Pick<KnowledgeBase, 'knowledgeBaseId'>,
  query: string,
  fields: object = {},
): Promise<Passage[]> {
  const path = `${BASES}/${knowledgeBaseId}/search`
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send<Passage[]>(server, 'POST', path, { query, ...fields })
    if (answer.status === 503 && attempt < SEARCHES) continue
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }
}

/** Refreshes everything and waits until that is done. */
export async function refresh(server: RunningServer, { knowledgeBaseId }: KnowledgeBase): Promise<KnowledgeBase> {
  const answer = await expectBody(200, send<KnowledgeBase>(server, 'POST', `${BASES}/${knowledgeBaseId}/refresh`))
  return await settled(server, answer)
}

/** Creates a chat with a new agent that uses these knowledge bases. */
export async function createChatOnBases(
  server: RunningServer,
  bases: readonly Pick<KnowledgeBase, 'knowledgeBaseId'>[],
  llm: object = {},
): Promise<string> {
  const knowledge_base_ids = bases.map(({ knowledgeBaseId }) => knowledgeBaseId)
  const general_prompt = 'You answer questions of customers of Hillside Cycles.'
  const agent = await createAgent(server, {}, { model: 'offline', general_prompt, knowledge_base_ids, ...llm })
  return (await createChat(server, agent)).chatId
}

/** Creates a client with another token. */
export function clientOf(server: RunningServer, token: string) {
  return createApiClient(server.url, { token, explain: () => server.output })
}
