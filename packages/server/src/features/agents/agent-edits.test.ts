import { UpdateAgentBody } from '@parley/contract/agent'
import { describe, expect, test } from 'vitest'
import { openAgents, target } from './agent-service-test-kit.ts'

describe('edits at the same time', () => {
  test('are all made, each on what the one before it left', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const changes = [
      { fallback_message: 'Sorry.' },
      { timezone: 'Europe/Rome' },
      ...Array.from({ length: 20 }, (_, index) => ({ agent_name: `Desk ${index}` })),
    ]
    const transactions = feature.started.transactions
    const edits = await Promise.all(changes.map((body) => feature.patch('agent_1', body)))
    // Together, not one by one: that many rivals for one row make each other wait on PostgreSQL.
    expect(feature.started).toEqual({ transactions, batches: 2 })
    expect(edits.map(({ editCount }) => editCount).sort((a, b) => a - b)).toEqual(changes.map((_, index) => index + 2))
    const { answer, editCount } = await feature.agents.get(1, 'agent_1', 'latest')
    expect(editCount).toBe(23)
    expect(answer).toMatchObject({ version: 1, fallback_message: 'Sorry.', timezone: 'Europe/Rome' })
  })

  test('of one who knows the same edit count let exactly one through', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const names = ['One', 'Two', 'Three', 'Four']
    const edits = await Promise.allSettled(
      names.map((name) => feature.patch('agent_1', { agent_name: name }, { ifMatch: 1 })),
    )
    expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const edit of edits) {
      if (edit.status === 'rejected') expect(edit.reason).toMatchObject({ code: 'version_conflict' })
    }
    expect((await feature.agents.get(1, 'agent_1', 'latest')).editCount).toBe(2)
  })

  test('that are refused leave the others alone, also beside a rival that wins', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    feature.beforeNextWrite(() => feature.activate('agent_1'))
    const { transactions } = feature.started
    const edits = await Promise.allSettled([
      feature.patch('agent_1', { timezone: 'Europe/Rome' }),
      feature.patch('agent_1', { agent_name: 'Two' }, { ifMatch: 1 }),
      feature.patch('agent_1', { response_engine: { type: 'llm', llm_id: 'llm_2' } }),
      feature.patch('agent_1', { fallback_message: 'Sorry.' }, { ifMatch: 9 }),
      feature.patch('agent_1', { agent_name: 'Three' }),
    ])
    expect(edits.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'])
    // Only the edit that names an engine needs a unit of work; the others are decided anew.
    expect(feature.started.transactions).toBe(transactions + 1)
    const { answer, editCount } = await feature.agents.get(1, 'agent_1', 'latest')
    expect(answer).toMatchObject({ agent_name: 'Three', timezone: 'Europe/Rome', fallback_message: null })
    expect(editCount).toBe(4)
  })

  test('from another workspace find no agent, whichever comes first', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const foreign = { ...target('agent_1'), workspaceId: 2 }
    const edits = await Promise.allSettled([
      feature.agents.update(foreign, UpdateAgentBody.parse({ agent_name: 'Stolen' })),
      feature.patch('agent_1', { timezone: 'Europe/Rome' }),
      feature.agents.update(foreign, UpdateAgentBody.parse({ agent_name: 'Stolen' })),
    ])
    expect(edits).toMatchObject([
      { status: 'rejected', reason: { code: 'not_found' } },
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'not_found' } },
    ])
    expect((await feature.agents.get(1, 'agent_1', 'latest')).answer.agent_name).toBe('Desk')
  })

  test('leave a version alone that is used before they are written, and make the next one', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'One' })
    feature.beforeNextWrite(() => feature.use('agent_1'))
    const { answer, editCount } = await feature.patch('agent_1', { agent_name: 'Two' })
    expect([answer.version, editCount]).toEqual([2, 2])
    expect((await feature.agents.get(1, 'agent_1', 1)).answer).toMatchObject({ agent_name: 'One', is_frozen: true })
  })
})
