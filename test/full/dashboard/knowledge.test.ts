import type { Chat } from '@parley/contract/chat'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { OWNER } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { MANUAL_FACT, makeManual } from '../../../testing/documents/pdf-documents.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import { startWebsite } from '../../../testing/website-server/website-server.ts'
import { senderOf, VOICE } from './scene-records.ts'

const HOSTILE = '<img src=x onerror="window.hacked = true">'
const HOSTILE_TEXT = '<script>window.hacked = true</script> Replace the brake pads twice a year.'
const MIB = 1024 * 1024

async function makeBase(server: ServerClient, body: object = {}): Promise<string> {
  const created = await server.call<KnowledgeBase>('POST', '/api/knowledge-bases', {
    body: { workspaceId: server.workspaceId, name: 'Workshop', ...body },
  })
  expect(created.status).toBe(201)
  return created.body.knowledgeBaseId
}

async function readBase(server: ServerClient, id: string): Promise<KnowledgeBase> {
  const query = { workspaceId: server.workspaceId }
  return (await server.call<KnowledgeBase>('GET', `/api/knowledge-bases/${id}`, { query })).body
}

async function makeAgentWith(server: ServerClient, knowledgeBaseId: string): Promise<string> {
  const send = senderOf(server)
  const { llm_id } = await send('POST', '/api/v1/llms', { model: 'offline', knowledge_base_ids: [knowledgeBaseId] })
  const engine = { type: 'llm', llm_id }
  const { agent_id: agentId = '' } = await send('POST', '/api/agents', { voice_id: VOICE, response_engine: engine })
  return agentId
}

const idIn = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''
const rowOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Sources' }).getByRole('row').filter({ hasText: name })
const textFile = (name: string, sizeBytes: number) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.alloc(sizeBytes, 'All about wheels. '),
})

