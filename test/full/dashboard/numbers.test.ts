import type { PhoneNumber } from '@parley/contract/phone-number'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import type { ServerClient } from '../../../testing/running-server.ts'

async function makeAgent(server: ServerClient, name: string): Promise<string> {
  const { workspaceId } = server
  const llm = await server.call<{ llm_id: string }>('POST', '/api/v1/llms', { body: { workspaceId } })
  const body = {
    workspaceId,
    agent_name: name,
    voice_id: 'voice_builtin_slt',
    response_engine: { type: 'llm', llm_id: llm.body.llm_id },
  }
  return (await server.call<{ agent_id: string }>('POST', '/api/agents', { body })).body.agent_id
}

async function makeNumber(server: ServerClient, number: string, bound: object = {}): Promise<void> {
  const { workspaceId } = server
  expect((await server.call('POST', '/api/numbers', { body: { workspaceId, number } })).status).toBe(201)
  const path = `/api/numbers/${encodeURIComponent(number)}/agent`
  expect((await server.call('PUT', path, { body: { workspaceId, ...bound } })).status).toBe(200)
}

async function readNumber(server: ServerClient, number: string): Promise<PhoneNumber> {
  const query = { workspaceId: server.workspaceId }
  return (await server.call<PhoneNumber>('GET', `/api/numbers/${encodeURIComponent(number)}`, { query })).body
}

async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click()
  await page.getByPlaceholder('Search…').fill(name)
  await page.getByRole('option', { name }).click()
}

const shareOf = (page: Page, agent: number) => page.getByLabel(`Weight ${agent}`, { exact: true })

