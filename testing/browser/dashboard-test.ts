import { expect, test as plainTest } from 'vitest'
import { type PageViolations, startChromium } from './chromium.ts'
import { startDashboard } from './dashboard.ts'

/** Test function with one browser per worker. Windows do not share cookies or storage. */
export const browserTest = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await startChromium()
    onCleanup(() => browser[Symbol.asyncDispose]())
    return browser
  })

/** Test function with one server per worker; `scene` is a workspace for one test. */
export const test = browserTest
  .extend('dashboard', { scope: 'worker' }, async ({ browser }, { onCleanup }) => {
    const dashboard = await startDashboard({ browser, env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1' } })
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    return dashboard
  })
  .extend('scene', async ({ dashboard }, { onCleanup }) => {
    const scene = await dashboard.createWorkspace()
    onCleanup(() => scene[Symbol.asyncDispose]())
    return scene
  })

/** Expects no requests to other hosts and no errors, except the errors that browsers log for these rejection statuses. */
export function expectNoViolations(
  { foreignRequests, errors }: PageViolations,
  ...rejectedStatuses: readonly number[]
): void {
  expect(foreignRequests).toEqual([])
  const isExpected = (error: string): boolean =>
    rejectedStatuses.some((status) => error.includes(`status of ${status}`))
  expect(errors.filter((error) => !isExpected(error))).toEqual([])
}