describe.skipIf(findChromium() === null)('knowledge bases', () => {
  test('a PDF is added to a new knowledge base, read, and found with its page', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('knowledge')
    await page.getByRole('heading', { name: 'No knowledge bases yet' }).waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New knowledge base' })
    await dialog.getByLabel('Name').fill('Bicycles')
    await dialog.getByLabel('Files', { exact: true }).setInputFiles([
      { name: 'manual.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await makeManual()) },
      { name: 'nothing.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ])
    await dialog.getByText('“nothing.txt” is empty.').waitFor()
    await dialog.getByRole('button', { name: 'Create knowledge base' }).click()

    await page.getByRole('heading', { name: 'Bicycles', level: 1 }).waitFor()
    await page.getByText('1 file uploaded').waitFor()
    const row = rowOf(page, 'manual.pdf')
    await row.getByText('Ready', { exact: true }).filter({ visible: true }).waitFor()
    await row.getByRole('button', { name: /Show \d+ passages/ }).click()
    await page
      .getByRole('dialog', { name: 'Passages of “Kestrel service manual”' })
      .getByText(/^Passage 1 ·/)
      .waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('tab', { name: 'Test search' }).click()
    await page.getByLabel('Question').fill('After how many kilometres are the pads of the Kestrel replaced?')
    await page.keyboard.press('Control+Enter')
    const best = page.getByRole('region', { name: 'Search results' }).getByRole('article').first()
    await best.getByRole('heading', { name: 'Kestrel service manual' }).waitFor()
    await best.getByText(`page ${MANUAL_FACT.page}`).waitFor()
    expect(await best.textContent()).toContain(MANUAL_FACT.sentence)
    expect(await best.locator('mark').allTextContents()).toContain('kilometres')
    expect(await best.textContent()).toMatch(/Score \(keywords\)0\.\d+/)

    await page.getByLabel('Question').fill('xylophone')
    await page.getByRole('main').getByRole('button', { name: 'Find passages', exact: true }).click()
    await page.getByRole('heading', { name: 'No passages found' }).waitFor()

    const [source] = (await readBase(scene.server, idIn(page))).sources
    expect(source).toMatchObject({ filename: 'manual.pdf', status: 'ready', pageCount: 50 })
    expectNoViolations(pageViolations)
  })

  test('an agent answers from a knowledge base and cites the passage', async ({ scene }) => {
    const { server } = scene
    const base64 = Buffer.from(await makeManual()).toString('base64')
    const id = await makeBase(server, { sources: [{ filename: 'manual.pdf', base64 }] })
    await expectEventually(async () => (await readBase(server, id)).status).toBe('ready')
    const agentId = await makeAgentWith(server, id)
    const { page, pageViolations } = await scene.open(`agents/${agentId}`)
    const panel = page.getByRole('region', { name: 'Test' })
    await panel.getByRole('tab', { name: 'Chat' }).click()
    await panel.getByRole('button', { name: 'Start chat' }).click()
    await panel.getByRole('textbox', { name: 'Message' }).fill('After how many kilometres are the pads replaced?')
    await panel.getByRole('button', { name: 'Send' }).click()

    const cited = `Kestrel service manual, page ${MANUAL_FACT.page}`
    await panel.getByText('Sources:').click()
    const passages = panel.getByRole('list', { name: 'Retrieved passages' })
    await passages.getByText(MANUAL_FACT.sentence).waitFor()
    expect(await passages.textContent()).toContain(cited)

    await panel.getByRole('link', { name: 'Open chat' }).click()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Sources:').click()
    await transcript.getByText(MANUAL_FACT.sentence).last().waitFor()
    expect(await transcript.locator('summary').first().textContent()).toContain(cited)
    const chatId = idIn(page)
    const { body } = await server.call<Chat>('GET', `/api/chats/${chatId}`, {
      query: { workspaceId: server.workspaceId },
    })
    expect(body.retrievedPassages[0]).toMatchObject({ knowledgeBaseId: id, page: MANUAL_FACT.page })
    expectNoViolations(pageViolations)
  })

  test('a search repeats once a pending source is ready', async ({ scene }) => {
    await using website = await startWebsite()
    const reading = Promise.withResolvers<void>()
    website.put('/pads', { kind: 'held', body: '<p>Brake pads last 4,000 kilometres.</p>', until: reading.promise })
    const id = await makeBase(scene.server, { sources: [{ url: `${website.url}/pads` }] })
    const { page, pageViolations } = await scene.open(`knowledge/${id}?tab=ask`)
    await page.getByLabel('Question').fill('How long do pads last?')
    await page.keyboard.press('Enter')
    await page.getByText('Some sources are still being processed.').waitFor()
    reading.resolve()
    await page.getByRole('region', { name: 'Search results' }).getByText('4,000 kilometres').waitFor()
    expectNoViolations(pageViolations)
  })

  test('text of documents is never markup', async ({ scene }) => {
    const id = await makeBase(scene.server, { sources: [{ title: HOSTILE, text: HOSTILE_TEXT }] })
    await expectEventually(async () => (await readBase(scene.server, id)).status).toBe('ready')
    const { page, pageViolations } = await scene.open(`knowledge/${id}`)
    await rowOf(page, HOSTILE).getByRole('button', { name: 'Show 1 passage' }).click()
    await page.getByRole('dialog', { name: HOSTILE }).getByText(HOSTILE_TEXT).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Test search' }).click()
    await page.getByLabel('Question').fill('script and brake pads')
    await page.keyboard.press('Enter')
    const found = page.getByRole('region', { name: 'Search results' })
    await found.getByRole('heading', { name: HOSTILE }).waitFor()
    expect(await found.textContent()).toContain(HOSTILE_TEXT)
    expect(await found.locator('mark').allTextContents()).toEqual(['script', 'script', 'brake', 'pads'])
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expectNoViolations(pageViolations)
  })

  test('an upload shows its progress, can be canceled, and survives an expired session', async ({ scene }) => {
    const id = await makeBase(scene.server)
    const { page, context, pageViolations } = await scene.open(`knowledge/${id}`)
    await page.getByRole('heading', { name: 'No sources yet' }).waitFor()

    const network = await context.newCDPSession(page)
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: MIB }
    await network.send('Network.emulateNetworkConditions', slow)
    const uploads = page.getByRole('list', { name: 'Uploads' })
    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles([textFile('first.txt', 9 * MIB), textFile('second.txt', 9 * MIB)])
    await uploads.getByText('Waiting').waitFor()
    await uploads.getByText(/^[1-9]\d?%$/).waitFor()
    await page.getByRole('button', { name: 'Cancel upload of second.txt' }).click()
    await page.getByRole('button', { name: 'Cancel upload of first.txt' }).click()
    await uploads.waitFor({ state: 'detached' })
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 })

    await context.clearCookies()
    await page.getByLabel('Files', { exact: true }).setInputFiles(textFile('third.txt', 1_000))
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Password').fill(OWNER.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await rowOf(page, 'third.txt').getByText('Ready', { exact: true }).filter({ visible: true }).waitFor()
    expect((await readBase(scene.server, id)).sources.map(({ filename }) => filename)).toEqual(['third.txt'])
    expectNoViolations(pageViolations, 401)
  })

  test('a refused URL is shown at its field; a failed source says why and is retried', async ({ scene }) => {
    const broken = Buffer.from('%PDF-1.7\nnot really').toString('base64')
    const id = await makeBase(scene.server, { sources: [{ filename: 'leaflet.pdf', base64: broken }] })
    const { page, pageViolations } = await scene.open(`knowledge/${id}`)
    await rowOf(page, 'leaflet.pdf').getByText('The document seems to be damaged').waitFor()
    await page.getByRole('button', { name: 'Actions for leaflet.pdf' }).click()
    await page.getByRole('menuitem', { name: 'Try again' }).click()
    await page.getByText('Refresh started').waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('ready')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    expect(page.url()).toContain('status=ready')

    await page.getByRole('button', { name: 'Add pages' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add pages' })
    await dialog.getByLabel('URLs').fill('https://example.com/a\nftp://example.com/b')
    await dialog.getByRole('button', { name: 'Add pages' }).click()
    await expectEventually(() => dialog.locator('[data-field=sources] [role=alert]').textContent()).toMatch(
      /^\[1\]\.url: must be an http/,
    )
    expect((await readBase(scene.server, id)).sourceCount).toBe(1)
    expectNoViolations(pageViolations, 400)
  })

  test('settings are saved without overwriting edits of others', async ({ scene }) => {
    const id = await makeBase(scene.server)
    const { page, pageViolations } = await scene.open(`knowledge/${id}?tab=settings`)
    await page.getByLabel('Name').fill('Workshop of the south')
    const body = { workspaceId: scene.server.workspaceId, description: 'Written by somebody else.' }
    await scene.server.call('PATCH', `/api/knowledge-bases/${id}`, { body })
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this' })
    await dialog.getByText('Written by somebody else.').waitFor()
    await dialog.getByRole('button', { name: 'Apply my edits' }).click()
    await page.getByRole('switch', { name: 'Refresh pages automatically' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Workshop of the south', level: 1 }).waitFor()
    expect(await readBase(scene.server, id)).toMatchObject({
      name: 'Workshop of the south',
      description: 'Written by somebody else.',
      enableAutoRefresh: true,
    })
    expectNoViolations(pageViolations, 409, 412)
  })

  test('a viewer can read and search, and change nothing', async ({ scene }) => {
    const id = await makeBase(scene.server, {
      sources: [{ title: 'Hours', text: 'The workshop is open on Saturdays.' }],
    })
    const person = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open('knowledge', { person, width: 390 })
    await page.getByRole('link', { name: 'Workshop' }).click()
    await rowOf(page, 'Hours').waitFor()
    for (const name of ['Add pages', 'Select files', 'Refresh all', 'More actions']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    await page.getByRole('tab', { name: 'Test search' }).click()
    await page.getByLabel('Question').fill('Saturdays')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Search results' }).getByText('open on').waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await page.getByLabel('Name').isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    expect((await readBase(scene.server, id)).name).toBe('Workshop')
    expectNoViolations(pageViolations)
  })
})
