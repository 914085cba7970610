import type { Llm, LlmSummary, LlmWritten } from '@parley/contract/llm'
import { describe, expect } from 'vitest'
import { hideSecrets } from '../../packages/server/src/features/engines/tool-secrets.ts'
import {
  createAgent,
  createLlm,
  expectBody,
  read,
  remove,
  send,
  test,
  waitForNextMillisecond,
} from '../../testing/server-test.ts'
import { EVERY_TOOL } from './every-tool.ts'

describe('creating', () => {
  test('needs nothing but the workspace', async ({ server }) => {
    const { status, headers, body } = await send(server, 'POST', '/api/v1/llms')
    expect(status).toBe(201)
    expect(headers.get('etag')).toBe('"1"')
    expect(headers.get('x-ignored-fields')).toBeNull()
    expect(body).toMatchObject({
      llm_id: expect.stringMatching(/^llm_[0-9a-f]{26}$/),
      version: 1,
      display_name: '',
      general_prompt: '',
      begin_message: null,
      responsiveness: 'balanced',
      general_tools: [],
      default_dynamic_variables: {},
      warnings: [],
    })
  })

  test('keeps every field of every tool', async ({ server }) => {
    const given = {
      display_name: 'Everything 🎉',
      model: 'openai/gpt-4.1',
      model_temperature: 0.5,
      general_prompt: 'Say {{greeting}}.\nNothing else.',
      begin_message: '',
      responsiveness: 'slow',
      general_tools: EVERY_TOOL,
      states: [{ name: 'hello', edges: [{ destination_state_name: 'hello', description: 'Again' }] }],
      starting_state: 'hello',
      mcps: [{ mcp_id: 'mcp_1', name: 'Shop', url: 'https://shop.example/mcp' }],
      default_dynamic_variables: { greeting: 'Hello' },
    }
    const created = await createLlm(server, given)
    const { general_tools: tools } = hideSecrets({ general_tools: EVERY_TOOL })
    expect(created).toMatchObject({ ...given, general_tools: tools })
    expect(created.general_tools).toEqual(tools)
    expect(created.warnings).toEqual([expect.stringContaining('openai/gpt-4.1')])
    const stored = await expectBody(200, read<Llm>(server, `/api/llms/${created.llm_id}`))
    expect(stored.general_tools).toEqual(tools)
    const { warnings: _warnings, ...rest } = created
    expect(stored).toEqual(rest)
    const again = await send<LlmWritten>(server, 'PATCH', `/api/llms/${created.llm_id}`, stored)
    expect(again.status).toBe(200)
    expect(again.body.general_tools).toEqual(tools)
    expect(again.body.version).toBe(1)
  })

  test('answers under the other prefix and takes camel case', async ({ server }) => {
    const created = await expectBody(
      201,
      send<LlmWritten>(server, 'POST', '/api/llms', {
        displayName: 'Camel',
        'general-prompt': 'Kebab',
        generalTools: [{ type: 'end_call', name: 'bye', executionMessageType: 'prompt' }],
        default_dynamic_variables: { myVariable: 'a', my_variable: 'b' },
      }),
    )
    expect(created).toMatchObject({
      display_name: 'Camel',
      general_prompt: 'Kebab',
      general_tools: [{ type: 'end_call', name: 'bye', execution_message_type: 'prompt' }],
      default_dynamic_variables: { myVariable: 'a', my_variable: 'b' },
    })
    const snake = await server.call('POST', '/api/llms', { body: { workspace_id: server.workspaceId } })
    expect(snake.status).toBe(201)
  })

  test('lists ignored fields', async ({ server }) => {
    const { status, headers, body } = await send(server, 'POST', '/api/v1/llms', {
      llm_id: 'llm_mine',
      version: 7,
      'a b,c': 1,
      ünknown: 2,
      general_tools: [{ type: 'end_call', name: 'bye', url: 'x' }],
    })
    expect(status).toBe(201)
    expect(body.version).toBe(1)
    const ignored = (headers.get('x-ignored-fields') ?? '').split(', ').map(decodeURIComponent)
    expect(ignored.sort()).toEqual(['a b,c', 'general_tools[0].url', 'llm_id', 'version', 'ünknown'].sort())
  })

  test('twice with one Idempotency-Key makes one', async ({ server }) => {
    const headers = { 'idempotency-key': 'llm-once' }
    const first = await send(server, 'POST', '/api/v1/llms', { display_name: 'Once' }, { headers })
    const second = await send(server, 'POST', '/api/v1/llms', { display_name: 'Once' }, { headers })
    expect(second.status).toBe(201)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('etag')).toBe('"1"')
    expect(second.body).toEqual(first.body)
    const other = await send(server, 'POST', '/api/v1/llms', { display_name: 'Other' }, { headers })
    expect(other.status).toBe(422)
    expect(other.body.code).toBe('idempotency_key_reused')
  })

  test('at once with one Idempotency-Key makes one', async ({ server }) => {
    const attempts = Array.from({ length: 8 }, () =>
      send(server, 'POST', '/api/v1/llms', { display_name: 'Race' }, { headers: { 'idempotency-key': 'llm-race' } }),
    )
    const answers = await Promise.all(attempts)
    for (const { status, body, headers } of answers) {
      expect([201, 409]).toContain(status)
      if (status === 409) expect(body.code).toBe('idempotency_in_progress')
      if (status === 409) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.llm_id))
    expect(ids.size).toBe(1)
  })

  test('a refusal is replayed too', async ({ server }) => {
    const headers = { 'idempotency-key': 'llm-bad' }
    const body = { voice_id: 'voice_no', response_engine: { type: 'llm', llm_id: 'llm_no' } }
    const first = await send(server, 'POST', '/api/agents', body, { headers })
    const second = await send(server, 'POST', '/api/agents', body, { headers })
    expect([first.status, second.status]).toEqual([400, 400])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.body.details).toEqual(first.body.details)
  })
})

