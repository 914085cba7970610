import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { describe, expect, test } from 'vitest'
import type { AfterConversation } from '../../../kernel/pinned-agent.ts'
import { openCallEndings, used, userSaid } from './call-endings-test-kit.ts'

const AFTERWARDS: AfterConversation = {
  analysisItems: [],
  analysisModel: null,
  endAfterSilenceMs: 60_000,
  autoCloseMessage: null,
  storage: 'everything_except_pii',
  piiCategories: ['email'],
  retentionDays: null,
}

describe('the policy that a call carries', () => {
  test('is that of its agent, and nothing of what is said for who opted out', async () => {
    await using opened = await openCallEndings()
    const policy = { setting: 'everything_except_pii', categories: ['email'], retentionDays: null }
    const { endings } = opened
    expect(endings.begin(AFTERWARDS, false)).toEqual({ storage: JSON.stringify(policy) })
    expect(JSON.parse(endings.begin(AFTERWARDS, true).storage ?? '')).toEqual({
      ...policy,
      setting: 'basic_attributes_only',
    })
  })

  test('gets stricter with each agent that takes over, and stays so', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1', AFTERWARDS)
    await opened.addCall('call_1', 'agent_1')
    const to = { ...AFTERWARDS, storage: 'everything', piiCategories: PII_CATEGORIES, retentionDays: 3 } as const
    await opened.endings.handOver('call_1', to)
    await opened.endings.handOver('call_1', { ...to, retentionDays: 9 })
    expect(JSON.parse((await opened.read('call_1'))?.storage ?? '')).toEqual({
      setting: 'everything_except_pii',
      categories: ['email'],
      retentionDays: 3,
    })
    await opened.end('call_1')
    await opened.endings.handOver('call_1', { ...to, storage: 'basic_attributes_only' })
    expect((await opened.read('call_1'))?.storage).toContain('everything_except_pii')
  })

  test('of a live call can be made stricter without anything else happening yet', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1')
    await opened.tighten('call_1', 'basic_attributes_only')
    await opened.tighten('call_1', 'basic_attributes_only')
    expect(await opened.endJobs()).toEqual([])
    await expect(opened.tighten('call_1', 'everything_except_pii')).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('what is told of a call', () => {
  test('its beginning, its turns and its end, with the agents that hold it', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1', [userSaid('Hello')])
    const { endings, database } = opened
    const call = await opened.read('call_1')
    if (call === undefined) throw new Error('the call is missing')
    await database.batch(await endings.started(call))
    await database.batch(await endings.said(['call_1', 'call_9']))
    await opened.end('call_1')
    const agents = [{ url: 'https://agent_1.example.com' }]
    const subject = { kind: 'call', id: 'call_1' }
    expect(await opened.told()).toMatchObject(
      ['call_started', 'transcript_updated', 'call_ended'].map((event) => ({ event, subject, agents })),
    )
  })

  test('a deleted agent keeps nothing from being told', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1')
    opened.removeAgent('agent_1')
    await opened.end('call_1')
    expect(await opened.told()).toMatchObject([{ event: 'call_ended', agents: [{ url: null }] }])
  })
})

test('the end is committed with its job and its costs, or not at all', async () => {
  await using opened = await openCallEndings()
  opened.addAgent('agent_1')
  await opened.addCall('call_1', 'agent_1', [used('llm', 'fake/large', 10, 'input-token')])
  const { database, endings } = opened
  const call = await opened.read('call_1')
  if (call === undefined) throw new Error('the call is missing')
  const usage = [{ product: 'llm', model: 'fake/large', quantity: 10, unit: 'input-token' }] as const
  const never = database.compile.updateTable('calls').set({ status: 'ended' }).where('call_id', '=', 'call_9')
  const batch = [{ query: never.compile(), expectRows: 1 }, ...(await endings.ended(call, { usage }))]
  await expect(database.batch(batch)).rejects.toThrow()
  expect(await opened.endJobs()).toEqual([])
  expect(await opened.told()).toEqual([])
  expect((await opened.read('call_1'))?.cost_gross).toBeNull()
})
