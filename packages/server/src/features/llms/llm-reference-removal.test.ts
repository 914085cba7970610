import { CreateLlmBody } from '@parley/contract/llm'
import { Tool, ToolList } from '@parley/contract/tools'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'
import { createLlmAgentRemoval, createLlmKnowledgeRemoval, removeAgentFromTools } from './llm-reference-removal.ts'

const swap = { type: 'agent_swap', name: 'swap', agent_id: 'agent_gone' }

async function openRemoval() {
  const features = await wireFeatures()
  const { database, llms } = features
  return {
    ...features,
    remove: () =>
      database.transaction((transaction) =>
        createLlmAgentRemoval().removeAgentReferences(transaction, { workspaceId: 1, agentId: 'agent_gone', now: 9 }),
      ),
    read: async (llmId: string, version: number | 'latest' = 'latest', workspaceId = 1) => {
      const { response, editCount } = await llms.get(workspaceId, llmId, version)
      return { version: response.version, tools: response.general_tools, editCount }
    },
  }
}

test('an unused draft loses the agent, while frozen versions before it stay unchanged', async () => {
  await using features = await openRemoval()
  const { addLlm, addAgent, patchLlm, pin, remove, read } = features
  const llmId = await addLlm({ general_tools: [swap] })
  await pin(await addAgent(llmId))
  await patchLlm(llmId, { general_prompt: 'Two' })
  const fresh = await addLlm({ general_tools: [swap] })
  await remove()
  await remove()
  expect(await read(llmId)).toEqual({ version: 2, tools: [], editCount: 3 })
  expect(await read(llmId, 1)).toMatchObject({ tools: [swap] })
  expect(await read(fresh)).toEqual({ version: 1, tools: [], editCount: 2 })
})

test('a transfer that loses its agent can be read and written back', async () => {
  await using features = await openRemoval()
  const { addLlm, patchLlm, remove, read } = features
  const tool = {
    type: 'transfer_call',
    name: 'to_desk',
    transfer_destination: { type: 'predefined', number: '+15550100' },
    transfer_option: {
      type: 'agentic_warm_transfer',
      on_hold_music: 'ringtone',
      agentic_transfer_config: { transfer_agent: { agent_id: 'agent_gone' }, transfer_timeout_ms: 30_000 },
    },
  }
  const llmId = await addLlm({ general_tools: [tool] })
  await remove()
  const { tools } = await read(llmId)
  expect(tools).toEqual([{ ...tool, transfer_option: { type: 'warm_transfer', on_hold_music: 'ringtone' } }])
  expect(await patchLlm(llmId, { general_tools: tools })).toMatchObject({ editCount: 2 })
})

test('leaves other workspaces and mere mentions unchanged', async () => {
  await using features = await openRemoval()
  const { llms, addLlm, remove, read } = features
  const foreign = await llms.create(2, CreateLlmBody.parse({ general_tools: [swap] }))
  const mentioning = await addLlm({
    general_prompt: 'Say "agent_gone".',
    general_tools: [{ ...swap, agent_id: 'agent_2' }],
  })
  await remove()
  expect(await read(foreign.response.llm_id, 1, 2)).toMatchObject({ tools: [swap], editCount: 1 })
  expect(await read(mentioning)).toMatchObject({ tools: [{ agent_id: 'agent_2' }], editCount: 1 })
})

test('states lose the agent as well, and others stay unchanged', async () => {
  await using features = await openRemoval()
  const { llms, addLlm, remove } = features
  const bye = { type: 'end_call', name: 'bye' }
  const states = [
    { name: 'a', tools: [swap, bye] },
    { name: 'b', state_prompt: 'agent_gone' },
  ]
  const llmId = await addLlm({ general_tools: [{ ...bye, name: 'leave' }], states })
  await remove()
  const { response, editCount } = await llms.get(1, llmId, 'latest')
  expect(response.states).toEqual([{ name: 'a', tools: [bye] }, states[1]])
  expect(response.general_tools).toEqual([{ ...bye, name: 'leave' }])
  expect(editCount).toBe(2)
})

const swapTo = (name: string, agent_id: string) => Tool.parse({ type: 'agent_swap', name, agent_id })
const destination = { type: 'predefined', number: '+15550100' }
const shared = { on_hold_music: 'relaxing_sound', private_handoff_option: { type: 'prompt', prompt: 'Sum it up.' } }
const transfer = (name: string, option: object) =>
  Tool.parse({
    type: 'transfer_call',
    name,
    transfer_destination: destination,
    transfer_option: { ...option, ...shared },
    custom_sip_headers: { 'X-Desk': '4' },
  })
