import type { Agent, AgentVersion } from '@parley/contract/agent'
import type { Chat } from '@parley/contract/chat'
import type { ConversationFlow, ConversationFlowWritten } from '@parley/contract/conversation-flow'
import { describe, expect } from 'vitest'
import type { RunningServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, createLlm, expectBody, read, send, test } from '../../../testing/server-test.ts'
import { makeFlow, makeNumber, PLAIN_NODES } from './scene.ts'

interface Kind {
  readonly path: string
  /** Creates a resource and returns its ID. */
  readonly create: (server: RunningServer) => Promise<string>
  /** A change in a request and in a response. */
  readonly change: (word: string) => Readonly<Record<string, string>>
}

const onNewLlm = async (server: RunningServer) => ({
  response_engine: { type: 'llm', llm_id: (await createLlm(server)).llm_id },
})

const KINDS: Readonly<Record<string, Kind>> = {
  'an LLM configuration': {
    path: '/api/llms',
    create: async (server) => (await createLlm(server)).llm_id,
    change: (general_prompt) => ({ general_prompt }),
  },
  'a flow': {
    path: '/api/conversation-flows',
    create: async (server) => (await makeFlow(server)).conversation_flow_id,
    change: (global_prompt) => ({ global_prompt }),
  },
  'an agent': {
    path: '/api/agents',
    create: async (server) => (await createAgent(server)).agent_id,
    change: (agent_name) => ({ agent_name }),
  },
  'a chat agent': {
    path: '/api/chat-agents',
    create: async (server) => {
      const made = send<Agent>(server, 'POST', '/api/chat-agents', await onNewLlm(server))
      return (await expectBody(201, made)).agent_id
    },
    change: (agent_name) => ({ agent_name }),
  },
}

describe.each(Object.entries(KINDS))('%s', (_name, { path, create, change }) => {
  test('starts at version 1 and is edited in place until it is frozen', async ({ server }) => {
    const own = `${path}/${await create(server)}`
    expect(await expectBody(200, send(server, 'PATCH', own, change('one')))).toMatchObject({
      version: 1,
      ...change('one'),
    })
    const named = await expectBody(200, send(server, 'PATCH', `${own}?version=1`, change('two')))
    expect(named).toMatchObject({ version: 1, is_frozen: false, ...change('two') })
    expect(await expectBody(200, send(server, 'POST', `${own}/publish`))).toMatchObject({ version: 1, is_frozen: true })
    for (const frozen of [
      send(server, 'PATCH', `${own}?version=1`, change('no')),
      send(server, 'PATCH', own, { version: 1, ...change('no') }),
    ]) {
      const { status, body } = await frozen
      expect([status, body.code]).toEqual([422, 'version_frozen'])
    }
    const next = await expectBody(200, send(server, 'PATCH', own, change('three')))
    expect(next).toMatchObject({ version: 2, is_frozen: false, ...change('three') })
    expect(await expectBody(200, read(server, own, { version: 1 }))).toMatchObject(change('two'))
    expect(await expectBody(200, read(server, own, { version: 'latest' }))).toMatchObject({
      version: 2,
      ...change('three'),
    })
    expect((await send(server, 'PATCH', `${own}?version=3`, change('no'))).status).toBe(404)
    expect((await send(server, 'PATCH', `${own}?version=0`, change('no'))).status).toBe(400)
  })

  test('counts its edits, and an ETag detects concurrent edits', async ({ server }) => {
    const own = `${path}/${await create(server)}`
    const known = (await read(server, own)).headers.get('etag') ?? ''
    const first = await send(server, 'PATCH', own, change('first'), { headers: { 'if-match': known } })
    expect([first.status, known, first.headers.get('etag')]).toEqual([200, '"1"', '"2"'])
    const stale = await send(server, 'PATCH', own, change('stale'), { headers: { 'if-match': known } })
    expect([stale.status, stale.body.code]).toEqual([412, 'version_conflict'])
    expect(await expectBody(200, read(server, own))).toMatchObject(change('first'))
    const careless = await send(server, 'PATCH', own, change('last'))
    expect([careless.status, careless.headers.get('etag')]).toEqual([200, '"3"'])
  })
})

