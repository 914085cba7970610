import { readFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import type { WorkspaceScene } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { createChatRow } from '../../../testing/seed-chats.ts'
import { insertRows, withDatabase } from '../../../testing/server-database.ts'
import { complete, createAgent, createChat, read, readChat } from '../../../testing/server-test.ts'
import { findBarriers } from './scene-findings.ts'

const HOSTILE = '<script>window.hacked = true</script><img src=x onerror="window.hacked = true">'
const LONG_NAME = 'Maximiliane-'.repeat(17).slice(0, 200)

/** Creates a chat with one message and its reply. */
async function writeChat({ server }: WorkspaceScene, content: string): Promise<string> {
  const agent = await createAgent(server, {}, { model: 'offline', general_prompt: 'We open at nine.' })
  const { chatId } = await createChat(server, agent, { metadata: { note: HOSTILE } })
  await complete(server, chatId, content)
  return chatId
}

describe.skipIf(findChromium() === null)('chats', () => {
  test('exports listed chats and deletes selected ones', async ({ scene }) => {
    const first = await writeChat(scene, 'When do you open?')
    const second = await writeChat(scene, 'Where are you?')
    const { page, pageViolations } = await scene.open('chats')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n')
    expect(lines.map((line) => line.split(',')[0])).toEqual([expect.stringContaining('Chat ID'), second, first])

    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type 2 to confirm').fill('2')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete…' }).click()
    await page.getByText('Chats deleted').waitFor()
    await page.getByRole('heading', { name: 'No chats yet' }).waitFor()
    expect((await read(scene.server, `/api/chats/${first}`)).status).toBe(404)
    expectNoViolations(pageViolations)
  })

  test('finds a chat by its words, explains, changes, ends and deletes it', async ({ scene }) => {
    const { server } = scene
    await writeChat(scene, 'When do you open?')
    const chatId = await writeChat(scene, `My bicycle has a flat tire. ${HOSTILE}`)
    const { page, pageViolations } = await scene.open('chats')
    const list = page.getByRole('region', { name: 'Chats' })
    await page.getByText('2 rows').waitFor()
    await page.getByRole('searchbox').fill('bicycle')
    await page.getByText('1 row', { exact: true }).waitFor()
    expect(page.url()).toContain('search=bicycle')
    await list.getByRole('link').click()

    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('My bicycle has a flat tire.').waitFor()
    expect(await transcript.textContent()).toContain(HOSTILE)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await page.getByText('Decision trace').click()
    await page.getByText('Decisions, latency and token usage of each turn, latest first.').waitFor()

    await page.getByRole('button', { name: 'Edit Metadata' }).click()
    await page.getByRole('textbox', { name: 'Metadata' }).fill('{"ticket": 17}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Chat updated').waitFor()
    expect((await readChat(server, chatId)).metadata).toEqual({ ticket: 17 })

    await page.getByRole('button', { name: 'End chat' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End chat' }).click()
    await page.getByText('Chat ended').waitFor()
    expect((await readChat(server, chatId)).status).toBe('completed')

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type the name to confirm').fill(chatId)
    await page.getByRole('button', { name: 'Delete chat' }).click()
    await page.getByText('1 row', { exact: true }).waitFor()
    expect((await read(server, `/api/chats/${chatId}`)).status).toBe(404)
    expectNoViolations(pageViolations)
  })

  test('creates a test case from a chat and shows server errors at their fields', async ({ scene }) => {
    const { server } = scene
    const agent = await createAgent(server, {}, { model: 'offline', general_prompt: 'We open at nine.' })
    const { chatId } = await createChat(server, agent, { dynamicVariables: { city: 'Köln' } })
    await complete(server, chatId, 'When do you open?')
    await complete(server, chatId, 'Thank you.')
    const { page, pageViolations } = await scene.open(`chats/${chatId}`)
    await page.getByRole('button', { name: 'Save as test case…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as test case' })
    const prompt = dialog.getByLabel('Simulated user')
    expect(await prompt.inputValue()).toMatch(/\n\n- When do you open\?\n- Thank you\.$/)
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('When do you open?')
    expect(await findBarriers(page)).toEqual([])

    await prompt.fill('x'.repeat(33_000))
    await dialog.getByRole('button', { name: 'Create test case' }).click()
    await dialog.locator('[data-field=user_prompt]').getByText('must be at most').waitFor()
    await prompt.fill('You ask when the shop opens.')
    await dialog.getByRole('button', { name: 'Create test case' }).click()
    await page.getByRole('heading', { name: 'When do you open?', level: 1 }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const { response_engine: engine } = agent
    expect((await read(server, `/api/test-case-definitions/${id}`)).body).toMatchObject({
      type: 'llm',
      llm_id: 'llm_id' in engine ? engine.llm_id : '',
      user_prompt: 'You ask when the shop opens.',
      description: `Created from chat ${chatId}.`,
      dynamic_variables: { city: 'Köln' },
    })
    expectNoViolations(pageViolations, 400)
  })

  test('long lists and names do not break the layout; filters without matches can be cleared', async ({ scene }) => {
    await withDatabase(scene.server, (database) =>
      insertRows(
        database,
        'chats',
        Array.from({ length: 250 }, (_item, index) => ({
          ...createChatRow({
            ...{ chat_id: `chat_${String(index).padStart(26, '0')}`, workspace_id: scene.server.workspaceId },
            ...{ agent_name: LONG_NAME, started_at: index },
          }),
        })),
      ),
    )
    const { page, pageViolations } = await scene.open('chats?status=ongoing', { width: 390 })
    await page.getByText('100 rows loaded').waitFor()
    await page.getByRole('region', { name: 'Chats' }).evaluate((list: { scrollTop: number; scrollHeight: number }) => {
      list.scrollTop = list.scrollHeight
    })
    await page.getByText('200 rows loaded').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByLabel('Status').selectOption('error')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await page.getByText('100 rows loaded').waitFor()
    expectNoViolations(pageViolations)
  })

  test('a viewer can only read a chat', async ({ scene }) => {
    const chatId = await writeChat(scene, 'When do you open?')
    const person = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open(`chats/${chatId}`, { person })
    await page.getByText('When do you open?').waitFor()
    for (const name of [/^End/, /Delete/, /^Edit/, /Analy/, /Save as/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    expectNoViolations(pageViolations)
  })
})
