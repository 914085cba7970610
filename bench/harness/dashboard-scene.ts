import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { seedListParents } from '../../test/acceptance/dashboard/scene-list-parents.ts'
import { LISTS } from '../../test/acceptance/dashboard/scene-lists.ts'
import { type SceneRecords, seedRecords } from '../../test/full/dashboard/scene-records.ts'
import type { ChromiumOptions } from '../../testing/browser/chromium.ts'
import { type DashboardScene, startDashboard } from '../../testing/browser/dashboard.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { ROOT } from './child-process.ts'

/** Number of records, which is more than one page of a list. */
const ROWS = 200

/** Starts a server like a customer's, with a record of every kind and long lists, and opens a browser. */
export async function openDashboard(
  chromium: ChromiumOptions = {},
): Promise<DashboardScene & { readonly records: SceneRecords }> {
  // Customer installations include compressed files, which a manual build does not create.
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.cjs')], { stdio: 'ignore' })
  const dashboard = await startDashboard({ chromium, env: { CHECK_ANSWERS: '' } })
  try {
    const records = await seedRecords(dashboard.server)
    const parents = await seedListParents(dashboard.server)
    await withDatabase(dashboard.server, async (database) => {
      for (const { addRows } of LISTS.filter(({ opens }) => opens)) await addRows(database, ROWS, parents)
    })
    return { ...dashboard, records }
  } catch (error) {
    await dashboard[Symbol.asyncDispose]()
    throw error
  }
}