describe('two editors of the same flow', () => {
  const instructed = (id: string, text: string) => ({ id, instruction: { type: 'static_text', text } })
  const textsOf = ({ nodes }: Pick<ConversationFlow, 'nodes'>) =>
    Object.fromEntries(
      nodes.map(({ id, instruction }) => [id, instruction !== undefined && 'text' in instruction && instruction.text]),
    )
  const edit = (server: RunningServer, path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    send<ConversationFlowWritten>(server, 'PATCH', path, body, { headers })

  test('without If-Match, edits of different nodes are merged and the last edit of a node wins', async ({ server }) => {
    const path = `/api/conversation-flows/${(await makeFlow(server)).conversation_flow_id}`
    // Both have read the original flow.
    const [ann, ben] = await Promise.all([
      edit(server, path, { nodes: [instructed('greet', 'Hello from Ann')] }),
      edit(server, path, { nodes: [instructed('bye', 'Bye from Ben')] }),
    ])
    expect([ann.status, ben.status]).toEqual([200, 200])
    const both = { greet: 'Hello from Ann', bye: 'Bye from Ben' }
    const merged = await expectBody(200, read<ConversationFlow>(server, path))
    expect(textsOf(merged)).toEqual(both)
    expect(merged.nodes.map(({ edges }) => edges)).toEqual(PLAIN_NODES.map(({ edges }) => edges))
    await expectBody(200, edit(server, path, { nodes: [instructed('greet', 'Hello from Ben')] }))
    const added = { ...instructed('ask', 'And now?'), type: 'conversation' }
    await expectBody(200, edit(server, path, { nodes: [added], global_prompt: 'Ann was here' }))
    const last = await expectBody(200, read<ConversationFlow>(server, path))
    expect(textsOf(last)).toEqual({ greet: 'Hello from Ben', bye: 'Bye from Ben', ask: 'And now?' })
    expect(last.global_prompt).toBe('Ann was here')
  })

  test('with If-Match, the outdated edit is refused and nothing is written', async ({ server }) => {
    const path = `/api/conversation-flows/${(await makeFlow(server)).conversation_flow_id}`
    const headers = { 'if-match': (await read(server, path)).headers.get('etag') ?? '' }
    const answers = await Promise.all(
      ['Ann', 'Ben'].map((name) => edit(server, path, { nodes: [instructed('greet', name)] }, headers)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
    const winner = answers.find(({ status }) => status === 200)
    const stored = await read<ConversationFlow>(server, path)
    expect(stored.body.nodes).toEqual(winner?.body.nodes)
    const again = { 'if-match': stored.headers.get('etag') ?? '' }
    expect((await edit(server, path, { nodes: [instructed('bye', 'Ben')] }, again)).status).toBe(200)
  })

  test('only explicitly removed nodes are deleted', async ({ server }) => {
    const path = `/api/conversation-flows/${(await makeFlow(server)).conversation_flow_id}`
    const idsAfter = async (body: object) => (await expectBody(200, edit(server, path, body))).nodes.map(({ id }) => id)
    expect(await idsAfter({ nodes: [] })).toEqual(['greet', 'bye'])
    expect(await idsAfter({ nodes: [{ id: 'extra', type: 'end' }] })).toEqual(['greet', 'bye', 'extra'])
    expect(await idsAfter({ removeNodeIds: ['extra'] })).toEqual(['greet', 'bye'])
    const refused = await edit(server, path, { removeNodeIds: ['bye'] })
    expect(refused.status).toBe(400)
    expect(await idsAfter({ nodes: [{ id: 'only', type: 'end' }], replaceNodes: true, start_node_id: 'only' })).toEqual(
      ['only'],
    )
  })
})

describe('an edit of an engine', () => {
  const agentVersions = async (server: RunningServer, { agent_id }: Pick<Agent, 'agent_id'>) => {
    const listed = await expectBody(200, read<AgentVersion[]>(server, `/api/agents/${agent_id}/versions`))
    return listed.map(({ version }) => version)
  }
  const activeEngine = async (server: RunningServer, { agent_id }: Pick<Agent, 'agent_id'>) =>
    (await expectBody(200, read<Agent>(server, `/api/agents/${agent_id}`))).response_engine.version

  test('reaches the next chat of an unpublished agent but not of a published one', async ({ server }) => {
    const { llm_id } = await createLlm(server, { begin_message: 'Before' })
    const response_engine = { type: 'llm', llm_id }
    const draft = await createAgent(server, { response_engine })
    const published = await createAgent(server, { agent_name: 'Published', response_engine })
    await expectBody(200, send(server, 'POST', `/api/agents/${published.agent_id}/publish`))
    const opening = async (agent: Pick<Agent, 'agent_id'>): Promise<string> => {
      const { messages } = await createChat(server, agent)
      return messages[0]?.content ?? ''
    }
    const standing = await createChat(server, draft)
    const edited = await expectBody(
      200,
      send<{ version: number; warnings: string[] }>(server, 'PATCH', `/api/llms/${llm_id}`, { begin_message: 'After' }),
    )
    expect(edited.version).toBe(2)
    expect(edited.warnings.join()).toContain('Published')
    expect([await opening(draft), await opening(published)]).toEqual(['After', 'Before'])
    const kept = await expectBody(200, read<Chat>(server, `/api/chats/${standing.chatId}`))
    expect([kept.version, kept.responseEngine.version, kept.messages[0]?.content]).toEqual([1, 1, 'Before'])
    expect([await agentVersions(server, draft), await agentVersions(server, published)]).toEqual([[2, 1], [1]])
  })

  test('of a flow creates the next version of an unpublished agent that was used', async ({ server }) => {
    const { conversation_flow_id } = await makeFlow(server)
    const response_engine = { type: 'conversation-flow', conversation_flow_id }
    const unused = await createAgent(server, { response_engine })
    const bound = await createAgent(server, { response_engine })
    const published = await createAgent(server, { agent_name: 'Published', response_engine })
    const pinned = await createAgent(server, {
      agent_name: 'Pinned',
      response_engine: { ...response_engine, version: 1 },
    })
    await expectBody(200, send(server, 'POST', `/api/agents/${published.agent_id}/publish`))
    await bindTo(server, '+15555030000', bound.agent_id)
    const path = `/api/conversation-flows/${conversation_flow_id}`
    const edited = await expectBody(
      200,
      send<ConversationFlowWritten>(server, 'PATCH', path, { global_prompt: 'After' }),
    )
    expect(edited.version).toBe(2)
    expect(edited.warnings.join()).toMatch(/Published/)
    expect(edited.warnings.join()).toMatch(/Pinned/)
    expect(await agentVersions(server, bound)).toEqual([2, 1])
    expect([await activeEngine(server, unused), await activeEngine(server, bound)]).toEqual([null, null])
    expect([await activeEngine(server, published), await activeEngine(server, pinned)]).toEqual([1, 1])
    expect([await agentVersions(server, published), await agentVersions(server, pinned)]).toEqual([[1], [1]])
    const first = await expectBody(200, read<Agent>(server, `/api/agents/${bound.agent_id}`, { version: 1 }))
    expect(first.response_engine).toEqual({ ...response_engine, version: 1 })
  })
})

/** Assigns version 1 of an agent to a new number. */
async function bindTo(server: RunningServer, number: string, agent_id: string): Promise<void> {
  await makeNumber(server, number)
  const body = { inboundAgents: [{ agent_id, agent_version: 1, weight: 1 }] }
  await expectBody(200, send(server, 'PUT', `/api/numbers/${encodeURIComponent(number)}/agent`, body))
}

describe('an assignment to a number', () => {
  test('with a version freezes it and the version of its engine', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const { agent_id } = await createAgent(server, { response_engine: { type: 'llm', llm_id } })
    await bindTo(server, '+15555040000', agent_id)
    const agent = await expectBody(200, read<Agent>(server, `/api/agents/${agent_id}`))
    expect(agent).toMatchObject({ version: 1, is_frozen: true, response_engine: { llm_id, version: 1 } })
    const frozen = await send(server, 'PATCH', `/api/agents/${agent_id}?version=1`, { agent_name: 'No' })
    expect([frozen.status, frozen.body.code]).toEqual([422, 'version_frozen'])
    const engine = await send(server, 'PATCH', `/api/llms/${llm_id}?version=1`, { general_prompt: 'No' })
    expect([engine.status, engine.body.code]).toEqual([422, 'version_frozen'])
    const next = await expectBody(200, send<Agent>(server, 'PATCH', `/api/agents/${agent_id}`, { agent_name: 'Next' }))
    expect(next).toMatchObject({ version: 2, is_frozen: false, response_engine: { version: null } })
  })

  test('with an outbound version freezes it', async ({ server }) => {
    const { agent_id } = await createAgent(server)
    const { number } = await makeNumber(server, '+15555010000')
    const body = { outboundAgentId: agent_id, outboundAgentVersion: 1 }
    await expectBody(200, send(server, 'PUT', `/api/numbers/${number.slice(1)}/agent`, body))
    expect(await expectBody(200, read(server, `/api/agents/${agent_id}`))).toMatchObject({ is_frozen: true })
  })

  test('without a version freezes nothing', async ({ server }) => {
    const { agent_id } = await createAgent(server)
    const { number } = await makeNumber(server, '+15555020000')
    const body = { outboundAgentId: agent_id, inboundAgents: [{ agent_id, weight: 1 }] }
    await expectBody(200, send(server, 'PUT', `/api/numbers/${number.slice(1)}/agent`, body))
    expect(await expectBody(200, read(server, `/api/agents/${agent_id}`))).toMatchObject({
      version: 1,
      is_frozen: false,
    })
  })
})
