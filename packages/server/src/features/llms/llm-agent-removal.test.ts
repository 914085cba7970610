import { CreateLlmBody } from '@parley/contract/llm'
import { expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'
import { createLlmAgentRemoval } from './llm-agent-removal.ts'

const swap = { type: 'agent_swap', name: 'swap', agent_id: 'agent_gone' }

async function openRemoval() {
  const features = await wireFeatures()
  const { database, llms } = features
  return {
    ...features,
    remove: () =>
      database.transaction((transaction) =>
        createLlmAgentRemoval().agentRemoved(transaction, { workspaceId: 1, agentId: 'agent_gone', now: 9 }),
      ),
    read: async (llmId: string, version: number | 'latest' = 'latest', workspaceId = 1) => {
      const { answer, editCount } = await llms.get(workspaceId, llmId, version)
      return { version: answer.version, tools: answer.general_tools, editCount }
    },
  }
}

test('an unused draft loses the agent, behind frozen versions as well, which stay as they are', async () => {
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

test('a transfer that the agent would have spoken for reads and writes back without it', async () => {
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

test('other workspaces and drafts that only mention the agent are left alone', async () => {
  await using features = await openRemoval()
  const { llms, addLlm, remove, read } = features
  const foreign = await llms.create(2, CreateLlmBody.parse({ general_tools: [swap] }))
  const mentioning = await addLlm({
    general_prompt: 'Say "agent_gone".',
    general_tools: [{ ...swap, agent_id: 'agent_2' }],
  })
  await remove()
  expect(await read(foreign.answer.llm_id, 1, 2)).toMatchObject({ tools: [swap], editCount: 1 })
  expect(await read(mentioning)).toMatchObject({ tools: [{ agent_id: 'agent_2' }], editCount: 1 })
})

test('states lose the agent as well, and what does not name it stays as it is', async () => {
  await using features = await openRemoval()
  const { llms, addLlm, remove } = features
  const bye = { type: 'end_call', name: 'bye' }
  const states = [
    { name: 'a', tools: [swap, bye] },
    { name: 'b', state_prompt: 'agent_gone' },
  ]
  const llmId = await addLlm({ general_tools: [{ ...bye, name: 'leave' }], states })
  await remove()
  const { answer, editCount } = await llms.get(1, llmId, 'latest')
  expect(answer.states).toEqual([{ name: 'a', tools: [bye] }, states[1]])
  expect(answer.general_tools).toEqual([{ ...bye, name: 'leave' }])
  expect(editCount).toBe(2)
})
