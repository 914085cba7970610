import { expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'
import { decideFollow } from './agent-followers.ts'
import type { AgentOnEngine } from './agent-store.ts'

const usedAgent: AgentOnEngine = {
  id: 'agent_1',
  newestVersion: 2,
  activeVersion: 2,
  activatedVersion: null,
  frozen: true,
  published: false,
  definition: {
    agent_name: '',
    response_engine: { type: 'llm', llm_id: 'llm_1' },
    language: 'en-US',
    timezone: 'UTC',
    fallback_models: [],
    fallback_message: null,
  },
  engine: { id: 'llm_1', version: 1, pinned: false },
}

test.each<[string, Partial<AgentOnEngine>, { createsNextVersion: boolean; reachesConversations: boolean }]>([
  ['used', {}, { createsNextVersion: true, reachesConversations: true }],
  ['an unused draft', { frozen: false }, { createsNextVersion: false, reachesConversations: true }],
  [
    'an unused draft behind a published version',
    { frozen: false, activeVersion: 1 },
    { createsNextVersion: false, reachesConversations: false },
  ],
  ['used, behind a published version', { activeVersion: 1 }, { createsNextVersion: true, reachesConversations: false }],
  ['published', { published: true }, { createsNextVersion: false, reachesConversations: false }],
  ['activated', { activatedVersion: 2 }, { createsNextVersion: false, reachesConversations: false }],
  [
    'an activated draft',
    { activatedVersion: 2, frozen: false },
    { createsNextVersion: false, reachesConversations: true },
  ],
  [
    'pinned',
    { engine: { id: 'llm_1', version: 1, pinned: true } },
    { createsNextVersion: false, reachesConversations: false },
  ],
  [
    'a pinned draft',
    { frozen: false, engine: { id: 'llm_1', version: 1, pinned: true } },
    { createsNextVersion: false, reachesConversations: false },
  ],
  [
    'on another engine in its newest version',
    { engine: { id: 'llm_2', version: 1, pinned: false } },
    { createsNextVersion: false, reachesConversations: false },
  ],
])('an agent that is %s', (_name, changes, decision) => {
  expect(decideFollow({ ...usedAgent, ...changes }, 'llm_1')).toEqual(decision)
})

test('finds the agents whose newest or active version uses the voice', async () => {
  await using features = await wireFeatures()
  const { database, agents, agentTarget, voiceUsers, addLlm, addAgent, addChatAgent, patchAgent, pin } = features
  const listUserNames = async (voiceId: string, workspaceId = 1) =>
    (await voiceUsers(database.read, workspaceId, voiceId)).map(({ name }) => name)
  const [slt, kal] = ['voice_builtin_slt', 'voice_builtin_kal']
  const llmId = await addLlm()
  await addAgent(llmId, { agent_name: 'Newest', voice_id: kal })
  const active = await addAgent(llmId, { agent_name: 'Active', voice_id: kal })
  await agents.publish(agentTarget(active), {})
  await patchAgent(active, { voice_id: slt, agent_name: 'Active, renamed' })
  const previous = await addAgent(llmId, { agent_name: 'Former', voice_id: kal })
  await pin(previous)
  await patchAgent(previous, { voice_id: slt })
  // This agent mentions the voice without using it.
  await addAgent(llmId, { agent_name: kal, voice_id: slt, fallback_message: `"${kal}"` })
  await addChatAgent(llmId, { agent_name: kal })

  expect(await listUserNames(kal)).toEqual(['Newest', 'Active, renamed'])
  expect(await listUserNames(slt)).toEqual(['Active, renamed', 'Former', kal])
  expect(await listUserNames(kal, 2)).toEqual([])
  expect(await listUserNames('voice%')).toEqual([])
  expect(await listUserNames('voice_builtin_ka_')).toEqual([])
})
