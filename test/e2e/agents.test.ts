import type { Agent, AgentWritten } from '@parley/contract/agent'
import type { SavedAgentDraft } from '@parley/contract/agent-draft'
import type { Chat } from '@parley/contract/chat'
import { describe, expect } from 'vitest'
import {
  createAgent,
  createChat,
  createLlm,
  expectBody,
  read,
  remove,
  send,
  test,
  VOICE,
  waitForNextMillisecond,
} from '../../testing/server-test.ts'

describe('creating', () => {
  test('needs a voice and an engine; the rest has defaults', async ({ server }) => {
    const { llm_id } = await createLlm(server, { responsiveness: 'balanced' })
    const body = { voice_id: VOICE, response_engine: { type: 'llm', llm_id } }
    const { status, headers, body: agent } = await send(server, 'POST', '/api/agents', body)
    expect(status).toBe(201)
    expect(headers.get('etag')).toBe('"1"')
    expect(agent).toMatchObject({
      agent_id: expect.stringMatching(/^agent_[0-9a-f]{26}$/),
      workspaceId: server.workspaceId,
      version: 1,
      agent_name: '',
      response_engine: { type: 'llm', llm_id, version: null },
      response_threshold: 400,
      interruption_sensitivity: 'high',
      ambient_sound: 'none',
      responsiveness: 'balanced',
      max_call_duration_ms: 3_600_000,
      fallback_models: [],
      is_published: false,
      is_frozen: false,
      is_active: true,
      warnings: [],
    })
  })

  test('stores every field, under both prefixes, in both spellings', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const given = {
      agent_name: 'Robin',
      voice_id: VOICE,
      response_engine: { type: 'retell-llm', llm_id, version: 1 },
      response_threshold: 0,
      interruption_sensitivity: '0.25',
      ambient_sound: 'coffee-shop',
      language: 'de-CH',
      timezone: 'Europe/Zurich',
      fallback_models: ['offline', 'openai/gpt-4.1-mini'],
      fallback_message: 'Sorry.',
    }
    const created = await createAgent(server, given)
    expect(created).toMatchObject(given)
    expect(created.warnings).toEqual([expect.stringContaining('openai/gpt-4.1-mini')])
    const { status, body, headers } = await send(server, 'POST', '/api/v1/agents', {
      agentName: 'Camel',
      voiceId: VOICE,
      responseEngine: { type: 'llm', llmId: llm_id },
      interruptionSensitivity: 0.5,
      responsiveness: 'slow',
      max_call_duration_ms: 1,
    })
    expect(status).toBe(201)
    expect(headers.get('x-ignored-fields')?.split(', ').sort()).toEqual(['max_call_duration_ms', 'responsiveness'])
    expect(body).toMatchObject({ agent_name: 'Camel', interruption_sensitivity: '0.5', responsiveness: 'balanced' })
  })

  test('accepts a server of the customer as its engine', async ({ server }) => {
    const response_engine = { type: 'custom_llm', llm_websocket_url: 'wss://example.com/llm' }
    const agent = await createAgent(server, { response_engine })
    expect(agent.response_engine).toEqual({ ...response_engine, version: null })
    expect(agent.warnings).toEqual([])
    const chat = await send(server, 'POST', '/api/chats', { agentId: agent.agent_id })
    expect([chat.status, chat.body.messages]).toEqual([201, []])
  })

  test('refuses unknown references and invalid values, with paths', async ({ server }) => {
    const answer = await send<{ details: { path: string }[] }>(server, 'POST', '/api/agents', {
      voice_id: 'voice_no',
      response_engine: { type: 'llm', llm_id: 'llm_no' },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.details.map(({ path }) => path)).toEqual(['voice_id', 'response_engine.llm_id'])
    const { llm_id } = await createLlm(server)
    const fields = { voice_id: VOICE, response_engine: { type: 'llm', llm_id } }
    for (const [name, value] of [
      ['response_threshold', 5001],
      ['response_threshold', -1],
      ['interruption_sensitivity', 'loud'],
      ['interruption_sensitivity', 1.5],
      ['ambient_sound', 'disco'],
      ['timezone', 'Mars/Phobos'],
      ['response_engine', { type: 'llm', llm_id, version: 9 }],
      ['response_engine', { type: 'other' }],
      ['fallback_models', ['a b']],
    ] as const) {
      const { status, body } = await send(server, 'POST', '/api/agents', { ...fields, [name]: value })
      expect([status, body.code], name).toEqual([400, 'invalid_request'])
      expect(JSON.stringify(body.details)).toContain(`"path":"${name}`)
    }
  })
})

describe('reading', () => {
  test('the list has whole agents, newest first', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const older = await expectBody(200, read<Agent[]>(server, '/api/agents'))
    const made: AgentWritten[] = []
    for (const agent_name of ['A', 'B', 'C']) {
      waitForNextMillisecond()
      made.unshift(await createAgent(server, { agent_name, response_engine: { type: 'llm', llm_id } }))
    }
    const all = await read<Agent[]>(server, '/api/agents')
    expect(all.status).toBe(200)
    expect(all.body).toEqual([...made.map(({ warnings: _warnings, ...agent }) => agent), ...older])
  })

  test('of one agent returns the active version', async ({ server }) => {
    const created = await createAgent(server, { agent_name: 'One' })
    const path = `/api/agents/${created.agent_id}`
    const { status, headers, body } = await read<Agent>(server, path)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"1"')
    const { warnings: _warnings, ...agent } = created
    expect(body).toEqual(agent)
    expect(await expectBody(200, read(server, path.replace('/api/', '/api/v1/')))).toEqual(agent)
    expect((await read(server, path, { version: 2 })).status).toBe(404)
    expect((await read(server, path, { version: 'x' })).status).toBe(400)
  })
})

