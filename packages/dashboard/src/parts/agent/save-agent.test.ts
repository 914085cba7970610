import type { Agent } from '@parley/contract/agent'
import type { Llm } from '@parley/contract/llm'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../lib/api/problem.ts'
import type { AgentApi, AnyAgent, DraftToSave } from './agent-api.ts'
import { extractRecordProblem, hasOnlyVersionChanges, saveDraft } from './save-agent.ts'

const target = { workspaceId: 1, agentId: 'agent_1' }
const storedAgent = {
  agent_id: 'agent_1',
  agent_name: 'Robin',
  version: 1,
  is_frozen: true,
  response_engine: { type: 'llm', llm_id: 'llm_1', version: 1 },
} as Agent

/** Starts a test server that rejects outdated ETags and writes both records or neither. */
function startServer(initialAgent: Agent) {
  let editCount = 1
  let current = initialAgent
  const formatEtag = (): string => `"${editCount}"`
  const api = {
    read: async () => ({ value: current, etag: formatEtag(), next: null }),
    async saveDraft(_target: object, { agent }: DraftToSave<Agent>) {
      if (agent !== null && agent.base.etag !== formatEtag()) {
        throw new Problem('The record was edited.', { code: 'version_conflict', status: 412 })
      }
      current = { ...current, ...agent?.edits }
      editCount += 1
      return { agent: { value: current, etag: formatEtag() }, llm: null, warnings: ['a warning'] }
    },
  } as unknown as AgentApi<Agent>
  return {
    api,
    getStoredAgent: () => current,
    /** Simulates an edit by another user. */
    simulateEdit(changes: Partial<Agent>) {
      current = { ...current, ...changes }
      editCount += 1
    },
  }
}

const renameDraft = { agent: { base: { value: storedAgent, etag: '"1"' }, edits: { agent_name: 'Ada' } }, llm: null }

test('saves edits and returns the new ETag and the warnings', async () => {
  const server = startServer(storedAgent)
  const outcome = await saveDraft({ api: server.api, target }, renameDraft)
  const agent = { value: { ...storedAgent, agent_name: 'Ada' }, etag: '"2"' }
  expect(outcome).toEqual({ type: 'saved', agent, llm: null, warnings: ['a warning'] })
})

test('saves edits after a version change of the LLM configuration only', async () => {
  const server = startServer(storedAgent)
  server.simulateEdit({
    version: 2,
    is_frozen: false,
    response_engine: { type: 'llm', llm_id: 'llm_1', version: null },
  })
  const outcome = await saveDraft({ api: server.api, target }, renameDraft)
  expect(outcome).toMatchObject({ type: 'saved', agent: { value: { agent_name: 'Ada', version: 2 } } })
})

test('concurrent edits are a conflict, and nothing is written', async () => {
  const server = startServer(storedAgent)
  server.simulateEdit({ language: 'fr-FR' })
  const theirs = { value: { ...storedAgent, language: 'fr-FR' }, etag: '"2"' }
  expect(await saveDraft({ api: server.api, target }, renameDraft)).toEqual({
    type: 'conflict',
    agent: theirs,
    llm: null,
  })
  expect(server.getStoredAgent().agent_name).toBe('Robin')
})

describe('a rejected save is reported', () => {
  const rejected = new Problem('llm.model: must be a model name', {
    code: 'invalid_request',
    status: 400,
    details: [
      { path: 'llm.model', message: 'must be a model name' },
      { path: 'agent.webhook_url', message: 'must be a URL' },
    ],
  })

  test('with the fields of each record', () => {
    expect(extractRecordProblem(rejected, 'agent')).toMatchObject({
      message: 'webhook_url: must be a URL',
      code: 'invalid_request',
      details: [{ path: 'webhook_url', message: 'must be a URL' }],
    })
    expect(extractRecordProblem(rejected, 'llm')?.details).toEqual([{ path: 'model', message: 'must be a model name' }])
  })

  test('only once if it has no field, and only for records with problems', () => {
    const offlineProblem = new Problem('No response.', { code: 'offline' })
    expect([
      extractRecordProblem(offlineProblem, 'agent'),
      extractRecordProblem(offlineProblem, 'llm'),
      extractRecordProblem(null, 'llm'),
    ]).toEqual([offlineProblem, null, null])
    const llmProblem = new Problem('x', { code: 'invalid_request', details: [{ path: 'llm.model', message: 'x' }] })
    expect(extractRecordProblem(llmProblem, 'agent')).toBeNull()
  })
})

test('saves both records after the LLM configuration was only published', async () => {
  const llm = { llm_id: 'llm_1', general_prompt: 'Be kind.', version: 1, is_published: false } as Llm
  const sentEtags: (string | null | undefined)[] = []
  const published = { ...llm, is_published: true }
  const api = {
    read: async () => ({ value: storedAgent, etag: '"1"', next: null }),
    async saveDraft(_target: object, draft: DraftToSave<Agent>) {
      sentEtags.push(draft.llm?.base.etag)
      if (sentEtags.length === 1) throw new Problem('The record was edited.', { code: 'version_conflict', status: 412 })
      return { agent: { value: storedAgent, etag: '"2"' }, llm: { value: published, etag: '"3"' }, warnings: [] }
    },
  } as unknown as AgentApi<Agent>
  const readLatestLlm = async () => ({ value: published, etag: '"2"', next: null })
  const base = { value: llm, etag: '"1"' }
  const outcome = await saveDraft({ api, target, readLatestLlm }, { ...renameDraft, llm: { base, edits: {} } })
  expect(outcome).toMatchObject({ type: 'saved' })
  expect(sentEtags).toEqual(['"1"', '"2"'])
})

const base = {
  agent_id: 'agent_1',
  version: 1,
  is_frozen: true,
  agent_name: 'Robin',
  responsiveness: 'fast',
  response_engine: { type: 'llm', llm_id: 'llm_1', version: 1 },
} as unknown as AnyAgent

test('a new engine version is not a concurrent edit', () => {
  const updatedAgent = {
    ...base,
    version: 2,
    is_frozen: false,
    responsiveness: 'slow',
    response_engine: { type: 'llm', llm_id: 'llm_1', version: null },
  } as AnyAgent
  expect(hasOnlyVersionChanges(base, updatedAgent)).toBe(true)
})

test('a changed setting or engine counts as a concurrent edit', () => {
  expect(hasOnlyVersionChanges(base, { ...base, version: 2, agent_name: 'Ada' } as AnyAgent)).toBe(false)
  const otherEngine = { ...base, response_engine: { type: 'llm', llm_id: 'llm_2', version: null } } as AnyAgent
  expect(hasOnlyVersionChanges(base, otherEngine)).toBe(false)
})
