import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test as plainTest } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { type DashboardScene, type OpenPage, startDashboard } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { withDatabase } from '../../../testing/server-database.ts'
import type { ListKind } from './scene-list-kind.ts'
import { type ListParents, seedListParents } from './scene-list-parents.ts'
import { LISTS } from './scene-lists.ts'
import { MORE_LISTS, type MoreListKind } from './scene-more-lists.ts'
import { watchLoading } from './scene-visit.ts'

const SOURCES = fileURLToPath(new URL('../../../packages/dashboard/src/', import.meta.url))
const MANY = 10_000
const FIRST_ROWS_WITHIN_MS = 2_000
const MAX_ROWS_DRAWN = 150
/** Number of rows per response. */
const MAX_ROWS_AT_ONCE = 100
/** More rows than three responses contain. */
const ROWS_TO_SCROLL = 301
const SCROLLED_WITHIN_MS = 60_000
const SCROLL_EVERY_MS = 20

interface ListScene {
  readonly dashboard: DashboardScene
  readonly parents: ListParents
  readonly opened: OpenPage
}

/** Runs tests in order against one server, which gets more and more rows. */
const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('scene', { scope: 'file' }, async ({}, { onCleanup }): Promise<ListScene> => {
    const dashboard = await startDashboard()
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    const parents = await seedListParents(dashboard.server)
    return { dashboard, parents, opened: await dashboard.open('/1') }
  })

const drawnRows = (page: Page) => page.locator('main tr[data-index]')

/** What else reads a list, for parts of pages that are tested with them. */
const READS_LISTS = /<DataList\b|\busePages\(/

plainTest('no list of the dashboard is left out here', () => {
  const files = globSync('features/**/*.{ts,tsx}', { cwd: SOURCES }).filter((file) =>
    READS_LISTS.test(readFileSync(SOURCES + file, 'utf8')),
  )
  const tested = new Set([...LISTS, ...MORE_LISTS].map(({ source }) => source))
  expect(files.filter((file) => !tested.has(file))).toEqual([])
  expect([...tested].filter((file) => globSync(file, { cwd: SOURCES }).length === 0)).toEqual([])
})

describe.skipIf(findChromium() === null)('a list', () => {
  test('without rows explains its content and the next step', async ({ scene: { opened, parents } }) => {
    const { page } = opened
    const loading = watchLoading(page)
    for (const { name, path, hasNoAction } of LISTS.filter(({ neverEmpty }) => !neverEmpty)) {
      await page.goto(path(parents))
      await loading.settled()
      const empty = page.locator('main div.border-dashed:has(> h2 + p)')
      const hasAction = (await empty.locator('a, button').count()) > 0
      expect([name, await empty.count(), hasAction]).toEqual([name, 1, hasNoAction !== true])
      expect(await drawnRows(page).count(), name).toBe(0)
    }
  })

  test('with one row shows it', async ({ scene: { dashboard, parents, opened } }) => {
    const { page } = opened
    for (const { name, path, makeOne, neverEmpty } of LISTS) {
      await makeOne(dashboard.server, parents)
      await page.goto(path(parents))
      await expectEventually(async () => [name, (await drawnRows(page).count()) > 0]).toEqual([name, true])
      if (!neverEmpty) expect(await drawnRows(page).count(), name).toBe(1)
    }
  })

  test.for(LISTS)(`of up to ${MANY} rows is quick and draws few of them: $name`, async (list, { scene }) => {
    const { dashboard, parents, opened } = scene
    const { page, pageViolations } = opened
    const count = (list.most ?? MANY + 1) - 1
    await withDatabase(dashboard.server, (database) => list.addRows(database, count, parents))
    await list.tell?.(dashboard.server)
    const path = list.path(parents)
    // A busy machine may be slow once, but a slow list is always slow.
    const times: number[] = []
    for (let tries = 0; tries < 3 && !times.some((timeMs) => timeMs <= FIRST_ROWS_WITHIN_MS); tries += 1) {
      const startedAt = performance.now()
      await page.goto(path)
      await drawnRows(page).first().waitFor()
      times.push(performance.now() - startedAt)
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(FIRST_ROWS_WITHIN_MS)
    expect(await drawnRows(page).count()).toBeLessThan(MAX_ROWS_DRAWN)

    if (list.pages === true) await turnPage(page)
    else await scrollTo(page, list.toItsEnd === true ? count : Math.min(count, ROWS_TO_SCROLL))
    if (!list.hasNoKeys) await walkByKeys(page, list, path)
    if (list.narrow !== undefined) {
      await page.goto(path)
      await drawnRows(page).first().waitFor()
      await list.narrow(page)
      await expectEventually(() => drawnRows(page).count()).toBe(1)
    }
    expectNoViolations(pageViolations)
  })

  test.for(MORE_LISTS)(
    `of ${MANY} rows inside of a page shows some, and more on request: $name`,
    async (list, { scene }) => {
      const { dashboard, parents, opened } = scene
      const { page, pageViolations } = opened
      await withDatabase(dashboard.server, (database) => list.addRows(database, MANY, parents))
      await page.goto(list.path(parents))
      await list.open?.(page)
      const rows = page.locator(list.rows)
      await rows.first().waitFor()
      const before = await rows.count()
      expect(before).toBeLessThanOrEqual(MAX_ROWS_AT_ONCE)
      if (list.more !== null) await showMore(page, list, before)
      expectNoViolations(pageViolations)
    },
  )
})

async function showMore(page: Page, { more, rows }: MoreListKind, before: number): Promise<void> {
  await page.getByRole('button', { name: more ?? '' }).click()
  await expectEventually(() => page.locator(rows).count()).toBeGreaterThan(before)
  expect(await page.locator(rows).count()).toBeLessThanOrEqual(before + MAX_ROWS_AT_ONCE)
}

/** Scrolls to the end repeatedly until a row is rendered. */
async function scrollTo(page: Page, row: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const { drawn, last } = await page.evaluate<{ drawn: number; last: number }>(`(() => {
          const scroller = document.querySelector('main section:has(> table)')
          scroller.scrollTop = scroller.scrollHeight
          const rows = [...document.querySelectorAll('main tr[data-index]')]
          return { drawn: rows.length, last: Number(rows.at(-1)?.dataset.index ?? 0) }
        })()`)
        expect(drawn).toBeLessThan(MAX_ROWS_DRAWN)
        return last
      },
      { timeout: SCROLLED_WITHIN_MS, interval: SCROLL_EVERY_MS },
    )
    .toBeGreaterThanOrEqual(row)
}

async function turnPage(page: Page): Promise<void> {
  const first = await drawnRows(page).first().textContent()
  await page.getByRole('button', { name: 'Next' }).click()
  await expectEventually(() => drawnRows(page).first().textContent()).not.toBe(first)
  expect(await drawnRows(page).count()).toBeLessThan(MAX_ROWS_DRAWN)
}

/** `j` enters the list and moves down, `k` moves up, Enter opens. */
async function walkByKeys(page: Page, { opens }: ListKind, path: string): Promise<void> {
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
  await expectEventually(() => new URL(page.url()).pathname).toMatch(new RegExp(`^${path}/.+`))
}
