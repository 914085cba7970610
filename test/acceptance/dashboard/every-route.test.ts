import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test as plainTest } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import type { WatchedPage } from '../../../testing/browser/chromium.ts'
import { type DashboardScene, startDashboard } from '../../../testing/browser/dashboard.ts'
import { findBarriers, findFlaws } from '../../full/dashboard/scene-findings.ts'
import { type SceneRecords, seedRecords } from '../../full/dashboard/scene-records.ts'
import { addressOf, isPublic, readRoutes } from './scene-routes.ts'
import { watchLoading } from './scene-visit.ts'

const THEMES = ['light', 'dark'] as const
/** Width of very large screens, on which pages must not break. */
const WIDEST_PX = 2560
/** Pages inspected in parallel. */
const TABS = 2

interface RouteScene {
  readonly dashboard: DashboardScene
  readonly records: SceneRecords
}

/** Runs tests against one server with records of each kind. */
const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('scene', { scope: 'file' }, async ({}, { onCleanup }): Promise<RouteScene> => {
    const dashboard = await startDashboard()
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    return { dashboard, records: await seedRecords(dashboard.server) }
  })

/** Lists with a creation dialog, which `n` opens. */
const LISTS_WITH_DIALOGS = [
  'agents',
  'chat-agents',
  'llms',
  'flows',
  'knowledge',
  'numbers',
  'test-cases',
  'tokens',
  'webhooks',
  'provider-keys',
  'secrets',
  'team',
  'workspaces',
].map((name) => `/$workspaceId/${name}`)

describe.skipIf(findChromium() === null)('every page of the dashboard', () => {
  test.for([1440, 390])('is accessible, %i px wide', async (width, { scene }) => {
    const { dashboard, records } = scene
    const routes = await readRoutes()
    expect(routes.length).toBeGreaterThan(30)
    const signedIn = await openTab(scene, { width, isSignedIn: true })
    const tabs = [signedIn, ...(await Promise.all(Array.from({ length: TABS - 1 }, () => sameWindow(scene, signedIn))))]
    const front = await openTab(scene, { width, isSignedIn: false })
    const waiting = routes.filter((route) => !isPublic(route))
    const look = async (tab: Tab, route: string): Promise<readonly string[]> => {
      await tab.watched.page.goto(dashboard.server.url + addressOf(route, records))
      const found = [...(await findingsOf(tab, { hasTabs: width === 390 }))]
      if (width === 1440) found.push(...(await flawsWhenWide(tab.watched.page, width)))
      return found.map((finding) => `${route} ${finding}`)
    }
    const findings = await Promise.all([
      ...tabs.map(async (tab) => {
        const found: string[] = []
        for (let route = waiting.shift(); route !== undefined; route = waiting.shift())
          found.push(...(await look(tab, route)))
        return found
      }),
    ])
    for (const route of routes.filter(isPublic)) {
      // The invitation page checks who is signed in.
      const found = await look(front, route)
      findings.push(found.filter((one) => !(route === '/accept-invitation' && one.includes('status of 401'))))
    }
    expect(findings.flat().sort()).toEqual([])
  })

  test('has accessible dialogs for new records', async ({ scene }) => {
    const { dashboard, records } = scene
    const tab = await openTab(scene, { width: 1440, isSignedIn: true })
    const { page } = tab.watched
    const findings: string[] = []
    for (const route of LISTS_WITH_DIALOGS) {
      await page.goto(dashboard.server.url + addressOf(route, records))
      await tab.loading.settled()
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog')
      const isOpen = await dialog.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      )
      if (!isOpen) findings.push(`${route}: "n" opens no window`)
      await tab.loading.settled()
      findings.push(...(await findBarriers(page)).map((barrier) => `${route} new: ${barrier}`))
      await page.keyboard.press('Escape')
    }
    expect(findings).toEqual([])
  })
})

interface Tab {
  readonly context: BrowserContext
  readonly watched: WatchedPage
  readonly loading: ReturnType<typeof watchLoading>
}

async function openTab(
  { dashboard }: RouteScene,
  { width, isSignedIn }: { readonly width: number; readonly isSignedIn: boolean },
): Promise<Tab> {
  const { page, context, pageViolations } = await dashboard.open(isSignedIn ? '/1' : '/sign-in', {
    width,
    ...(!isSignedIn && { person: null }),
  })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  return { context, watched: { page, pageViolations }, loading: watchLoading(page) }
}

async function sameWindow({ dashboard }: RouteScene, { context }: Tab): Promise<Tab> {
  const watched = dashboard.browser.watch(await context.newPage())
  await watched.page.emulateMedia({ reducedMotion: 'reduce' })
  return { context, watched, loading: watchLoading(watched.page) }
}

/** Returns the problems of a page in both themes, optionally including each of its tabs. */
async function findingsOf(
  { watched, loading }: Tab,
  { hasTabs }: { readonly hasTabs: boolean },
): Promise<readonly string[]> {
  const { page, pageViolations } = watched
  const unsettled = await loading.settled()
  const findings: string[] = unsettled === null ? [] : [`is not loaded: ${unsettled}`]
  findings.push(...(await findFlaws(page)), ...(await barriersInThemes(page)))
  const parts = hasTabs ? await page.getByRole('tab', { selected: false }).allTextContents() : []
  for (const part of parts) {
    await page.getByRole('tab', { name: part, exact: true }).first().click()
    await loading.settled()
    const found = [...(await findFlaws(page)), ...(await barriersInThemes(page))]
    findings.push(...found.map((finding) => `[${part}] ${finding}`))
  }
  const { foreignRequests, errors } = pageViolations
  findings.push(
    ...foreignRequests.splice(0).map((url) => `asks ${url}`),
    ...errors.splice(0).map((text) => `error: ${text}`),
  )
  return findings
}

/** Returns overflowing or blank areas on a very large screen. */
async function flawsWhenWide(page: Page, width: number): Promise<readonly string[]> {
  const height = page.viewportSize()?.height ?? 900
  await page.setViewportSize({ width: WIDEST_PX, height })
  const flaws = await findFlaws(page)
  await page.setViewportSize({ width, height })
  return flaws.map((flaw) => `${WIDEST_PX} px wide: ${flaw}`)
}

async function barriersInThemes(page: Page): Promise<readonly string[]> {
  const findings: string[] = []
  // Inherited colors would transition level by level.
  await page.addStyleTag({ content: '*, ::before, ::after { transition: none !important }' })
  for (const theme of THEMES) {
    await showTheme(page, theme)
    findings.push(...(await findBarriers(page)).map((barrier) => `${theme} ${barrier}`))
  }
  await showTheme(page, 'light')
  return findings
}

/** A theme change is painted in the second frame. */
async function showTheme(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor({ state: 'attached' })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}
