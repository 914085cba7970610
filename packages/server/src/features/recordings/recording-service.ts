import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Right } from '@parley/contract/access'
import {
  deleteCallRecording,
  getCallRecording,
  getCallRecordingPeaks,
  type RecordingPeaks,
} from '@parley/contract/call-recording'
import { type Actor, checkReach } from '../../kernel/access/actor.ts'
import { type Api, ByteContent, implement } from '../../kernel/api/implement.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { isLive } from '../../tables/call-tables.ts'
import { durationMsOf, prefixOf, type RecordingLayout, readLayout } from './recording-layout.ts'
import {
  computePeaks,
  openWavFile,
  type RecordingChannel,
  readStoredPeaks,
  storePeaks,
  type WavFile,
} from './wav-file.ts'

/** The parts of a call that matter for its recording. */
export interface RecordedCall {
  readonly call_id: string
  readonly workspace_id: number
  readonly status: string
  /** The recording column; null when removed or never recorded. */
  readonly recording: string | null
}

const callById = prepareQuery<{ callId: string }, RecordedCall>((reader, slot) =>
  reader
    .selectFrom('calls')
    .select(['call_id', 'workspace_id', 'status', 'recording'])
    .where('call_id', '=', slot('callId')),
)

export async function findRecordedCall(reader: Reader, callId: string): Promise<RecordedCall | null> {
  const [row] = await callById(reader, { callId })
  return row ?? null
}

/** Whether the audio may be read: removed recordings are inaccessible at once, before the files are deleted. */
export function isReadable(call: RecordedCall | null): call is RecordedCall {
  return call !== null && (call.recording !== null || isLive(call))
}

/** Calls of a workspace that may have audio: those that were joined. */
export async function joinedCallsOf(transaction: Transaction, workspaceId: number): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('calls')
    .select('call_id')
    .where('workspace_id', '=', workspaceId)
    .where('started_at', 'is not', null)
    .execute()
  return rows.map(({ call_id }) => call_id)
}

/** Marks the call as having no recording. */
async function clearRecording(
  database: Pick<Database, 'batch' | 'compile'>,
  callId: string,
  now: number,
): Promise<void> {
  const query = database.compile
    .updateTable('calls')
    .set({ recording: null, recording_url: null, updated_at: now })
    .where('call_id', '=', callId)
    .compile()
  await database.batch([{ query }])
}

/** Links to recordings that need no token. */
interface RecordingLinks {
  /**
   * Returns a function that creates links for one response. They are valid for 24 to 25 hours and stay equal within an
   * hour, so that browsers can cache.
   */
  signer(): Promise<(callId: string) => string>
  /** Whether the signature belongs to an unexpired link. Compares in constant time. */
  isValid(callId: string, expires: string, signature: string): Promise<boolean>
}

interface RecordingLinksOptions {
  /** Installation key: all nodes sign with the same one. */
  readonly key: () => Promise<Uint8Array>
  readonly clock: Omit<SharedClock, 'after'>
  /** Public base URL of this API. */
  readonly baseUrl: () => string
}

const HOUR_MS = 3_600_000
const VALID_FOR_MS = 24 * HOUR_MS

export function createRecordingLinks({ key, clock, baseUrl }: RecordingLinksOptions): RecordingLinks {
  /** The prefix separates these signatures from others. */
  const sign = (secret: Uint8Array, callId: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`recording.${callId}.${expires}`).digest()

  return {
    async signer() {
      const secret = await key()
      const expires = String((Math.floor((clock.now() + VALID_FOR_MS) / HOUR_MS) + 1) * HOUR_MS)
      return (callId) => {
        const signature = sign(secret, callId, expires).toString('base64url')
        return `${baseUrl()}/api/v1/calls/${callId}/recording?expires=${expires}&signature=${signature}`
      }
    },
    async isValid(callId, expires, signature) {
      const expected = sign(await key(), callId, expires)
      const given = Buffer.from(signature, 'base64url')
      return given.length === expected.length && timingSafeEqual(given, expected) && Number(expires) > clock.now()
    },
  }
}

