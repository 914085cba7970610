import { loadavg } from 'node:os'
import lighthouse, { desktopConfig } from 'lighthouse'
import { chromium } from 'playwright-core'
import { findChromium } from '../scripts/service-programs.cjs'
import { OWNER } from '../testing/browser/dashboard.ts'
import { findFreePort } from './harness/child-process.ts'
import { openDashboard } from './harness/dashboard-scene.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { roundStat } from './harness/statistics.ts'

/**
 * Runs Lighthouse on six dashboard screens with its desktop and mobile settings, which simulate a slower network and processor.
 * No request leaves the machine.
 */
const { smoke } = readOptions()
const CATEGORIES = ['performance', 'accessibility', 'best-practices']

type FormFactor = 'desktop' | 'mobile'

interface Score {
  readonly screen: string
  readonly formFactor: FormFactor
  /** Scores from 0 to 100, in the order of `CATEGORIES`. */
  readonly categoryScores: readonly number[]
  readonly blockingMs: number
  readonly largestPaintMs: number
  readonly layoutShift: number
  /** Audits that lower the score. */
  readonly failedAudits: readonly string[]
}

interface AuditTarget {
  readonly url: string
  readonly port: number
  readonly cookie: string
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(OWNER),
  })
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

async function runLighthouse(
  { url, port, cookie }: AuditTarget,
  screen: string,
  formFactor: FormFactor,
): Promise<Score> {
  const flags = {
    port,
    logLevel: 'error',
    onlyCategories: CATEGORIES,
    ...(screen !== '/sign-in' && { extraHeaders: { Cookie: cookie } }),
  } as const
  const outcome = await lighthouse(url + screen, flags, formFactor === 'desktop' ? desktopConfig : undefined)
  if (outcome === undefined) throw new Error(`Lighthouse has no result for ${screen}.`)
  const { categories, audits, runtimeError } = outcome.lhr
  if (runtimeError !== undefined) throw new Error(`${screen}: ${runtimeError.message}`)
  const getAuditValue = (name: string): number => audits[name]?.numericValue ?? Number.NaN
  const failedAudits = ['accessibility', 'best-practices'].flatMap((category) =>
    (categories[category]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => id),
  )
  return {
    screen,
    formFactor,
    categoryScores: CATEGORIES.map((name) => Math.round((categories[name]?.score ?? 0) * 100)),
    blockingMs: Math.round(getAuditValue('total-blocking-time')),
    largestPaintMs: Math.round(getAuditValue('largest-contentful-paint')),
    layoutShift: roundStat(getAuditValue('cumulative-layout-shift')),
    failedAudits,
  }
}

async function measureScreens(executablePath: string): Promise<readonly Score[]> {
  await using dashboard = await openDashboard()
  const { agentId, callId } = dashboard.records
  const port = await findFreePort()
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      `--remote-debugging-port=${port}`,
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  })
  try {
    const { url } = dashboard.server
    const target = { url, port, cookie: await signIn(url) }
    const screens = ['/sign-in', '/1', '/1/agents', `/1/agents/${agentId}`, '/1/calls', `/1/calls/${callId}`]
    const scores: Score[] = []
    for (const screen of smoke ? screens.slice(2, 3) : screens) {
      for (const formFactor of ['desktop', 'mobile'] as const)
        scores.push(await runLighthouse(target, screen, formFactor))
    }
    return scores
  } finally {
    await browser.close()
  }
}

const program = findChromium()
if (program === null) console.log('Chromium was not found.')
else {
  const loadBefore = loadavg().map(roundStat)
  const scores = await measureScreens(program.file)
  printTable(
    [
      'screen',
      'form factor',
      'performance',
      'accessibility',
      'best practices',
      'blocked ms',
      'largest paint ms',
      'shift',
    ],
    scores.map(({ screen, formFactor, categoryScores, blockingMs, largestPaintMs, layoutShift }) => [
      screen.replace(/_[0-9a-f]+$/, ''),
      formFactor,
      ...categoryScores,
      blockingMs,
      largestPaintMs,
      layoutShift,
    ]),
  )
  for (const { screen, formFactor, failedAudits } of scores) {
    if (failedAudits.length > 0) console.log(`${screen} (${formFactor}): ${failedAudits.join(', ')}`)
  }
  printResult('dashboard-lighthouse', smoke, { loadBefore, loadAfter: loadavg().map(roundStat), scores })
}
