import type { Right } from '@parley/contract/access'
import type { RecordingPeaks } from '@parley/contract/call-recording'
import { type Actor, checkReach } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { isLive } from '../../tables/call-tables.ts'
import { durationMsOf, prefixOf, type RecordingLayout, readLayout } from './recording-layout.ts'
import type { RecordingLinks } from './recording-links.ts'
import { computePeaks, readStoredPeaks, storePeaks } from './recording-peaks.ts'
import { clearRecording, findRecordedCall, isReadable, type RecordedCall } from './recording-store.ts'
import { openWavFile, type RecordingChannel, type WavFile } from './wav-file.ts'

export interface RecordingServiceDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile'>
  readonly blobs: BlobStore
  readonly links: Pick<RecordingLinks, 'isValid'>
  readonly clock: Omit<SharedClock, 'after'>
}

/** How a recording is described in the row of its call. */
export interface RecordingInfo {
  readonly rateHz: number
  readonly durationMs: number
  /** Of the stereo file. */
  readonly sizeBytes: number
}

/** Who asks for a recording: somebody with rights, or whoever has a link. */
export type RecordingReader =
  | { readonly actor: Actor }
  | { readonly link: { readonly expires: string; readonly signature: string } }

export interface RecordingFile extends WavFile {
  /** Another one for as long as the recording grows. */
  readonly version: string
}

export interface RecordingService {
  file(reader: RecordingReader, callId: string, channel: RecordingChannel): Promise<RecordingFile>
  peaks(actor: Actor, callId: string): Promise<RecordingPeaks>
  remove(actor: Actor, callId: string): Promise<void>
  /** What is stored of a call's sound; `null` when nothing is. For those who have checked what they may. */
  describe(callId: string): Promise<RecordingInfo | null>
  /** Removes what a node that died was writing of a call's sound, and describes what there is of it. */
  settle(callId: string): Promise<RecordingInfo | null>
  /** Removes all that is stored of a call's sound. For those who have checked what they may. */
  removeAll(callId: string): Promise<void>
}

/** An id that could not be part of a key is that of no call. */
const SAFE_ID = /^[A-Za-z0-9_]{1,190}$/

export function createRecordingService(dependencies: RecordingServiceDependencies): RecordingService {
  const { database, blobs, clock } = dependencies
  const { find, recorded, callFor, describe } = createRecordingFinder(dependencies)
  /** Outlines that are being worked out: whoever asks meanwhile waits for the same. */
  const pending = new Map<string, Promise<RecordingPeaks>>()

  async function peaksOf(call: RecordedCall): Promise<RecordingPeaks> {
    const callId = call.call_id
    const isEnded = !isLive(call)
    const layout = await recorded(call)
    const storedPeaks = isEnded ? await readStoredPeaks(blobs, callId) : null
    // The last segments may have been written after the call was over.
    if (storedPeaks !== null && storedPeaks.durationMs === durationMsOf(layout)) return storedPeaks
    const peaks = await computePeaks(blobs, layout)
    // It can be worked out again, and will be.
    if (isEnded) await storePeaks(blobs, callId, peaks).catch(() => undefined)
    return peaks
  }

  return {
    async file(reader, callId, channel) {
      const layout = await recorded(await callFor(reader, callId))
      const { sizeBytes, read } = openWavFile(blobs, layout, channel)
      return { sizeBytes, read, version: `${channel}-${layout.dataBytes}-${layout.segments.size}` }
    },

    async peaks(actor, callId) {
      const call = await find(actor, 'read', callId)
      const work = pending.get(callId) ?? peaksOf(call).finally(() => pending.delete(callId))
      pending.set(callId, work)
      return await work
    },

    async remove(actor, callId) {
      const call = await find(actor, 'admin', callId)
      if (isLive(call)) {
        throw new AppError('in_use', `The call is ${call.status}. Its recording can be deleted when it is over.`)
      }
      // The row first: a link to what is gone would be worse than sound that nobody finds, which the next attempt removes.
      await clearRecording(database, callId, clock.now())
      await blobs.remove(prefixOf(callId))
    },

    describe,

    async settle(callId) {
      if (SAFE_ID.test(callId)) await blobs.removeDrafts(prefixOf(callId))
      return await describe(callId)
    },

    async removeAll(callId) {
      if (SAFE_ID.test(callId)) await blobs.remove(prefixOf(callId))
    },
  }
}

/** Finds calls with a recording for those who may hear them. */
function createRecordingFinder({ database, blobs, links }: RecordingServiceDependencies) {
  async function layoutOf(callId: string): Promise<RecordingLayout | null> {
    return SAFE_ID.test(callId) ? readLayout(await blobs.list(prefixOf(callId))) : null
  }

  async function find(actor: Actor, right: Right, callId: string): Promise<RecordedCall> {
    return checkReach(actor, right, { what: 'call', id: callId, row: await findRecordedCall(database.read, callId) })
  }

  async function recorded(call: RecordedCall | null): Promise<RecordingLayout> {
    const layout = isReadable(call) ? await layoutOf(call.call_id) : null
    if (layout === null) throw new AppError('not_found', 'This call has no recording.')
    return layout
  }

  async function callFor(reader: RecordingReader, callId: string): Promise<RecordedCall | null> {
    if ('actor' in reader) return await find(reader.actor, 'read', callId)
    const { expires, signature } = reader.link
    if (await links.isValid(callId, expires, signature)) return await findRecordedCall(database.read, callId)
    throw new AppError('forbidden', 'This link is not good any more; read the call again for a new one.')
  }

  async function describe(callId: string): Promise<RecordingInfo | null> {
    const layout = await layoutOf(callId)
    if (layout === null) return null
    const { sizeBytes } = openWavFile(blobs, layout, 'stereo')
    return { rateHz: layout.rateHz, durationMs: durationMsOf(layout), sizeBytes }
  }

  return { find, recorded, callFor, describe }
}
