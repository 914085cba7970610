import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import { createCrawlHandler } from '../crawling/crawl-job.ts'
import { createEmbedHandler } from '../vectors/embed-job.ts'
import { createVectorSweep } from '../vectors/embed-sweep.ts'
import { CRAWL, EMBED, INGEST } from './ingest-job.ts'
import type { IngestionDependencies } from './ingest-ports.ts'
import { createIngestHandler } from './ingest-source.ts'
import { createIngestSweep } from './ingest-sweep.ts'
import { createDueRefreshes } from './refresh-due.ts'

/** All work on sources that is done in the background. */
export interface Ingestion {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
}

export function createIngestion(dependencies: IngestionDependencies): Ingestion {
  const sweeps = [createIngestSweep(dependencies), createDueRefreshes(dependencies), createVectorSweep(dependencies)]
  return {
    handlers: Object.assign(
      {
        [INGEST]: createIngestHandler(dependencies),
        [CRAWL]: createCrawlHandler(dependencies),
        [EMBED]: createEmbedHandler(dependencies),
      },
      ...sweeps.map(({ handlers }) => handlers),
    ),
    schedules: sweeps.flatMap(({ schedules }) => schedules),
  }
}