describe('reading', () => {
  test('a version by number, latest, active; others do not exist', async ({ server }) => {
    const { llm_id } = await createLlm(server, { general_prompt: 'One' })
    const path = `/api/llms/${llm_id}`
    await expectBody(200, send(server, 'POST', `${path}/publish`, { title: 'First' }))
    await expectBody(200, send(server, 'PATCH', path, { general_prompt: 'Two' }))
    const versionOf = async (version: string) => (await expectBody(200, read<Llm>(server, path, { version }))).version
    expect(await versionOf('1')).toBe(1)
    expect(await versionOf('2')).toBe(2)
    expect(await versionOf('latest')).toBe(2)
    expect(await versionOf('active')).toBe(1)
    expect((await expectBody(200, read<Llm>(server, path))).version).toBe(2)
    expect((await read(server, path, { version: 3 })).status).toBe(404)
    for (const version of ['0', '-1', '1.5', 'two', '99999999999', '']) {
      expect((await read(server, path, { version })).status, version).toBe(400)
    }
  })

  test('the list has summaries, newest first', async ({ server }) => {
    const older = await expectBody(200, read<LlmSummary[]>(server, '/api/v1/llms'))
    const made = older.map(({ llm_id }) => llm_id)
    for (const display_name of ['A', 'B', 'C']) {
      waitForNextMillisecond()
      made.unshift((await createLlm(server, { display_name })).llm_id)
    }
    const all = await read<LlmSummary[]>(server, '/api/v1/llms')
    expect(all.status).toBe(200)
    expect(all.body.map(({ llm_id }) => llm_id)).toEqual(made)
  })
})

describe('changing', () => {
  test('edits an unused draft in place and honours If-Match', async ({ server }) => {
    const { llm_id } = await createLlm(server, { display_name: 'Draft', begin_message: 'Hi' })
    const path = `/api/llms/${llm_id}`
    const first = await send<LlmWritten>(
      server,
      'PATCH',
      path,
      { general_prompt: 'New' },
      { headers: { 'if-match': '"1"' } },
    )
    expect(first.status).toBe(200)
    expect(first.headers.get('etag')).toBe('"2"')
    expect(first.body).toMatchObject({ version: 1, display_name: 'Draft', general_prompt: 'New', begin_message: 'Hi' })
    const stale = await send(server, 'PATCH', path, { general_prompt: 'Newer' }, { headers: { 'if-match': '"1"' } })
    expect([stale.status, stale.body.code]).toEqual([412, 'version_conflict'])
    const foreign = await remove(server, path, { headers: { 'if-match': '"abc"' } })
    expect([foreign.status, foreign.body.code]).toEqual([412, 'version_conflict'])
    expect((await send(server, 'PATCH', path, {}, { headers: { 'if-match': '*' } })).status).toBe(200)
    const cleared = await expectBody(
      200,
      send<LlmWritten>(server, 'PATCH', path, { begin_message: null, display_name: null }),
    )
    expect(cleared).toMatchObject({ begin_message: null, display_name: '', general_prompt: 'New' })
  })

  test('publishing freezes and names a version', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const published = await send<Llm>(server, 'POST', `/api/llms/${llm_id}/publish`, {
      title: 'Launch',
      description: 'Go',
    })
    expect(published.status).toBe(200)
    expect(published.headers.get('etag')).toBe('"2"')
    expect(published.body).toMatchObject({ is_published: true, is_frozen: true, version_title: 'Launch' })
    expect((await send(server, 'POST', `/api/llms/${llm_id}/publish`, { version: 9 })).status).toBe(404)
  })

  test('the version in query and body must agree', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const body = { version: 1, display_name: 'x' }
    expect((await send(server, 'PATCH', `/api/llms/${llm_id}?version=1`, body)).status).toBe(200)
    expect((await send(server, 'PATCH', `/api/llms/${llm_id}?version=2`, body)).status).toBe(400)
    expect((await send(server, 'PATCH', `/api/llms/${llm_id}?version=2`, { display_name: 'x' })).status).toBe(404)
  })
})

describe('deleting', () => {
  test('is refused while an agent uses it', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const agent = await createAgent(server, { agent_name: 'User', response_engine: { type: 'llm', llm_id } })
    const refused = await remove(server, `/api/llms/${llm_id}`)
    expect([refused.status, refused.body.code]).toEqual([422, 'in_use'])
    expect(JSON.stringify(refused.body)).toContain(agent.agent_id)
    expect((await remove(server, `/api/agents/${agent.agent_id}`)).status).toBe(204)
    const removed = await remove(server, `/api/llms/${llm_id}`)
    expect([removed.status, removed.body]).toEqual([204, ''])
    expect((await read(server, `/api/llms/${llm_id}`)).status).toBe(404)
    expect((await remove(server, `/api/llms/${llm_id}`)).status).toBe(404)
  })

  test('takes a content type without a body', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const { status } = await remove(server, `/api/llms/${llm_id}`, { headers: { 'content-type': 'application/json' } })
    expect(status).toBe(204)
  })
})
