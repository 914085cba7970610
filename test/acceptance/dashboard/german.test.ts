import { describe, expect, test } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { startDashboard } from '../../../testing/browser/dashboard.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import { findFlaws } from '../../full/dashboard/scene-findings.ts'
import { seedRecords } from '../../full/dashboard/scene-records.ts'
import { findEnglish, germanWords } from './scene-german.ts'
import { addressOf, isPublic, readRoutes } from './scene-routes.ts'
import { watchLoading } from './scene-visit.ts'

describe.skipIf(findChromium() === null)('every page of the dashboard in German', () => {
  test('loads without errors, fits a phone and has no English texts', async () => {
    await using dashboard = await startDashboard()
    const records = await seedRecords(dashboard.server, { words: germanWords })
    await nameProviders(dashboard.server)
    const findings: string[] = []
    let pages = 0
    for (const isBeforeLogin of [false, true]) {
      const person = isBeforeLogin ? { person: null } : {}
      const start = isBeforeLogin ? '/sign-in' : '/1'
      const { page, pageViolations } = await dashboard.open(start, { width: 390, language: 'de-DE', ...person })
      const loading = watchLoading(page)
      const look = async (place: string): Promise<void> => {
        await loading.settled()
        pages += 1
        expect(await page.evaluate('document.documentElement.lang'), place).toBe('de')
        const found = [...(await findFlaws(page)), ...(await findEnglish(page)).map((text) => `says "${text}"`)]
        // The invitation page checks the session, and the browser logs the 401 response.
        const errors = pageViolations.errors.splice(0).filter((error) => !(isBeforeLogin && error.includes('401')))
        found.push(...errors, ...pageViolations.foreignRequests.splice(0).map((url) => `requests ${url}`))
        findings.push(...found.map((finding) => `${place} ${finding}`))
      }
      for (const route of (await readRoutes()).filter((route) => isPublic(route) === isBeforeLogin)) {
        await page.goto(dashboard.server.url + addressOf(route, records))
        await look(route)
        for (const part of await page.getByRole('tab', { selected: false }).allTextContents()) {
          await page.getByRole('tab', { name: part, exact: true }).first().click()
          await look(`${route} [${part}]`)
        }
      }
    }
    expect(pages).toBeGreaterThan(30)
    expect(findings).toEqual([])
  })
})

/** Renames all providers and tenants, because their default names are English. */
async function nameProviders(server: ServerClient): Promise<void> {
  for (const [list, id] of [
    ['/api/providers', 'providerId'],
    ['/api/tenants', 'tenantId'],
  ] as const) {
    const { body } = await server.call<Record<string, string>[]>('GET', list)
    for (const one of body)
      await server.call('PATCH', `${list}/${one[id]}`, { body: { name: germanWords('Reseller') } })
  }
}
