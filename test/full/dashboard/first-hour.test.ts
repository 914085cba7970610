import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { startDashboard } from '../../../testing/browser/dashboard.ts'
import { browserTest, expectNoViolations } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'

const SIZES = [
  [1440, 900],
  [390, 844],
] as const

async function isInWindow(page: Page, control: Locator): Promise<boolean> {
  const box = await control.boundingBox()
  const height = page.viewportSize()?.height ?? 0
  return box !== null && box.y >= 0 && box.y + box.height <= height
}

const stepOf = (page: Page, title: string): Locator => page.getByRole('listitem').filter({ hasText: title })

/** Runs tests in order on one server with demo data. The first test needs the data unchanged. */
const test = browserTest.extend('scene', { scope: 'file' }, async ({ browser }, { onCleanup }) => {
  const scene = await startDashboard({ browser, env: { DEMO: '1' } })
  onCleanup(() => scene[Symbol.asyncDispose]())
  return scene
})

describe.skipIf(findChromium() === null)('the first hour', () => {
  test('starts with the demo agent, which completes no setup step', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('/1')
    const talk = page.getByRole('link', { name: 'Talk to Robin' })
    await talk.waitFor()
    for (const title of ['Talk to Robin', 'Create your agent', 'Add a provider key']) {
      expect(await stepOf(page, title).getByText('Done').count()).toBe(0)
    }

    await talk.click()
    await page.getByRole('heading', { name: 'Robin (demo)', level: 1 }).waitFor()
    const panel = page.getByRole('region', { name: 'Test' }).or(page.getByRole('complementary', { name: 'Test' }))
    await panel.getByRole('button', { name: 'Start chat' }).click()
    await panel.getByRole('textbox', { name: 'Message' }).fill('How much is a flat tire?')
    await page.keyboard.press('Enter')
    await panel.getByText('$15').first().waitFor()
    await page.goto('/1')
    await stepOf(page, 'Talk to Robin').getByText('Done').waitFor()
    await page.getByRole('link', { name: 'Create agent' }).click()
    await page.getByRole('dialog', { name: 'New agent' }).waitFor()
    expectNoViolations(pageViolations)
  })

  test('searches for names and actions, not paths', async ({ scene }) => {
    const { page } = await scene.open('/1')
    const find = async (text: string): Promise<void> => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Search' }).fill(text)
    }
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await find('rob')
    await page.getByRole('option', { name: /^Robin \(demo\)/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Robin (demo)', level: 1 }).waitFor()

    await find('repair')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('option', { name: /^Repair bookings/, selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await find('workspaceid')
    await page.getByText('No results for “workspaceid”').waitFor()
    await page.keyboard.press('Escape')
    await find('new flow')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New flow' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/1/flows')
  })

  test.for(SIZES)('keeps Save and the buttons of dialogs visible at %i × %i', async ([width, height], { scene }) => {
    const { page } = await scene.open('/1/agents', { width })
    await page.setViewportSize({ width, height })
    await page.getByRole('link', { name: 'Robin (demo)' }).click()
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.waitFor()
    await page.mouse.wheel(0, 20_000)
    await expectEventually(() => page.evaluate<boolean>('scrollY > 200')).toBe(true)
    expect(await isInWindow(page, save)).toBe(true)
    expect(await isInWindow(page, page.getByRole('button', { name: 'Publish' }))).toBe(true)

    await page.goto('/1/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    expect(await isInWindow(page, page.getByRole('button', { name: 'Create webhook' }))).toBe(true)
    await page.goto('/1')
    if (width < 1024) return
    const overflow = `(() => { const { scrollHeight, clientHeight } = document.querySelector('aside nav').parentElement; return scrollHeight - clientHeight })()`
    await page.getByRole('link', { name: 'Audit log' }).waitFor()
    expect(await page.evaluate(overflow)).toBe(0)
  })
})
