import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { describe, expect, test } from 'vitest'
import type { PostProcessingSettings } from '../../agents/pinned-agent.ts'
import { buildSwap, buildUsage, buildUserMessage, openCallEndings } from './call-lifecycle-test-kit.ts'

const AFTERWARDS: PostProcessingSettings = {
  analysisItems: [],
  analysisModel: null,
  endAfterSilenceMs: 60_000,
  autoCloseMessage: null,
  storage: 'everything_except_pii',
  piiCategories: ['email'],
  retentionDays: null,
}

describe('the storage policy of a call', () => {
  test('is that of its agent, and stores nothing said after an opt-out', async () => {
    await using opened = await openCallEndings()
    const policy = { setting: 'everything_except_pii', categories: ['email'], retentionDays: null }
    const { lifecycle } = opened
    expect(lifecycle.getInitialColumns(AFTERWARDS, false)).toEqual({ storage: JSON.stringify(policy) })
    expect(JSON.parse(lifecycle.getInitialColumns(AFTERWARDS, true).storage ?? '')).toEqual({
      ...policy,
      setting: 'basic_attributes_only',
    })
  })

  test('gets stricter with each agent that takes over, and never relaxes', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1', AFTERWARDS)
    await opened.addCall('call_1', 'agent_1')
    const to = { ...AFTERWARDS, storage: 'everything', piiCategories: PII_CATEGORIES, retentionDays: 3 } as const
    opened.addAgent('agent_2', to)
    opened.addAgent('agent_3', { ...to, retentionDays: 9 })
    opened.addAgent('agent_4', { ...to, storage: 'basic_attributes_only' })
    await opened.handOver('call_1', 'agent_2')
    await opened.handOver('call_1', 'agent_3')
    expect(JSON.parse((await opened.read('call_1'))?.storage ?? '')).toEqual({
      setting: 'everything_except_pii',
      categories: ['email'],
      retentionDays: 3,
    })
    await opened.end('call_1')
    await opened.handOver('call_1', 'agent_4')
    expect((await opened.read('call_1'))?.storage).toContain('everything_except_pii')
  })

  test('is the strictest of all its agents at its end, even when a hand-over was not stored in time', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    opened.addAgent('agent_2', { storage: 'basic_attributes_only' })
    await opened.addCall('call_1', 'agent_1', [buildUserMessage('Hi'), buildSwap('agent_2')])
    await opened.end('call_1')
    expect(JSON.parse((await opened.read('call_1'))?.storage ?? '')).toMatchObject({ setting: 'basic_attributes_only' })
  })

  test('that was tightened while the end was prepared stays so', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    opened.addAgent('agent_2', { storage: 'everything_except_pii' })
    await opened.addCall('call_1', 'agent_1', [buildUserMessage('Hi')])
    const path = ['agent_1', 'agent_2'].map((agentId) => ({ agentId, agentVersion: 1, at: '' }))
    const agent_path = JSON.stringify(path)
    const prepared = await opened.lifecycle.onEnded({ ...(await opened.readExisting('call_1')), agent_path }, [])
    await opened.tightenStorage('call_1', 'basic_attributes_only')
    await opened.database.batch(prepared)
    expect(JSON.parse((await opened.read('call_1'))?.storage ?? '')).toMatchObject({ setting: 'basic_attributes_only' })
  })

  test('of a live call can be tightened before any other change', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1')
    await opened.tightenStorage('call_1', 'basic_attributes_only')
    await opened.tightenStorage('call_1', 'basic_attributes_only')
    expect(await opened.endJobs()).toEqual([])
    await expect(opened.tightenStorage('call_1', 'everything_except_pii')).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})

describe('webhooks of a call', () => {
  test('report its start, turns and end, with the agents that hold it', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1', [buildUserMessage('Hello')])
    const { lifecycle, database } = opened
    const call = await opened.read('call_1')
    if (call === undefined) throw new Error('the call is missing')
    await database.batch(await lifecycle.onStarted(call))
    await database.batch(await lifecycle.onTurnsEnded(['call_1', 'call_9']))
    await opened.end('call_1')
    const agents = [{ url: 'https://agent_1.example.com' }]
    const subject = { kind: 'call', id: 'call_1' }
    expect(await opened.publishedEvents()).toMatchObject(
      ['call_started', 'transcript_updated', 'call_ended'].map((event) => ({ event, subject, agents })),
    )
  })

  test('follow the settings of a hand-over from then on', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    opened.addAgent('agent_2')
    const onlyNew = { analysis: 'both_agents', webhooks: 'only_destination_agent' } as const
    await opened.addCall('call_1', 'agent_1', [buildUserMessage('Hello'), buildSwap('agent_2', onlyNew)])
    await opened.handOver('call_1', 'agent_2', onlyNew)
    await opened.database.batch(await opened.lifecycle.onTurnsEnded(['call_1']))
    expect(JSON.parse((await opened.readExisting('call_1')).agent_path)).toEqual([
      { agentId: 'agent_1', agentVersion: 1, at: new Date(opened.clock.now()).toISOString() },
      { agentId: 'agent_2', agentVersion: 1, at: new Date(opened.clock.now()).toISOString(), handOver: onlyNew },
    ])
    await opened.end('call_1')
    expect(
      (await opened.publishedEvents()).map(({ event, agents }) => [event, ...agents.map(({ url }) => url)]),
    ).toEqual([
      ['transcript_updated', 'https://agent_2.example.com'],
      ['call_ended', 'https://agent_2.example.com'],
    ])
    expect(JSON.parse((await opened.readExisting('call_1')).agent_path)).toHaveLength(2)
  })

  test('are sent even when the agent was deleted', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1')
    opened.removeAgent('agent_1')
    await opened.end('call_1')
    expect(await opened.publishedEvents()).toMatchObject([{ event: 'call_ended', agents: [{ url: null }] }])
  })
})

test('the end is committed with its job and its costs, or not at all', async () => {
  await using opened = await openCallEndings()
  opened.addAgent('agent_1')
  await opened.addCall('call_1', 'agent_1', [buildUsage('llm', 'fake/large', 10, 'input-token')])
  const { database, lifecycle } = opened
  const call = await opened.read('call_1')
  if (call === undefined) throw new Error('the call is missing')
  const usage = [{ product: 'llm', model: 'fake/large', quantity: 10, unit: 'input-token' }] as const
  const never = database.queryBuilder.updateTable('calls').set({ status: 'ended' }).where('call_id', '=', 'call_9')
  const batch = [{ query: never.compile(), expectRows: 1 }, ...(await lifecycle.onEnded(call, usage))]
  await expect(database.batch(batch)).rejects.toThrow()
  expect(await opened.endJobs()).toEqual([])
  expect(await opened.publishedEvents()).toEqual([])
  expect((await opened.read('call_1'))?.cost_gross).toBeNull()
})
