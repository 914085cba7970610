import type { Page } from 'playwright-core'
import { describe, expect, test as plainTest } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import type { WatchedPage } from '../../../testing/browser/chromium.ts'
import { type DashboardScene, startDashboard } from '../../../testing/browser/dashboard.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import {
  endFault,
  type FaultKind,
  letFaultsIn,
  openFailing,
  REQUEST_ID,
  readHits,
  readJumps,
  SENTENCE,
} from '../../full/dashboard/scene-faults.ts'
import { type SceneRecords, seedRecords } from '../../full/dashboard/scene-records.ts'
import { addressOf, isPublic, readRoutes } from './scene-routes.ts'
import { watchLoading } from './scene-visit.ts'

/** Several pages are inspected in parallel, since most of the time is spent waiting. */
const TABS = 4
/** Common web vitals thresholds for good pages. */
const MAX_JUMP = 0.1
const PATIENCE_MS = 15_000
const CLICK_PATIENCE_MS = 5_000
const FORBIDDEN = 'You don’t have permission for this.'
const OFFLINE = 'The server is unreachable.'

interface FaultScene {
  readonly dashboard: DashboardScene
  readonly records: SceneRecords
  readonly tabs: readonly Tab[]
}

interface Tab {
  readonly watched: WatchedPage
  readonly loading: ReturnType<typeof watchLoading>
}

/** Runs tests against one server with records of each kind, in pages of one window. */
const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('scene', { scope: 'file' }, async ({}, { onCleanup }): Promise<FaultScene> => {
    const dashboard = await startDashboard()
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    const records = await seedRecords(dashboard.server)
    const { context } = await dashboard.open('/1')
    await letFaultsIn(context)
    const openTab = async (): Promise<Tab> => {
      const watched = dashboard.browser.watch(await context.newPage())
      await watched.page.goto(dashboard.server.url)
      return { watched, loading: watchLoading(watched.page) }
    }
    return { dashboard, records, tabs: await Promise.all(Array.from({ length: TABS }, openTab)) }
  })

type Look = (tab: Tab) => Promise<readonly string[]>

/** Opens every page that reads data during a fault, and collects the findings of `look`, prefixed with the route. */
async function inEveryRoute(scene: FaultScene, kind: FaultKind, look: Look): Promise<readonly string[]> {
  const { dashboard, records, tabs } = scene
  const waiting = (await readRoutes()).filter((route) => !isPublic(route) && route !== '/')
  let looks = 0
  const visit = async (tab: Tab): Promise<readonly string[]> => {
    const { page } = tab.watched
    const found: string[] = []
    for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
      await openFailing(page, dashboard.server.url + addressOf(route, records), kind)
      const unsettled = await tab.loading.settled()
      if (unsettled !== null) found.push(`${route} is not loaded: ${unsettled}`)
      const reads = (await readHits(page)).length > 0
      if (reads) looks += 1
      const lines = reads ? await look(tab).catch((error: unknown) => [String(error).slice(0, 300)]) : []
      found.push(...[...lines, ...misconductOf(tab.watched)].map((line) => `${route} ${line}`))
    }
    return found
  }
  const found = (await Promise.all(tabs.map(visit))).flat().sort()
  expect(looks).toBeGreaterThan(20)
  return found
}

function misconductOf({ pageViolations: { foreignRequests, errors } }: WatchedPage): readonly string[] {
  return [...foreignRequests.splice(0).map((url) => `asks ${url}`), ...errors.splice(0).map((text) => `error: ${text}`)]
}

/** Returns the visible text of a page without menus. */
const readMain = (page: Page): Promise<string> =>
  page.evaluate<string>(`(document.querySelector('main') ?? document.body).innerText.trim()`)

/** Waits until a page shows these texts. Otherwise, returns the shown text as a finding. */
async function missingWords(page: Page, ...words: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = []
  for (const sentence of words) {
    const said = page.locator('main').getByText(sentence).first()
    const isSaid = await said.waitFor({ timeout: PATIENCE_MS }).then(
      () => true,
      () => false,
    )
    if (isSaid) continue
    missing.push(`does not say "${sentence}" but: ${(await readMain(page)).replaceAll('\n', ' | ').slice(0, 200)}`)
    break
  }
  return missing
}

describe.skipIf(findChromium() === null)('every page of the dashboard', () => {
  test('shows a skeleton, and does not shift after loading', async ({ scene }) => {
    const findings = await inEveryRoute(scene, 'slow', async ({ watched: { page } }) => {
      const { score, sources, sawSkeleton } = await readJumps(page)
      return [
        ...(sawSkeleton ? [] : ['shows no skeleton']),
        ...(score > MAX_JUMP ? [`jumps by ${score.toFixed(2)}: ${[...new Set(sources)].slice(0, 6).join(', ')}`] : []),
      ]
    })
    expect(findings).toEqual([])
  })

  test('shows the failure and its request id, and recovers', async ({ scene }) => {
    const findings = await inEveryRoute(scene, 'unavailable', async ({ watched: { page }, loading }) => {
      const missing = await missingWords(page, SENTENCE, REQUEST_ID)
      return missing.length > 0 ? missing : await tryAgain(page, loading)
    })
    expect(findings).toEqual([])
  })

  test('says that the permission is missing', async ({ scene }) => {
    const findings = await inEveryRoute(scene, 'forbidden', ({ watched: { page } }) => missingWords(page, FORBIDDEN))
    expect(findings).toEqual([])
  })

  test('says that the server is unreachable, and recovers', async ({ scene }) => {
    const findings = await inEveryRoute(scene, 'offline', async ({ watched: { page }, loading }) => {
      const missing = await missingWords(page, OFFLINE)
      return missing.length > 0 ? missing : await tryAgain(page, loading)
    })
    expect(findings).toEqual([])
  })

  test('shows a failure to read the workspaces', async ({ scene: { dashboard } }) => {
    const { page } = await dashboard.open('/sign-in')
    let isFailing = true
    await page.route('**/api/workspaces', async (route) => {
      if (!isFailing) return await route.continue()
      const body = JSON.stringify({ error: SENTENCE, code: 'unavailable', details: [] })
      await route.fulfill({ status: 503, contentType: 'application/json', body })
    })
    await page.goto('/1/agents')
    await page.getByText(SENTENCE).waitFor()
    isFailing = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectEventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Agents')
  })
})

/** Presses every "Try again"; a remaining failure is a finding. */
async function tryAgain(page: Page, loading: Tab['loading']): Promise<readonly string[]> {
  await endFault(page)
  const buttons = page.locator('main').getByRole('button', { name: 'Try again' })
  if ((await buttons.count()) === 0) return ['has no "Try again"']
  for (let left = await buttons.count(); left > 0; left = await buttons.count()) {
    // A page that polls may recover before the click.
    const click = buttons.first().click({ timeout: CLICK_PATIENCE_MS })
    await click.catch(() => undefined)
    await loading.settled()
    if ((await buttons.count()) >= left) return ['does not recover']
  }
  const text = await readMain(page)
  if (text === '') return ['is blank after "Try again"']
  return [SENTENCE, OFFLINE].filter((words) => text.includes(words)).map((words) => `still says "${words}"`)
}
