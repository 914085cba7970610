import type { Page } from 'playwright-core'
import { describe, expect, test as plainTest } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { type DashboardScene, type OpenPage, startDashboard } from '../../../testing/browser/dashboard.ts'
import { eventually } from '../../../testing/browser/eventually.ts'
import { withDatabase } from '../../../testing/server-database.ts'
import { LISTS, type ListKind } from './scene-lists.ts'
import { watchLoading } from './scene-visit.ts'

const MANY = 10_000
const FIRST_ROWS_WITHIN_MS = 2_000
const MOST_ROWS_DRAWN = 150
/** More than three answers of a list. */
const ROWS_TO_SCROLL = 301

interface ListScene {
  readonly dashboard: DashboardScene
  readonly opened: OpenPage
}

/** Tests in their order against one server, which gets more and more rows. */
const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('scene', { scope: 'file' }, async ({}, { onCleanup }): Promise<ListScene> => {
    const dashboard = await startDashboard()
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    return { dashboard, opened: await dashboard.open('/1') }
  })

const drawnRows = (page: Page) => page.locator('main tr[data-index]')

describe.skipIf(findChromium() === null)('a list', () => {
  test('without a row says what would be there and what to do', async ({ scene: { opened } }) => {
    const { page } = opened
    const loading = watchLoading(page)
    for (const { path } of LISTS.filter(({ neverEmpty }) => !neverEmpty)) {
      await page.goto(path)
      await loading.settled()
      const empty = page.locator('main div:has(> h2 + p)')
      expect([path, await empty.count(), await empty.locator('a, button').count()]).toEqual([path, 1, 1])
      expect(await drawnRows(page).count(), path).toBe(0)
    }
  })

  test('of one row shows it', async ({ scene: { dashboard, opened } }) => {
    const { page } = opened
    for (const { path, makeOne, neverEmpty } of LISTS) {
      await makeOne(dashboard.server)
      await page.goto(path)
      await eventually(() => drawnRows(page).count()).toBeGreaterThan(0)
      if (!neverEmpty) expect(await drawnRows(page).count(), path).toBe(1)
    }
  })

  test.for(LISTS)(`of ${MANY} rows is quick and draws few of them: $path`, async (list, { scene }) => {
    const { dashboard, opened } = scene
    const { page, misconduct } = opened
    await withDatabase(dashboard.server, (database) => list.addRows(database, MANY))
    // A busy machine may be slow once, a slow list is so every time.
    const times: number[] = []
    for (let tries = 0; tries < 3 && !times.some((timeMs) => timeMs <= FIRST_ROWS_WITHIN_MS); tries += 1) {
      const startedAt = performance.now()
      await page.goto(list.path)
      await drawnRows(page).first().waitFor()
      times.push(performance.now() - startedAt)
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(FIRST_ROWS_WITHIN_MS)

    if (list.pages === true) await turnPage(page)
    else await scrollOn(page)
    await walkByKeys(page, list)
    expect(misconduct).toEqual({ foreignRequests: [], errors: [] })
  })
})

/** Scrolls to the end again and again, until rows of further answers are drawn. */
async function scrollOn(page: Page): Promise<void> {
  await eventually(async () => {
    const { drawn, last } = await page.evaluate<{ drawn: number; last: number }>(`(() => {
      const scroller = document.querySelector('main section:has(> table)')
      scroller.scrollTop = scroller.scrollHeight
      const rows = [...document.querySelectorAll('main tr[data-index]')]
      return { drawn: rows.length, last: Number(rows.at(-1)?.dataset.index ?? 0) }
    })()`)
    expect(drawn).toBeLessThan(MOST_ROWS_DRAWN)
    return last
  }).toBeGreaterThanOrEqual(ROWS_TO_SCROLL)
}

async function turnPage(page: Page): Promise<void> {
  const first = await drawnRows(page).first().textContent()
  await page.getByRole('button', { name: 'Next' }).click()
  await eventually(() => drawnRows(page).first().textContent()).not.toBe(first)
  expect(await drawnRows(page).count()).toBeLessThan(MOST_ROWS_DRAWN)
}

/** `j` comes into the list and goes on in it, `k` goes back, Enter opens. */
async function walkByKeys(page: Page, { path, opens }: ListKind): Promise<void> {
  const focused = (): Promise<string | null> =>
    page.evaluate<string | null>(`document.activeElement.closest('tr[data-index]')?.dataset.index ?? null`)
  await page.goto(path)
  await drawnRows(page).first().waitFor()
  await page.keyboard.press('j')
  expect(await focused()).toBe('0')
  await page.keyboard.press('j')
  expect(await focused()).toBe('1')
  await page.keyboard.press('k')
  expect(await focused()).toBe('0')
  if (!opens) return
  await page.keyboard.press('Enter')
  await eventually(() => new URL(page.url()).pathname).toMatch(new RegExp(`^${path}/.+`))
}
