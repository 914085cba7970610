import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { OWNER, startDashboard } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, browserTest as test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'

const MAX_CLICKS = 25

/** Questions of a visitor who knows only the template name, with patterns of good replies. */
const TEMPLATES: Readonly<Record<string, readonly (readonly [question: string, answer: RegExp])[]>> = {
  Receptionist: [
    ['Until when are you open today?', /9 am to 5 pm/],
    ['Do you take criminal cases?', /do not handle criminal cases/],
    ['Who won the election?', /don['’]t have that information/],
  ],
  'Appointment booking': [
    ['How long does a cleaning take?', /45 minutes/],
    ['I need to see a dentist this week', /appointment for\?|day|time/],
    ['What happens if I cancel?', /24 hours in advance/],
  ],
  'Customer support': [
    ['Can I send a lamp back?', /30 days/],
    ['Does it work with 5 GHz wifi?', /2\.4 GHz/],
    ['I want to talk to a person', /name/],
  ],
}

const HANDBOOK = 'Gift cards\n\nA gift card costs $25 and never expires.\n'

/** Creates a visitor that counts clicks. Enter and typing do not count. */
function createVisitor(page: Page) {
  const panel = page.getByRole('region', { name: 'Test' })
  const visitor = {
    clicks: 0,
    async click(control: Locator) {
      visitor.clicks += 1
      await control.click()
    },
    async ask(question: string, answer: RegExp) {
      const message = panel.getByRole('textbox', { name: 'Message', exact: true })
      await message.fill(question)
      await message.press('Enter')
      const chat = panel.getByRole('log')
      await expectEventually(async () => (await chat.textContent())?.split(question).at(-1)).toMatch(answer)
    },
    panel,
  }
  return visitor
}

describe.skipIf(findChromium() === null)('a newcomer', () => {
  test(`gets from login to a published agent that knows a document in ${MAX_CLICKS} clicks`, async ({ browser }) => {
    await using scene = await startDashboard({ browser, env: { DEMO: '1' } })
    const { page, pageViolations } = await scene.open('/', { person: null, language: 'en-US' })
    const visitor = createVisitor(page)
    const { click, ask, panel } = visitor
    const menu = page.getByRole('navigation', { name: 'Main menu' })
    await page.getByLabel('Email address').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.keyboard.press('Enter')

    await click(page.getByRole('link', { name: 'Talk to Robin' }))
    await click(panel.getByRole('button', { name: 'Start chat' }))
    await ask('How much is a flat tire?', /\$15/)

    for (const [template, questions] of Object.entries(TEMPLATES)) {
      await click(menu.getByRole('link', { name: 'Agents', exact: true }))
      await click(page.getByRole('button', { name: 'New agent' }).first())
      const dialog = page.getByRole('dialog', { name: 'New agent' })
      await click(dialog.getByRole('button', { name: template }))
      await click(dialog.getByRole('button', { name: 'Create agent', exact: true }))
      await page.getByRole('heading', { name: template, level: 1 }).waitFor()
      await click(panel.getByRole('button', { name: 'Start chat' }))
      for (const [question, answer] of questions) await ask(question, answer)
    }

    await click(page.getByRole('tab', { name: 'Knowledge' }))
    await click(page.getByRole('button', { name: 'New knowledge base' }))
    const dialog = page.getByRole('dialog', { name: 'New knowledge base' })
    await dialog.getByLabel('Name').fill('Handbook')
    // Dropping the file needs no click.
    const file = { name: 'handbook.txt', mimeType: 'text/plain', buffer: Buffer.from(HANDBOOK) }
    await dialog.locator('input[type=file]').setInputFiles(file)
    await click(dialog.getByRole('button', { name: 'Create knowledge base' }))
    await page.getByRole('checkbox', { name: /^Handbook/, checked: true }).waitFor()
    await page.getByText('1 file uploaded').waitFor()
    const statuses = async (): Promise<readonly string[]> => {
      const query = { workspaceId: scene.server.workspaceId }
      const listed = await scene.server.call<{ status: string }[]>('GET', '/api/knowledge-bases', { query })
      return listed.body.map(({ status }) => status)
    }
    await expectEventually(async () => new Set(await statuses())).toEqual(new Set(['ready']))
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await click(panel.getByRole('button', { name: 'Start over' }))
    await ask('How much is a gift card?', /\$25/)

    await click(page.getByRole('button', { name: 'Publish' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Publish' }))
    await page.getByText('Agent published').waitFor()
    await page.getByText(/^Live: version/).waitFor()
    await expectEventually(() => page.getByText('no version is published yet').count()).toBe(0)
    // Before login, the dashboard checks the session, and the browser logs the 401 response.
    expectNoViolations(pageViolations, 401)
    expect(visitor.clicks).toBeLessThanOrEqual(MAX_CLICKS)
  })
})
