import { describe, expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'

async function openBinding() {
  const features = await wireFeatures()
  const { database, agentBinding } = features
  return {
    ...features,
    find: (references: readonly { agentId: string; version: number | null }[], workspaceId = 1) =>
      agentBinding.findAgents(database.read, workspaceId, references),
    freeze: (agentId: string, version: number, workspaceId = 1) =>
      database.transaction((transaction) =>
        agentBinding.freezeVersion(transaction, { workspaceId, agentId, version, now: 5 }),
      ),
  }
}

describe('finding agents', () => {
  test('returns names of both kinds and the requested versions that exist', async () => {
    await using features = await openBinding()
    const { addLlm, addAgent, addChatAgent, patchAgent, pin, find } = features
    const llmId = await addLlm()
    const voiced = await addAgent(llmId, { agent_name: 'Before' })
    await pin(voiced)
    await patchAgent(voiced, { agent_name: 'Voiced' })
    const written = await addChatAgent(llmId, { agent_name: 'Written' })
    const found = await find([
      { agentId: voiced, version: 1 },
      { agentId: voiced, version: 3 },
      { agentId: written, version: null },
      { agentId: 'agent_none', version: 1 },
      { agentId: llmId, version: 1 },
    ])
    expect(found).toEqual(
      new Map([
        [voiced, { name: 'Voiced', versions: new Set([1]) }],
        [written, { name: 'Written', versions: new Set() }],
      ]),
    )
    expect(await find([{ agentId: voiced, version: 1 }], 2)).toEqual(new Map())
    expect(await find([])).toEqual(new Map())
  })

  test('accepts more references than fit in one query', async () => {
    await using features = await openBinding()
    const { addLlm, addAgent, find } = features
    const agentId = await addAgent(await addLlm())
    const unknownReferences = Array.from({ length: 2_000 }, (_, index) => ({
      agentId: `agent_${index}`,
      version: index + 1,
    }))
    const references = [{ agentId, version: null }, ...unknownReferences, { agentId, version: 1 }]
    expect(await find(references)).toEqual(new Map([[agentId, { name: '', versions: new Set([1]) }]]))
  })
})

describe('freezing a version', () => {
  test('freezes a version with its resolved engine version, once', async () => {
    await using features = await openBinding()
    const { agents, chatAgents, llms, addLlm, addAgent, addChatAgent, patchLlm, freeze } = features
    const llmId = await addLlm()
    const voiced = await addAgent(llmId)
    const written = await addChatAgent(llmId)
    await freeze(voiced, 1)
    expect(await agents.get(1, voiced, 1)).toMatchObject({
      editCount: 1,
      response: { is_frozen: true, is_published: false, response_engine: { version: 1 } },
    })
    expect((await llms.get(1, llmId, 1)).response.is_frozen).toBe(true)
    await patchLlm(llmId, { general_prompt: 'Two' })
    await freeze(voiced, 1)
    expect((await agents.get(1, voiced, 1)).response.response_engine).toMatchObject({ version: 1 })
    await freeze(written, 1)
    expect((await chatAgents.get(1, written, 1)).response.response_engine).toMatchObject({ version: 2 })
  })

  test('accepts an agent on an external engine', async () => {
    await using features = await openBinding()
    const { agents, addAgent, freeze } = features
    const custom = { type: 'custom-llm', llm_websocket_url: 'wss://example.com/llm' }
    const agentId = await addAgent('', { response_engine: custom })
    await freeze(agentId, 1)
    expect((await agents.get(1, agentId, 1)).response).toMatchObject({ is_frozen: true, response_engine: custom })
  })

  test('rejects references that do not exist in the workspace', async () => {
    await using features = await openBinding()
    const { agents, addLlm, addAgent, freeze } = features
    const agentId = await addAgent(await addLlm())
    const attempts = [() => freeze(agentId, 2), () => freeze('chat_agent_none', 1), () => freeze(agentId, 1, 2)]
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    }
    expect((await agents.get(1, agentId, 1)).response.is_frozen).toBe(false)
  })
})
