import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { formatSegmentKey } from '../packages/server/src/features/recordings/recording-layout.ts'
import { createBlobFolder } from '../packages/server/src/platform/blobs/blob-folder.ts'
import type { ServerClient } from './running-server.ts'

const RATE_HZ = 8_000
const SEGMENT_MS = 4_000
const BYTES_PER_SAMPLE = 4

/** Recording column of a call after `seedRecording`. */
export const SEEDED_RECORDING = JSON.stringify({
  rateHz: RATE_HZ,
  durationMs: 1_000,
  sizeBytes: 44 + RATE_HZ * BYTES_PER_SAMPLE,
})

/** Stores one second of audio for a call in the server's default folder. */
export async function seedRecording({ dataDirectory }: Pick<ServerClient, 'dataDirectory'>, callId: string) {
  const blobs = createBlobFolder({ path: join(dataDirectory, 'recordings'), makeUniqueSuffix: randomUUID })
  const samples = Int16Array.from({ length: 2 * RATE_HZ }, (_item, index) => Math.round(9_000 * Math.sin(index / 9)))
  const key = formatSegmentKey(callId, 0, { rateHz: RATE_HZ, segmentMs: SEGMENT_MS })
  await blobs.put(key, new Uint8Array(samples.buffer))
}