describe('versions', () => {
  test('are published, activated, rolled back and deactivated', async ({ server }) => {
    const { agent_id } = await createAgent(server, { agent_name: 'One' })
    const path = `/api/agents/${agent_id}`
    const active = async () => (await expectBody(200, read<Agent>(server, path))).version
    const published = await expectBody(200, send<Agent>(server, 'POST', `${path}/publish`, { title: 'First' }))
    expect(published).toMatchObject({ version: 1, is_published: true, is_frozen: true, is_active: true })
    expect((await expectBody(200, send<Agent>(server, 'PATCH', path, { agent_name: 'Two' }))).version).toBe(2)
    expect(await active()).toBe(1)
    expect((await createChat(server, { agent_id })).version).toBe(1)
    expect((await createChat(server, { agent_id }, { agentVersion: 2 })).version).toBe(2)
    const rolledBack = await send<Agent>(server, 'POST', `${path}/activate`, { version: 2 })
    expect([rolledBack.status, rolledBack.body.version, rolledBack.body.is_active]).toEqual([200, 2, true])
    expect(await active()).toBe(2)
    await expectBody(200, send(server, 'POST', `${path}/activate`, { version: 1 }))
    expect(await active()).toBe(1)
    await expectBody(200, send(server, 'POST', `${path}/publish`, { version: 2 }))
    expect(await active()).toBe(1)
    expect((await expectBody(200, send<Agent>(server, 'POST', `${path}/activate`, { version: null }))).version).toBe(2)
    expect((await send(server, 'POST', `${path}/activate`, { version: 9 })).status).toBe(404)
    expect((await send(server, 'POST', `${path}/activate`)).status).toBe(400)
  })

  test('If-Match names the edit that a caller knows', async ({ server }) => {
    const { agent_id } = await createAgent(server)
    const path = `/api/agents/${agent_id}`
    const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } })
    expect((await send(server, 'PATCH', path, { agent_name: 'a' }, ifMatch('"1"'))).headers.get('etag')).toBe('"2"')
    for (const attempt of [
      send(server, 'PATCH', path, { agent_name: 'b' }, ifMatch('"1"')),
      send(server, 'POST', `${path}/publish`, {}, ifMatch('"1"')),
      remove(server, path, ifMatch('"1"')),
    ]) {
      const { status, body } = await attempt
      expect([status, body.code]).toEqual([412, 'version_conflict'])
    }
    expect((await remove(server, path, ifMatch('"2"'))).status).toBe(204)
  })

  test('an agent is saved with its LLM configuration, under both prefixes, with the tags of both', async ({
    server,
  }) => {
    const { llm_id } = await createLlm(server)
    const agent = await createAgent(server, { response_engine: { type: 'llm', llm_id } })
    const draft = `/api/agents/${agent.agent_id}/draft`
    const tags = { agentEtag: '"1"', llmEtag: '"1"' }
    const first = await send<SavedAgentDraft>(server, 'PUT', draft, {
      ...tags,
      agent: { agentName: 'Ada' },
      llm: { generalPrompt: 'Be brief.', states: null },
    })
    expect([first.status, Object.keys(first.body)]).toEqual([200, ['agent', 'agentEtag', 'llm', 'llmEtag', 'warnings']])
    expect(first.body).toMatchObject({
      agent: { agent_name: 'Ada' },
      agentEtag: '"2"',
      llm: { llm_id, general_prompt: 'Be brief.' },
      llmEtag: '"2"',
    })
    const outdated = await send(server, 'PUT', draft.replace('/api/', '/api/v1/'), { ...tags, agent: {} })
    expect([outdated.status, outdated.body.code]).toEqual([412, 'version_conflict'])
    const bad = await send<{ details: { path: string }[] }>(server, 'PUT', draft, {
      agentEtag: '2',
      agent: { volume: 3 },
      llm: { general_prompt: 1 },
    })
    expect([bad.status, bad.body.details.map(({ path }) => path)]).toEqual([
      400,
      ['agent.volume', 'agentEtag', 'llm.general_prompt'],
    ])
    const chatAgent = await send(server, 'PUT', `/api/chat-agents/${agent.agent_id}/draft`, { agent: {} })
    expect([chatAgent.status, chatAgent.body.code]).toEqual([404, 'not_found'])
  })
})

describe('deleting', () => {
  test('removes all versions and completes its chats', async ({ server }) => {
    const { agent_id } = await createAgent(server, { agent_name: 'Gone' })
    const chat = await createChat(server, { agent_id })
    const removed = await remove(server, `/api/agents/${agent_id}`)
    expect([removed.status, removed.body, removed.headers.get('content-type')]).toEqual([204, '', null])
    expect((await read(server, `/api/agents/${agent_id}`)).status).toBe(404)
    expect((await read(server, `/api/agents/${agent_id}/versions`)).status).toBe(404)
    expect((await remove(server, `/api/agents/${agent_id}`)).status).toBe(404)
    const ended = await expectBody(200, read<Chat>(server, `/api/chats/${chat.chatId}`))
    expect(ended).toMatchObject({ status: 'completed', agentId: agent_id, agentName: 'Gone' })
    expect(ended.endedAt).not.toBeNull()
    expect((await send(server, 'POST', '/api/chats', { agentId: agent_id })).status).toBe(404)
  })
})
