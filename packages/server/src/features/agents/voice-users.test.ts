import { expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'

test('the users of a voice speak with it in their newest or active version', async () => {
  await using features = await wireFeatures()
  const { database, agents, agentTarget, voiceUsers, addLlm, addAgent, addChatAgent, patchAgent, pin } = features
  const usersOf = async (voiceId: string, workspaceId = 1) =>
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
  // Only mentions the voice.
  await addAgent(llmId, { agent_name: kal, voice_id: slt, fallback_message: `"${kal}"` })
  await addChatAgent(llmId, { agent_name: kal })

  expect(await usersOf(kal)).toEqual(['Newest', 'Active, renamed'])
  expect(await usersOf(slt)).toEqual(['Active, renamed', 'Former', kal])
  expect(await usersOf(kal, 2)).toEqual([])
  expect(await usersOf('voice%')).toEqual([])
  expect(await usersOf('voice_builtin_ka_')).toEqual([])
})
