import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { seedListParents } from '../../test/full/dashboard/scene-list-parents.ts'
import { LISTS } from '../../test/full/dashboard/scene-lists.ts'
import { type SceneRecords, seedRecords } from '../../test/full/dashboard/scene-records.ts'
import type { ChromiumOptions } from '../../testing/browser/chromium.ts'
import { type DashboardScene, startDashboard } from '../../testing/browser/dashboard.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { ROOT } from './child-process.ts'

/** More than one answer of a list holds. */
const ROWS = 200

/** A server as customers have it, with a record of each kind and long lists, and a browser beside it. */
export async function openDashboard(
  chromium: ChromiumOptions = {},
): Promise<DashboardScene & { readonly records: SceneRecords }> {
  // As customers have it, with the compressed copies: a build by hand has none.
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
