import { openPostgresDatabase } from '../../packages/server/src/platform/database/open-postgres.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { startBenchWorker } from './bench-worker.ts'

/** A process that does nothing but work off the jobs of the database that it is given, until SIGTERM. */
const [url = ''] = process.argv.slice(2)
const database = await openPostgresDatabase({ url, clock: systemClock, random: Math.random })
const worker = startBenchWorker(database, () => undefined)
process.once('SIGTERM', async () => {
  await worker.stop(1_000)
  await database.close()
})
console.log('ready')
