import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findChromium } from '../scripts/service-programs.cjs'
import { watchLoading } from '../test/acceptance/dashboard/scene-visit.ts'
import type { DashboardScene } from '../testing/browser/dashboard.ts'
import { ROOT } from './harness/child-process.ts'
import { openDashboard } from './harness/dashboard-scene.ts'
import { readOptions } from './harness/options.ts'
import { readFirstPaint, startStopwatch } from './harness/page-times.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculateMedian, calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures dashboard response times in a real browser against a real server: from a menu click to the loaded page, from the URL
 * to first paint, and from the keyboard shortcut to the command palette. It also measures the dashboard's build and type check.
 */
const { smoke } = readOptions()
/** Each visit starts with an empty browser cache. */
const VISIT_COUNT = smoke ? 1 : 4
/** Number of passes through all menu entries per visit. */
const ROUNDS = smoke ? 1 : 3
const PALETTE_OPENINGS = smoke ? 1 : 5
const BUILD_RUNS = smoke ? 1 : 3

interface Stats {
  readonly firstPaint: number[]
  readonly firstVisit: number[]
  readonly laterVisit: number[]
  readonly paletteCold: number[]
  readonly paletteWarm: number[]
}

async function measureVisit(dashboard: DashboardScene, stats: Stats): Promise<void> {
  const { page, context } = await dashboard.open('/1')
  try {
    const loading = watchLoading(page)
    stats.firstPaint.push(await readFirstPaint(page))
    await loading.settled()
    await measurePalette(page, stats)
    for (let round = 0; round < ROUNDS; round += 1) {
      await measureMenu(page, round === 0 ? stats.firstVisit : stats.laterVisit)
    }
  } finally {
    await context.close()
  }
}

/** Measures the time from the click to the frame that has the page heading and no skeleton. */
async function measureMenu(page: Page, times: number[]): Promise<void> {
  const loading = watchLoading(page)
  const links = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')
  for (const link of await links.all()) {
    const target = await link.getAttribute('href')
    if (new URL(page.url()).pathname === target) continue
    const heading = await page.getByRole('heading', { level: 1 }).textContent()
    await link.hover()
    const isShown = `location.pathname === ${JSON.stringify(target)} && !isLoading() &&
      ![null, ${JSON.stringify(heading)}].includes(document.querySelector('h1')?.textContent ?? null)`
    const stopwatch = await startStopwatch(page, 'click', isShown)
    await link.click()
    times.push(await stopwatch.read())
    await loading.settled()
  }
}

async function measurePalette(page: Page, { paletteCold, paletteWarm }: Stats): Promise<void> {
  for (let count = 0; count <= PALETTE_OPENINGS; count += 1) {
    const stopwatch = await startStopwatch(
      page,
      'keydown',
      `document.activeElement.closest('[role=dialog]') !== null && document.querySelector('[role=option]') !== null`,
    )
    await page.keyboard.press('Control+k')
    const timeMs = await stopwatch.read()
    if (count === 0) paletteCold.push(timeMs)
    else paletteWarm.push(timeMs)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
}

/** Returns the run times of a tool on the current Node version. */
function timeTool(file: string, ...programArguments: readonly string[]): number[] {
  return Array.from({ length: BUILD_RUNS }, () => {
    const startedAt = performance.now()
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules', file), ...programArguments], {
      cwd: join(ROOT, 'packages/dashboard'),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${file} failed:\n${stdout}`)
    return performance.now() - startedAt
  })
}

const loadBefore = loadavg().map(roundStat)
const folder = mkdtempSync(join(tmpdir(), 'parley-dashboard-'))
const builds = timeTool('vite/bin/vite.js', 'build', '--outDir', join(folder, 'dist'), '--emptyOutDir')
rmSync(folder, { recursive: true, force: true })
const checkerCount = Math.max(1, Math.floor(availableParallelism() / 2))
// CI also checks the dashboard types in `npm run check`.
const typeChecks = smoke ? [] : timeTool('typescript/bin/tsc', '--noEmit', '--checkers', String(checkerCount))

const createEmptyStats = (): Stats => ({
  firstPaint: [],
  firstVisit: [],
  laterVisit: [],
  paletteCold: [],
  paletteWarm: [],
})
const stats = createEmptyStats()
if (findChromium() === null) console.log('Chromium was not found: only build and types were measured.')
else {
  await using dashboard = await openDashboard()
  if (!smoke) await measureVisit(dashboard, createEmptyStats())
  for (let visit = 0; visit < VISIT_COUNT; visit += 1) await measureVisit(dashboard, stats)
}

const ROWS = {
  firstPaint: ['first paint, empty cache', 800],
  firstVisit: ['menu click to page, first visit', 150],
  laterVisit: ['menu click to page, later', 150],
  paletteCold: ['shortcut to palette, first time', 300],
  paletteWarm: ['shortcut to palette, later', 50],
} as const
const summary = Object.fromEntries(
  Object.entries(stats).map(([name, times]: [string, number[]]) => [
    name,
    {
      count: times.length,
      p50Ms: roundStat(calculateMedian(times)),
      p95Ms: roundStat(calculatePercentile(times, 0.95)),
    },
  ]),
)
printTable(
  ['', 'count', 'p50 ms', 'p95 ms', 'target p95 ms'],
  [
    ...Object.entries(ROWS).map(([name, [label, targetMs]]) => [
      label,
      ...Object.values(summary[name] ?? {}),
      targetMs,
    ]),
    ['build', builds.length, roundStat(calculateMedian(builds)), roundStat(Math.max(...builds)), 5_000],
    [
      'type check',
      typeChecks.length,
      roundStat(calculateMedian(typeChecks)),
      roundStat(Math.max(...typeChecks)),
      5_000,
    ],
  ],
)
printResult('dashboard', smoke, {
  loadBefore,
  loadAfter: loadavg().map(roundStat),
  ...summary,
  buildMs: roundStat(calculateMedian(builds)),
  typesMs: roundStat(calculateMedian(typeChecks)),
})
