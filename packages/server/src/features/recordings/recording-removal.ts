import { z } from 'zod'
import type { BatchStatement } from '../../kernel/database.ts'
import type { JobHandler, JobQueue } from '../../kernel/jobs.ts'
import type { RecordingService } from './recording-service.ts'

const FORGET_RECORDING = 'forget-recording'
const Payload = z.object({ callId: z.string() })

/** Removes recordings of calls that are deleted, or of which nothing may be kept. */
export interface RecordingRemoval {
  /** To be committed with what is the reason for it: from then on the recording goes, whatever fails meanwhile. */
  remove(callId: string): BatchStatement
  readonly handlers: Readonly<Record<string, JobHandler>>
}

export function createRecordingRemoval(dependencies: {
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly recordings: Pick<RecordingService, 'forget'>
}): RecordingRemoval {
  const { jobs, recordings } = dependencies
  return {
    remove: (callId) => jobs.statement({ kind: FORGET_RECORDING, payload: { callId } }),
    handlers: {
      [FORGET_RECORDING]: { run: async ({ payload }) => await recordings.forget(Payload.parse(payload).callId) },
    },
  }
}
