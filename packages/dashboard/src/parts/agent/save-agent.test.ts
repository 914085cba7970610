import type { Agent } from '@parley/contract/agent'
import { expect, test } from 'vitest'
import { Problem } from '../../lib/api/problem.ts'
import type { AgentApi } from './agent-kind.ts'
import { followLlm, saveAgent } from './save-agent.ts'

const target = { workspaceId: 1, agentId: 'agent_1' }
const known = {
  agent_id: 'agent_1',
  agent_name: 'Robin',
  version: 1,
  is_frozen: true,
  response_engine: { type: 'llm', llm_id: 'llm_1', version: 1 },
} as Agent

/** A server that behaves as ours: refuses old tags, makes the next version of a frozen one, and writes nothing for the same again. */
function startServer(stored: Agent, { pinned = false } = {}) {
  let edits = 1
  let current = stored
  let isPinned = pinned
  const etag = (): string => String(edits)
  const api = {
    read: async () => ({ value: current, etag: etag(), next: null }),
    async update(_target: object, changes: Partial<Agent>, ifMatch: string | null) {
      if (ifMatch !== null && ifMatch !== etag()) throw new Problem('edited', { code: 'version_conflict', status: 412 })
      const engine = changes.response_engine
      const willPin = engine === undefined ? isPinned : engine.version !== null
      const isSame = Object.keys(changes).every((name) => name === 'response_engine') && willPin === isPinned
      if (!isSame) {
        const version = current.is_frozen ? current.version + 1 : current.version
        const kept = isPinned ? current.response_engine : { ...current.response_engine, version: null }
        current = { ...current, response_engine: kept, ...changes, version, is_frozen: false }
        isPinned = willPin
        edits += 1
      }
      return { value: { ...current, warnings: ['a warning'] }, etag: etag(), next: null }
    },
  } as unknown as AgentApi<Agent>
  return {
    api,
    stored: () => current,
    /** Somebody else writes. */
    write(changes: Partial<Agent>) {
      current = { ...current, ...changes }
      edits += 1
    },
  }
}

const newRun = () => ({ llmVersion: null, warnings: [] as string[] })

test('an agent that only followed its configuration takes the edits', async () => {
  const server = startServer(known)
  server.write({ version: 2, is_frozen: false, response_engine: { type: 'llm', llm_id: 'llm_1', version: null } })
  const run = newRun()
  const base = { value: known, etag: '1' }
  const saved = await saveAgent({ api: server.api, target }, { base, edits: { agent_name: 'Ada' } }, run)
  expect(saved.value).toMatchObject({ agent_name: 'Ada', version: 2 })
  expect(saved.value).not.toHaveProperty('warnings')
  expect(run.warnings).toEqual(['a warning'])
})

test('edits of somebody else are a conflict', async () => {
  const server = startServer(known)
  server.write({ language: 'fr-FR' })
  const saving = saveAgent(
    { api: server.api, target },
    { base: { value: known, etag: '1' }, edits: { agent_name: 'Ada' } },
    newRun(),
  )
  await expect(saving).rejects.toMatchObject({ code: 'version_conflict' })
  expect(server.stored().agent_name).toBe('Robin')
})

test.each([false, true])('a published agent gets a draft on the newest configuration (pinned: %s)', async (pinned) => {
  const server = startServer(known, { pinned })
  await followLlm({ api: server.api, target }, 2)
  expect(server.stored()).toMatchObject({ version: 2, is_frozen: false, response_engine: { version: null } })
})

test('an agent that follows already, or that has this version, is left alone', async () => {
  const server = startServer(known)
  await followLlm({ api: server.api, target }, 1)
  expect(server.stored()).toBe(known)
})