const agentic = (name: string, agent_id: string) =>
  transfer(name, {
    type: 'agentic_warm_transfer',
    agentic_transfer_config: { transfer_agent: { agent_id, agent_version: 2 }, action_on_timeout: 'cancel_transfer' },
  })
const warm = (name: string) => transfer(name, { type: 'warm_transfer' })
const endCall = Tool.parse({ type: 'end_call', name: 'bye', description: 'Mentions agent_gone.' })

test('removes swaps to the agent and turns its transfers into warm ones, leaving the rest', () => {
  const tools = [
    endCall,
    swapTo('a', 'agent_gone'),
    agentic('b', 'agent_gone'),
    swapTo('c', 'agent_2'),
    agentic('d', 'agent_2'),
  ]
  expect(removeAgentFromTools(tools, 'agent_gone')).toEqual([
    endCall,
    warm('b'),
    swapTo('c', 'agent_2'),
    agentic('d', 'agent_2'),
  ])
})

test('returns a list without the agent unchanged', () => {
  const tools = [endCall, swapTo('a', 'agent_2'), transfer('b', { type: 'cold_transfer' })]
  expect(removeAgentFromTools(tools, 'agent_gone')).toBe(tools)
})

test('the result never references the agent, can be written back, and is idempotent', () => {
  const agents = fc.constantFrom('agent_gone', 'agent_2', 'chat_agent_3')
  const kinds = fc.constantFrom(swapTo, agentic, (name: string) => warm(name))
  const lists = fc
    .array(fc.tuple(kinds, agents), { maxLength: 8 })
    .map((parts) => parts.map(([make, agentId], index) => make(`tool_${index}`, agentId)))
  fc.assert(
    fc.property(lists, (tools) => {
      const left = removeAgentFromTools(tools, 'agent_gone')
      expect(JSON.stringify(left)).not.toContain('agent_gone')
      expect(ToolList.parse(left)).toEqual(left)
      expect(removeAgentFromTools(left, 'agent_gone')).toBe(left)
      expect(left.length).toBe(
        tools.filter((tool) => tool.type !== 'agent_swap' || tool.agent_id !== 'agent_gone').length,
      )
    }),
  )
})

const DELETED_BASE = 'knowledge_base_gone'
const naming = { knowledge_base_ids: ['knowledge_base_a', DELETED_BASE, 'knowledge_base_b'] }

async function openKnowledgeRemoval() {
  const features = await wireFeatures()
  const { database, llms } = features
  return {
    ...features,
    remove: () =>
      database.transaction((transaction) =>
        createLlmKnowledgeRemoval().removeKnowledgeBaseReferences(transaction, {
          workspaceId: 1,
          knowledgeBaseId: DELETED_BASE,
          now: 9,
        }),
      ),
    read: async (llmId: string, version: number | 'latest' = 'latest', workspaceId = 1) => {
      const { response, editCount } = await llms.get(workspaceId, llmId, version)
      return { version: response.version, ids: response.knowledge_base_ids, editCount }
    },
  }
}

test('an unused draft loses the knowledge base, while frozen versions before it stay unchanged', async () => {
  await using features = await openKnowledgeRemoval()
  const { addLlm, addAgent, patchLlm, pin, remove, read } = features
  const llmId = await addLlm(naming)
  await pin(await addAgent(llmId))
  const used = await addLlm(naming)
  await pin(await addAgent(used))
  await patchLlm(llmId, { general_prompt: 'Two' })
  const fresh = await addLlm(naming)
  await remove()
  await remove()
  const remainingBases = ['knowledge_base_a', 'knowledge_base_b']
  expect(await read(llmId)).toEqual({ version: 2, ids: remainingBases, editCount: 3 })
  expect(await read(llmId, 1)).toMatchObject({ ids: naming.knowledge_base_ids })
  expect(await read(used)).toEqual({ version: 1, ids: naming.knowledge_base_ids, editCount: 1 })
  expect(await read(fresh)).toEqual({ version: 1, ids: remainingBases, editCount: 2 })
})

test('leaves other workspaces and drafts that only mention it unchanged', async () => {
  await using features = await openKnowledgeRemoval()
  const { llms, addLlm, remove, read } = features
  const foreign = await llms.create(2, CreateLlmBody.parse(naming))
  const speaking = await addLlm({ general_prompt: DELETED_BASE, knowledge_base_ids: ['knowledge_base_a'] })
  await remove()
  expect(await read(foreign.response.llm_id, 1, 2)).toMatchObject({ ids: naming.knowledge_base_ids, editCount: 1 })
  expect(await read(speaking)).toMatchObject({ ids: ['knowledge_base_a'], editCount: 1 })
})
