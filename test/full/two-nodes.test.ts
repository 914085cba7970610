import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { Llm } from '@parley/contract/llm'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { isRecord, type ModelServerRequest } from '../../testing/model-server/reply.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { createAgent, createChat, createLlm, expectBody, read, readChat, send } from '../../testing/server-test.ts'
import { type Cluster, eventually, hasPostgres, startCluster } from './cluster.ts'

const WRITERS = 200

/** Returns a reply that quotes the user's message. */
function echo({ body }: ModelServerRequest) {
  const messages = Array.isArray(body.messages) ? (body.messages as unknown[]).filter(isRecord) : []
  const userText = messages.findLast((message) => message.role === 'user')
  return { text: `You said ${String(userText?.content)} to me.`, delayPerWordMs: 1 }
}

describe.skipIf(!hasPostgres)('two nodes on one database', () => {
  let opening: Promise<{ cluster: Cluster; stack: AsyncDisposableStack }> | undefined

  async function openCluster(): Promise<Cluster> {
    opening ??= (async () => {
      const stack = new AsyncDisposableStack()
      const model = stack.use(await startModelServer({ keepRequests: false }))
      model.defaultReply = echo
      const env = { OPENAI_BASE_URL: `${model.url}/v1`, DATABASE_CONNECTIONS: '20' }
      return { cluster: stack.use(await startCluster({ env })), stack }
    })()
    return (await opening).cluster
  }

  afterAll(async () => {
    if (opening !== undefined) await (await opening).stack.disposeAsync()
  })

  /** Returns the node for an index. Consecutive writers use different nodes. */
  const nodeOf = ({ nodes }: Cluster, index: number): RunningServer => (index % 2 === 0 ? nodes[0] : nodes[1])

  const writers = (work: (index: number) => Promise<void>): Promise<unknown> =>
    Promise.all(Array.from({ length: WRITERS }, (_, index) => work(index)))

  test('200 concurrent writers lose no updates', async () => {
    const cluster = await openCluster()
    const llms = await Promise.all(
      Array.from({ length: 20 }, () => createLlm(cluster.nodes[0], { general_prompt: '' })),
    )
    await writers(async (index) => {
      const server = nodeOf(cluster, index)
      const path = `/api/v1/llms/${llms[index % llms.length]?.llm_id}`
      for (;;) {
        const current = await server.call<Llm>('GET', path, { query: { workspaceId: 1 } })
        const general_prompt = `${current.body.general_prompt} [${index}]`
        const headers = { 'if-match': current.headers.get('etag') ?? '' }
        const { status } = await send(server, 'PATCH', path, { general_prompt }, { headers })
        if (status === 200) return
        expect([412, 503]).toContain(status)
      }
    })
    const prompts = await Promise.all(
      llms.map(
        async ({ llm_id }) =>
          (await expectBody(200, read<Llm>(cluster.nodes[1], `/api/v1/llms/${llm_id}`))).general_prompt,
      ),
    )
    const marks = prompts.flatMap((prompt) => [...prompt.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1])))
    expect(marks.toSorted((a, b) => a - b)).toEqual(Array.from({ length: WRITERS }, (_, index) => index))
  })

  test('200 concurrent requests with one Idempotency-Key create one resource', async () => {
    const cluster = await openCluster()
    const createdIds = new Set<string>()
    await writers(async (index) => {
      const server = nodeOf(cluster, index)
      const headers = { 'idempotency-key': 'the-same-everywhere' }
      for (;;) {
        const { status, body } = await send<Llm>(server, 'POST', '/api/v1/llms', { model: 'offline' }, { headers })
        if (status === 201) return void createdIds.add(body.llm_id)
        expect([409, 503]).toContain(status)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })
    expect(createdIds.size).toBe(1)
  })

  test('sequential ids are unique, and resources of one node are immediately visible on the other', async () => {
    const cluster = await openCluster()
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const creating = nodeOf(cluster, index).call<{ id: number }>('POST', '/api/workspaces', {
          body: { name: `Workspace ${index}` },
        })
        const { id } = await expectBody(201, creating)
        // The other node must accept the workspace even before it is notified.
        const body = { workspaceId: id }
        expect((await nodeOf(cluster, index + 1).call('POST', '/api/v1/llms', { body })).status).toBe(201)
        return id
      }),
    )
    expect(new Set(ids).size).toBe(40)
  })

  test('200 messages to 10 chats get matching replies in order', async () => {
    const cluster = await openCluster()
    const agent = await createAgent(cluster.nodes[0], {}, { model: 'gpt-4.1' })
    const chats = await Promise.all(Array.from({ length: 10 }, () => createChat(cluster.nodes[0], agent)))
    await writers(async (index) => {
      const chat = chats[index % chats.length] as Chat
      const content = `message ${index}`
      const answer = send<{ messages: ChatMessage[] }>(
        nodeOf(cluster, Math.floor(index / 10)),
        'POST',
        `/api/chats/${chat.chatId}/completions`,
        { content },
        { headers: { 'idempotency-key': `key-${index}` } },
      )
      expect((await expectBody(201, answer)).messages.at(-1)?.content).toBe(`You said ${content} to me.`)
    })
    for (const { chatId } of chats) {
      const said = (await readChat(cluster.nodes[1], chatId)).messages.filter(({ role }) => role !== 'system')
      const opening = said[0]?.role === 'assistant' ? 1 : 0
      expect(said.length - opening).toBe(40)
      for (let index = opening; index < said.length; index += 2) {
        expect(said[index + 1]?.content).toBe(`You said ${said[index]?.content} to me.`)
      }
    }
    await checkChats(cluster)
  })

  test('a token that one node revokes is invalid on the other', async () => {
    const { nodes } = await openCluster()
    const createdIds = await expectBody(
      201,
      nodes[0].call<{ token: string; tokenId: string }>('POST', '/api/tokens', { body: { name: 'x' } }),
    )
    const headers = { authorization: `Bearer ${createdIds.token}` }
    const asOther = async () => (await nodes[1].call('GET', '/api/workspaces', { headers })).status
    expect(await asOther()).toBe(200)
    await nodes[0].call('DELETE', `/api/tokens/${createdIds.tokenId}`)
    await eventually('revoked', 2_000, async () => ((await asOther()) === 401 ? true : null), 20)
  })
})

/** Checks in the database that positions have no gaps, counts are correct, and no turn is running or waiting. */
async function checkChats({ databaseUrl }: Cluster): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const none = async (query: string): Promise<void> => expect((await client.query(query)).rows).toEqual([])
    await none(
      'select chat_id from messages group by chat_id having min(position) <> 0 or max(position) <> count(*) - 1',
    )
    await none(`select chat_id from chats where active_turn_id is not null
      or message_count <> (select count(*) from messages where messages.chat_id = chats.chat_id)
      or turn_count <> (select count(*) from turns where turns.chat_id = chats.chat_id)`)
    await none(`select turn_id from turns where status = 'running'`)
    await none('select turn_id from waiting_turns')
  } finally {
    await client.end()
  }
}