describe.skipIf(findChromium() === null)('phone numbers', () => {
  test('a number with two weighted agents survives a reload', async ({ scene }) => {
    const ada = await makeAgent(scene.server, 'Ada')
    const ben = await makeAgent(scene.server, 'Ben')
    const { page, pageViolations } = await scene.open('numbers')
    await page.getByRole('heading', { name: 'No numbers yet' }).waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New number' })
    await dialog.getByLabel('Number').fill('+49 (30) 1234567')
    await dialog.getByLabel('Nickname').fill('Shop')
    await dialog.getByRole('button', { name: 'Create number' }).click()
    await page.getByRole('heading', { name: '+49301234567', level: 1 }).waitFor()

    await page.getByRole('button', { name: 'Add agent' }).click()
    await page.getByRole('button', { name: 'Add agent' }).click()
    await choose(page, 'Agent 1', 'Ada')
    await choose(page, 'Agent 2', 'Ben')
    await shareOf(page, 1).fill('70')
    expect(await shareOf(page, 2).inputValue()).toBe('30')
    await choose(page, 'Outbound agent', 'Ben')
    await page.getByRole('switch', { name: 'Route by time' }).click()
    await page.getByRole('button', { name: 'Add hours' }).click()
    await page.getByLabel('From').fill('8')
    await page.getByLabel('To', { exact: true }).fill('24:00')
    await page.getByRole('button', { name: 'Mon', exact: true }).click()
    await choose(page, 'Agent', 'Ada')
    await page.getByLabel('Nickname').fill('Shop in Berlin')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Number saved').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()

    const names = Promise.withResolvers<void>()
    await page.route(/\/api\/agents\?/, (route) => names.promise.then(() => route.continue()))
    await page.reload()
    await page.getByText('Total: 100%').waitFor()
    expect(await shareOf(page, 1).inputValue()).toBe('70')
    const second = page.getByLabel('Agent 2', { exact: true })
    expect(await second.textContent()).toBe('Loading…')
    names.resolve()
    await expectEventually(() => second.textContent()).toBe('Ben')
    expect(await page.getByLabel('From').inputValue()).toBe('08:00')
    const stored = await readNumber(scene.server, '+49301234567')
    expect(stored.inbound_agents).toEqual([
      { agent_id: ada, agent_version: null, weight: 0.7 },
      { agent_id: ben, agent_version: null, weight: 0.3 },
    ])
    expect(stored.outbound_agents).toEqual([{ agent_id: ben, agent_version: null, weight: 1 }])
    expect(stored).toMatchObject({ nickname: 'Shop in Berlin', is_time_routing_enabled: true })
    expect(stored.time_routing?.windows).toEqual([
      { days: ['tue', 'wed', 'thu', 'fri'], start: '08:00', end: '24:00', agent_id: ada, agent_version: null },
    ])

    await page.getByRole('link', { name: 'Phone numbers' }).first().click()
    const row = page.getByRole('row').filter({ hasText: '+49301234567' })
    await row.getByText('70 %').waitFor()
    await row.getByText('Shop in Berlin').waitFor()
    expectNoViolations(pageViolations)
  })

  test('weights that do not add up to 100 % are not saved', async ({ scene }) => {
    const ids = [
      await makeAgent(scene.server, 'Ada'),
      await makeAgent(scene.server, 'Ben'),
      await makeAgent(scene.server, 'Cy'),
    ]
    const weights = [0.5, 0.3, 0.2]
    const inboundAgents = ids.map((id, at) => ({ agent_id: id, weight: weights[at] }))
    await makeNumber(scene.server, '+15550100001', { inboundAgents })
    const { page, pageViolations } = await scene.open('numbers/+15550100001')
    await shareOf(page, 1).fill('80')
    await shareOf(page, 2).fill('60')
    await page.getByText(/^Total: 140\.01%\. It must be 100%/).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('The weights of the inbound agents must total 100%.').waitFor()
    const untouched = await readNumber(scene.server, '+15550100001')
    expect(untouched.inbound_agents.map(({ weight }) => weight)).toEqual(weights)

    await page.getByRole('button', { name: 'Distribute evenly' }).click()
    await page.getByLabel('Weight 3 (slider)').press('End')
    await page.getByText('Total: 100%', { exact: true }).waitFor()
    expect(await shareOf(page, 3).inputValue()).toBe('98')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Number saved').waitFor()
    const saved = (await readNumber(scene.server, '+15550100001')).inbound_agents.map(({ weight }) => weight)
    expect(saved[2]).toBe(0.98)
    expect(saved.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9)
    expectNoViolations(pageViolations)
  })

  test('agents are saved even if a setting is refused at its field; edits of others are kept', async ({ scene }) => {
    const ada = await makeAgent(scene.server, 'Ada')
    await makeNumber(scene.server, '+15550100003')
    const { page, pageViolations } = await scene.open('numbers/%2B15550100003')
    await choose(page, 'Outbound agent', 'Ada')
    await page.getByLabel('Fallback number').fill('call me')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('[data-field=fallback_number]').getByText('must be in E.164 form').waitFor()
    expect((await readNumber(scene.server, '+15550100003')).outbound_agents[0]?.agent_id).toBe(ada)

    await page.getByLabel('Fallback number').fill('+15550100009')
    const body = { workspaceId: scene.server.workspaceId, nickname: 'Of somebody else' }
    await scene.server.call('PATCH', '/api/numbers/15550100003', { body })
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this' })
    await dialog.getByText('Of somebody else').waitFor()
    await dialog.getByRole('button', { name: 'Apply my edits' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Number saved').waitFor()
    expect(await readNumber(scene.server, '+15550100003')).toMatchObject({
      nickname: 'Of somebody else',
      fallback_number: '+15550100009',
    })
    expectNoViolations(pageViolations, 400, 409, 412)
  })

  test('an imported number shows the message of its carrier and no password; deleting it requires typing it', async ({
    scene,
  }) => {
    const { page, pageViolations } = await scene.open('numbers')
    await page.getByRole('button', { name: 'Import number' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import number' })
    await dialog.getByLabel('Number').fill('+15550100002')
    await dialog.getByLabel('Carrier').selectOption('twilio')
    await dialog.getByLabel('Username').fill('parley')
    await dialog.getByLabel('Password').fill('a secret of the trunk')
    await dialog.getByRole('button', { name: 'Import number' }).click()
    await page.getByRole('heading', { name: '+15550100002', level: 1 }).waitFor()
    const stored = await readNumber(scene.server, '+15550100002')
    expect(stored).toMatchObject({ provider: 'twilio', has_credentials: true, platform_import_error: true })
    await page.getByText(stored.platform_import_error_message ?? 'no message', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('a secret of the trunk')

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByLabel('Type the name to confirm:').fill('+15550100002')
    await page.getByRole('button', { name: 'Delete number' }).click()
    await page.getByRole('heading', { name: 'No numbers yet' }).waitFor()
    expectNoViolations(pageViolations)
  })

  test('a viewer can only read a number', async ({ scene }) => {
    const ada = await makeAgent(scene.server, 'Ada')
    await makeNumber(scene.server, '+15550100004', { inboundAgents: [{ agent_id: ada, weight: 1 }] })
    const person = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open('numbers', { person })
    await page.getByRole('link', { name: '+15550100004' }).waitFor()
    expect(await page.getByRole('button', { name: 'New number' }).count()).toBe(0)
    await page.getByRole('link', { name: '+15550100004' }).click()
    await page.getByText('Total: 100%').waitFor()
    for (const label of ['Weight 1', 'Agent 1', 'Outbound agent', 'Nickname']) {
      expect(await page.getByLabel(label, { exact: true }).isDisabled()).toBe(true)
    }
    expect(await page.getByLabel('Fallback number').isDisabled()).toBe(true)
    for (const name of ['Save', 'Add agent', 'More actions', 'Remove agent 1']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    expectNoViolations(pageViolations)
  })
})
