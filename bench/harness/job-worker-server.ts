import { openPostgresDatabase } from '../../packages/server/src/platform/database/open-postgres.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { startBenchWorker } from './bench-worker.ts'

/** A process that only runs jobs from the specified database, until SIGTERM. */
const [url = ''] = process.argv.slice(2)
const database = await openPostgresDatabase({ url, clock: systemClock, random: Math.random })
const worker = startBenchWorker(database, () => undefined)
process.once('SIGTERM', async () => {
  await worker.stop(1_000)
  await database.close()
})
console.log('ready')
