import { describe, expect, test as plainTest } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { type DashboardScene, startDashboard } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations } from '../../../testing/browser/dashboard-test.ts'
import { SHARED_VOICES } from '../../../testing/voice-server/voice-library.ts'
import { startVoiceServer, VOICE_KEY } from '../../../testing/voice-server/voice-server.ts'
import { findFlaws } from '../../full/dashboard/scene-findings.ts'
import { type SceneRecords, seedRecords } from '../../full/dashboard/scene-records.ts'
import { HOSTILE_BRAND, HOSTILE_HOST, hostileWords, MARK, seedHostileAccount } from './scene-hostile.ts'
import { addressOf, isPublic, readRoutes } from './scene-routes.ts'
import { watchLoading } from './scene-visit.ts'

interface HostileScene {
  readonly dashboard: DashboardScene
  readonly records: SceneRecords
}

/** Runs tests against one server in which every user text is an attack. */
const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('voices', { scope: 'file' }, async ({}, { onCleanup }) => {
    const voices = await startVoiceServer()
    onCleanup(() => voices.close())
    return voices
  })
  .extend('scene', { scope: 'file' }, async ({ voices }, { onCleanup }): Promise<HostileScene> => {
    const env = { ELEVENLABS_API_KEY: VOICE_KEY, ELEVENLABS_BASE_URL: voices.url }
    const dashboard = await startDashboard({ env })
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    const [shared] = SHARED_VOICES
    const voice = { providerVoiceId: shared?.id ?? '', publicUserId: shared?.owner ?? '' }
    const records = await seedRecords(dashboard.server, { words: hostileWords, voice })
    await seedHostileAccount(dashboard.server)
    return { dashboard, records }
  })

/** Runs in the page and returns traces of a successful attack. */
const FIND_TRACES = `(() => [
  ...(window.__ran === undefined ? [] : ['a script of a text was run']),
  ...[...document.querySelectorAll('img[src=x], script:not([src])')].filter((element) => element.type !== 'application/json').map((element) => 'an element of a text: ' + element.outerHTML.slice(0, 100)),
  ...[...document.querySelectorAll('a[href], form[action], iframe[src]')].filter((element) => /^\\s*javascript:/i.test(element.getAttribute('href') ?? element.getAttribute('action') ?? element.getAttribute('src'))).map((element) => 'a link that acts: ' + element.outerHTML.slice(0, 100)),
])()`

/** Returns all displayed text, including field values. */
const READ_ALL = `document.body.innerText + [...document.querySelectorAll('input, textarea')].map((field) => field.value).join(' ')`

/** Routes that display no text of this workspace's users. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set([])

describe.skipIf(findChromium() === null)('texts of people', () => {
  test.for([390, 1440])('stay plain text on every page and break no layout, %i px wide', async (width, { scene }) => {
    const { dashboard, records } = scene
    const { page, pageViolations } = await dashboard.open('/1', { width })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const loading = watchLoading(page)
    const findings: string[] = []
    for (const route of await readRoutes()) {
      if (isPublic(route)) continue
      await page.goto(dashboard.server.url + addressOf(route, records))
      const found: string[] = []
      const look = async (): Promise<void> => {
        await loading.settled()
        found.push(...(await page.evaluate<string[]>(FIND_TRACES)), ...(await findFlaws(page)))
      }
      await look()
      let shown = await page.evaluate<string>(READ_ALL)
      for (const part of await page.getByRole('tab', { selected: false }).all()) {
        await part.click()
        await look()
        shown += await page.evaluate<string>(READ_ALL)
      }
      if (!shown.includes(MARK) && !WITHOUT_WORDS.has(route)) found.push('shows no text of people')
      const { foreignRequests, errors } = pageViolations
      found.push(
        ...foreignRequests.splice(0).map((url) => `asks ${url}`),
        ...errors.splice(0).map((text) => `error: ${text}`),
      )
      findings.push(...[...new Set(found)].map((finding) => `${route} ${finding}`))
    }
    expect(findings).toEqual([])
  })

  test('stay plain text in the brand of the public pages', async ({ scene: { dashboard } }) => {
    const { page, pageViolations } = await dashboard.open('/sign-in', { person: null, width: 390 })
    // Opens the page under a host name that resolves to 127.0.0.1.
    await page.route('**/sign-in', async (route) => {
      await route.fulfill({
        response: await route.fetch({ headers: { ...route.request().headers(), host: HOSTILE_HOST } }),
      })
    })
    await page.goto(`${dashboard.server.url}/sign-in`)
    await page.getByText(HOSTILE_BRAND).first().waitFor()
    expect(await page.title()).toContain(HOSTILE_BRAND)
    expect(await page.evaluate<string[]>(FIND_TRACES)).toEqual([])
    expect(await findFlaws(page)).toEqual([])
    expectNoViolations(pageViolations)
  })
})
