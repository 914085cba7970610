import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { BrowserContext } from 'playwright-core'
import { watchLoading } from '../../test/acceptance/dashboard/scene-visit.ts'
import type { SceneRecords } from '../../test/full/dashboard/scene-records.ts'
import { type DashboardScene, OWNER, startDashboard } from '../browser/dashboard.ts'
import { SCREENS, type ScreenshotTarget } from './screens.ts'
import { shrinkPng } from './small-png.ts'
import { seedWorkshop } from './workshop.ts'

/**
 * Takes the dashboard pictures for the documentation with the data of a bicycle repair shop. `--folder` sets a different output
 * folder; names of screens limit the run to these screens.
 */
const { values, positionals } = parseArgs({ options: { folder: { type: 'string' } }, allowPositionals: true })
const folder = values.folder ?? fileURLToPath(new URL('../../docs/images/dashboard/', import.meta.url))

const MAX_BYTES = 150_000
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }
const FORMS = [
  { name: 'light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'phone', viewport: PHONE, colorScheme: 'light' },
] as const

const selectedScreens = SCREENS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

async function openWindow({ browser, server }: DashboardScene, form: (typeof FORMS)[number]): Promise<BrowserContext> {
  return await browser.newContext({
    viewport: form.viewport,
    colorScheme: form.colorScheme,
    baseURL: server.url,
    locale: 'en-US',
    timezoneId: 'America/Los_Angeles',
    reducedMotion: 'reduce',
  })
}

async function takeScreenshot(
  context: BrowserContext,
  screen: ScreenshotTarget,
  records: SceneRecords,
): Promise<Buffer> {
  const page = await context.newPage()
  const loading = watchLoading(page)
  await page.goto(screen.address(records))
  await loading.settled()
  await screen.prepare?.(page)
  // The mouse moves to a corner, so that no control is hovered.
  await page.mouse.move(0, 0)
  await loading.settled()
  const png = shrinkPng(await page.screenshot({ caret: 'hide', animations: 'disabled' }))
  await page.close()
  if (png.length > MAX_BYTES) throw new Error(`The picture of ${screen.name} has ${png.length} bytes.`)
  return png
}

await using dashboard = await startDashboard({ env: { CHECK_ANSWERS: '' } })
const records = await seedWorkshop(dashboard.server)
await mkdir(folder, { recursive: true })
for (const form of FORMS) {
  const signedInWindow = await openWindow(dashboard, form)
  const signedOutWindow = await openWindow(dashboard, form)
  const { url } = dashboard.server
  await signedInWindow.request.post(`${url}/api/auth/login`, { data: OWNER, headers: { origin: url } })
  for (const screen of selectedScreens) {
    const png = await takeScreenshot(screen.isSignedOut ? signedOutWindow : signedInWindow, screen, records)
    await writeFile(join(folder, `${screen.name}-${form.name}.png`), png)
    console.log(`${screen.name}-${form.name}.png  ${Math.round(png.length / 1_000)} kB`)
  }
  await signedInWindow.close()
  await signedOutWindow.close()
}
