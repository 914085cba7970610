import { request } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { calculateContrast, type Rgb } from '../../../packages/dashboard/src/lib/brand/colors.ts'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { startDashboard } from '../../../testing/browser/dashboard.ts'
import { browserTest, expectNoViolations } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'

/** A one-pixel image. */
const LOGO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const READABLE = 4.5

function channels(colour: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number)
  return { red, green, blue }
}

/** The parts of the DOM that this file uses, since tests have no browser types. */
interface Drawn {
  readonly parentElement: Drawn | null
}
interface Window {
  getComputedStyle(element: Drawn): { readonly color: string; readonly backgroundColor: string }
}

/** Returns the contrast of a text with its nearest background. */
async function contrastIn(element: Locator): Promise<number> {
  const [text = '', ground = ''] = await element.evaluate((node: unknown) => {
    const { getComputedStyle } = globalThis as unknown as Window
    let behind = node as Drawn
    const { color } = getComputedStyle(behind)
    while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)' && behind.parentElement !== null) {
      behind = behind.parentElement
    }
    return [color, getComputedStyle(behind).backgroundColor]
  })
  return calculateContrast(channels(text), channels(ground))
}

/** Returns the page for a host name, which test browsers cannot request. */
function pageAt(url: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/sign-in`, { headers: { host, accept: 'text/html' } }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      response.on('end', () => resolve(body))
    })
    asked.on('error', reject).end()
  })
}

const menuOf = (page: Page): Locator => page.getByRole('navigation', { name: 'Main menu' })

/** Runs all tests on one server. */
const test = browserTest.extend('scene', { scope: 'file' }, async ({ browser }, { onCleanup }) => {
  const scene = await startDashboard({ browser })
  onCleanup(() => scene[Symbol.asyncDispose]())
  return scene
})

describe.skipIf(findChromium() === null)('the branding screen', () => {
  test('reports an oversized image before the upload, and an invalid domain at its field', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('/1/branding')
    const large = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.alloc(60_000) }
    await page.getByLabel('Upload Logo').setInputFiles(large)
    await page.locator('[data-field=logoUrl]').getByText('The image is larger than 48 kB.').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()

    await page.getByLabel('Domain').fill('no domain')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .locator('[data-field=domain]')
      .getByText('must be a host name such as voice.example.com', { exact: true })
      .waitFor()
    await page.getByText('Unsaved changes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await page.getByLabel('Domain').inputValue()).toBe('')
    expect((await scene.server.call('GET', '/api/branding')).body).toMatchObject({ source: 'default', domain: null })
    // The browser logs the rejected domain.
    expectNoViolations(pageViolations, 400)
  })

  test('changes the brand of an account at once, on its domain and after a reload, and stays legible', async ({
    scene,
  }) => {
    const { server } = scene
    const { page, pageViolations } = await scene.open('/1/branding')
    await page.getByLabel('Product name').fill('Yellow Voice')
    await page.getByLabel('Upload Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO })
    await page.getByLabel('Primary color', { exact: true }).fill('#facc15')
    await page.getByLabel('Domain').fill('voice.example.com')
    await page.locator('[data-preview=dark]').getByText('Yellow Voice').waitFor()
    expect(await page.getByRole('complementary').getByText('Yellow Voice').count()).toBe(0)
    await page.keyboard.press('Control+s')

    const aside = page.getByRole('complementary')
    await aside.getByText('Yellow Voice').waitFor()
    await expectEventually(() => page.title()).toBe('Branding · Yellow Voice')
    const logo = `data:image/png;base64,${LOGO.toString('base64')}`
    expect(await aside.locator('img').first().getAttribute('src')).toBe(logo)
    await aside.getByText('Powered by Parley').waitFor()
    await page.getByLabel('“Powered by Parley”').selectOption('off')
    await page.getByRole('button', { name: 'Save' }).click()
    await aside.getByText('Powered by Parley').waitFor({ state: 'detached' })
    await page.getByText('_parley-verification.voice.example.com').waitFor()
    expect(await pageAt(server.url, 'voice.example.com')).not.toContain('Yellow Voice')
    await page.getByRole('button', { name: 'Verify without record' }).click()
    await page.getByText('Verified', { exact: true }).waitFor()

    const active = menuOf(page).getByRole('link', { name: 'Branding' })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectEventually(() => contrastIn(active)).toBeGreaterThanOrEqual(READABLE)
      await expectEventually(() => contrastIn(page.getByRole('button', { name: 'Save' }))).toBeGreaterThanOrEqual(
        READABLE,
      )
    }
    await page.reload()
    await aside.getByText('Yellow Voice').waitFor()
    expect(await page.getByLabel('Primary color', { exact: true }).inputValue()).toBe('#facc15')
    expect(await page.getByLabel('“Powered by Parley”').inputValue()).toBe('off')

    expect(await pageAt(server.url, 'voice.example.com')).toContain('Yellow Voice')
    expect(await pageAt(server.url, 'other.example.com')).not.toContain('Yellow Voice')
    expectNoViolations(pageViolations)
  })
})