interface RecordingServiceDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile'>
  readonly blobs: BlobStore
  readonly links: Pick<RecordingLinks, 'isValid'>
  readonly clock: Omit<SharedClock, 'after'>
}

/** The recording column of a call's row. */
interface RecordingInfo {
  readonly rateHz: number
  readonly durationMs: number
  /** Of the stereo file. */
  readonly sizeBytes: number
}

/** Who requests a recording: an actor, or the holder of a link. */
type RecordingReader =
  | { readonly actor: Actor }
  | { readonly link: { readonly expires: string; readonly signature: string } }

interface RecordingFile extends WavFile {
  /** Changes while the recording grows. */
  readonly version: string
}

export interface RecordingService {
  file(reader: RecordingReader, callId: string, channel: RecordingChannel): Promise<RecordingFile>
  peaks(actor: Actor, callId: string): Promise<RecordingPeaks>
  remove(actor: Actor, callId: string): Promise<void>
  /** The stored audio of a call; `null` without any. Callers check access. */
  describe(callId: string): Promise<RecordingInfo | null>
  /** Removes partial writes of a dead node and describes the remaining audio. */
  settle(callId: string): Promise<RecordingInfo | null>
  /** Deletes the stored audio of a call. Callers check access. */
  removeAll(callId: string): Promise<void>
}

/** Ids that could not be part of a key belong to no call. */
const SAFE_ID = /^[A-Za-z0-9_]{1,190}$/

export function createRecordingService(dependencies: RecordingServiceDependencies): RecordingService {
  const { database, blobs, clock } = dependencies
  const { find, recorded, callFor, describe } = createRecordingFinder(dependencies)
  /** Peaks in progress, shared by concurrent requests. */
  const pending = new Map<string, Promise<RecordingPeaks>>()

  async function peaksOf(call: RecordedCall): Promise<RecordingPeaks> {
    const callId = call.call_id
    const isEnded = !isLive(call)
    const layout = await recorded(call)
    const storedPeaks = isEnded ? await readStoredPeaks(blobs, callId) : null
    // The last segments may have been written after the call ended.
    if (storedPeaks !== null && storedPeaks.durationMs === durationMsOf(layout)) return storedPeaks
    const peaks = await computePeaks(blobs, layout)
    // They can be recomputed.
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
        throw new AppError('in_use', `The call is ${call.status}. Its recording can be deleted after it ends.`)
      }
      // The row first: a dangling link would be worse than orphaned audio, which the next attempt deletes.
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

/** Finds calls with a recording for readers who may listen. */
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
    throw new AppError('forbidden', 'This link is invalid or has expired. Read the call again for a new link.')
  }

  async function describe(callId: string): Promise<RecordingInfo | null> {
    const layout = await layoutOf(callId)
    if (layout === null) return null
    const { sizeBytes } = openWavFile(blobs, layout, 'stereo')
    return { rateHz: layout.rateHz, durationMs: durationMsOf(layout), sizeBytes }
  }

  return { find, recorded, callFor, describe }
}

/** Registers the operations of recordings. */
export function registerRecordingRoutes(api: Api, service: RecordingService): void {
  implement(api, getCallRecording, async ({ path, query }, { actor }) => {
    const { channel, signature, expires = '0' } = query
    // An authenticated actor needs no link, and an expired one is harmless.
    const isKnown = actor.credentialId !== ''
    const reader = isKnown || signature === undefined ? { actor } : { link: { expires, signature } }
    const { sizeBytes, version, read } = await service.file(reader, path.callId, channel)
    return new ByteContent({ contentType: 'audio/wav', sizeBytes, version, filename: `${path.callId}.wav`, read })
  })

  implement(api, getCallRecordingPeaks, ({ path }, { actor }) => service.peaks(actor, path.callId))

  implement(api, deleteCallRecording, ({ path }, { actor }) => service.remove(actor, path.callId))
}
