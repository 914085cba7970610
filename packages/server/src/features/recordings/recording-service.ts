import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Right } from '@parley/contract/access'
import {
  deleteCallRecording,
  getCallRecording,
  getCallRecordingPeaks,
  type RecordingPeaks,
} from '@parley/contract/call-recording'
import { type Actor, requireRowAccess } from '../../kernel/access/actor.ts'
import { type Api, ByteContent, implement } from '../../kernel/api/implement.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { isLive } from '../../tables/call-tables.ts'
import { computeDurationMs, getRecordingPrefix, parseLayout, type RecordingLayout } from './recording-layout.ts'
import {
  computePeaks,
  openWavFile,
  type RecordingChannel,
  readStoredPeaks,
  storePeaks,
  type WavFile,
} from './wav-file.ts'

/** The fields of a call that are needed to access its recording. */
export interface RecordedCall {
  readonly call_id: string
  readonly workspace_id: number
  readonly status: string
  /** The recording column, or null if the recording was removed or never existed. */
  readonly recording: string | null
}

const selectCallById = prepareQuery<{ callId: string }, RecordedCall>((reader, param) =>
  reader
    .selectFrom('calls')
    .select(['call_id', 'workspace_id', 'status', 'recording'])
    .where('call_id', '=', param('callId')),
)

export async function findRecordedCall(reader: Reader, callId: string): Promise<RecordedCall | null> {
  const [row] = await selectCallById(reader, { callId })
  return row ?? null
}

/** Whether the audio may be read. Removed recordings become inaccessible immediately, before their files are deleted. */
export function isReadable(call: RecordedCall | null): call is RecordedCall {
  return call !== null && (call.recording !== null || isLive(call))
}

/** Returns the ids of the workspace's joined calls. Only joined calls can have audio. */
export async function findJoinedCallIds(transaction: Transaction, workspaceId: number): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('calls')
    .select('call_id')
    .where('workspace_id', '=', workspaceId)
    .where('started_at', 'is not', null)
    .execute()
  return rows.map(({ call_id }) => call_id)
}

/** Clears the recording columns of a call. */
async function clearRecording(
  database: Pick<Database, 'batch' | 'queryBuilder'>,
  callId: string,
  now: number,
): Promise<void> {
  const query = database.queryBuilder
    .updateTable('calls')
    .set({ recording: null, recording_url: null, updated_at: now })
    .where('call_id', '=', callId)
    .compile()
  await database.batch([{ query }])
}

/** Creates and verifies signed recording links, which need no API token. */
interface RecordingLinks {
  /**
   * Returns a function that creates links for one response. Links are valid for 24 to 25 hours and do not change within an
   * hour, so that browsers can cache the recordings.
   */
  createSigner(): Promise<(callId: string) => string>
  /** Whether the signature belongs to an unexpired link. Compares in constant time. */
  isValid(callId: string, expires: string, signature: string): Promise<boolean>
}

interface RecordingLinksOptions {
  /** Returns the installation key. All nodes sign with the same key. */
  readonly getKey: () => Promise<Uint8Array>
  readonly clock: Omit<SharedClock, 'after'>
  /** Returns the public base URL of this API. */
  readonly getBaseUrl: () => string
}

const HOUR_MS = 3_600_000
const LINK_TTL_MS = 24 * HOUR_MS

export function createRecordingLinks({ getKey, clock, getBaseUrl }: RecordingLinksOptions): RecordingLinks {
  /** The prefix prevents the reuse of signatures that the same key created for other purposes. */
  const sign = (secret: Uint8Array, callId: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`recording.${callId}.${expires}`).digest()

  return {
    async createSigner() {
      const secret = await getKey()
      const expires = String((Math.floor((clock.now() + LINK_TTL_MS) / HOUR_MS) + 1) * HOUR_MS)
      return (callId) => {
        const signature = sign(secret, callId, expires).toString('base64url')
        return `${getBaseUrl()}/api/v1/calls/${callId}/recording?expires=${expires}&signature=${signature}`
      }
    },
    async isValid(callId, expires, signature) {
      const expectedSignature = sign(await getKey(), callId, expires)
      const actualSignature = Buffer.from(signature, 'base64url')
      return (
        actualSignature.length === expectedSignature.length &&
        timingSafeEqual(actualSignature, expectedSignature) &&
        Number(expires) > clock.now()
      )
    },
  }
}

interface RecordingServiceDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'queryBuilder'>
  readonly blobs: BlobStore
  readonly links: Pick<RecordingLinks, 'isValid'>
  readonly clock: Omit<SharedClock, 'after'>
}

/** The value of a call's recording column. */
interface RecordingInfo {
  readonly rateHz: number
  readonly durationMs: number
  /** Size of the stereo file. */
  readonly sizeBytes: number
}

/** The requester of a recording, who is an actor or has a signed link. */
type RecordingRequester =
  | { readonly actor: Actor }
  | { readonly link: { readonly expires: string; readonly signature: string } }

interface RecordingFile extends WavFile {
  /** Changes while the recording grows. */
  readonly version: string
}

export interface RecordingService {
  openFile(requester: RecordingRequester, callId: string, channel: RecordingChannel): Promise<RecordingFile>
  readPeaks(actor: Actor, callId: string): Promise<RecordingPeaks>
  remove(actor: Actor, callId: string): Promise<void>
  /** Describes the stored audio of a call, or returns null if there is none. Callers must check access. */
  describe(callId: string): Promise<RecordingInfo | null>
  /** Removes partial writes of a crashed node and describes the remaining audio. */
  finalize(callId: string): Promise<RecordingInfo | null>
  /** Deletes the stored audio of a call. Callers must check access. */
  removeAll(callId: string): Promise<void>
}

/** Matches ids that are safe in a blob key. No call has any other id. */
const SAFE_ID = /^[A-Za-z0-9_]{1,190}$/

export function createRecordingService(dependencies: RecordingServiceDependencies): RecordingService {
  const { database, blobs, clock } = dependencies
  const { find, requireRecording, findCallForReader, describe } = createRecordingFinder(dependencies)
  /** Peaks being computed. Concurrent requests share them. */
  const pendingPeaks = new Map<string, Promise<RecordingPeaks>>()

  async function getPeaks(call: RecordedCall): Promise<RecordingPeaks> {
    const callId = call.call_id
    const isEnded = !isLive(call)
    const layout = await requireRecording(call)
    const storedPeaks = isEnded ? await readStoredPeaks(blobs, callId) : null
    // The stored peaks are outdated if segments were written after the call ended.
    if (storedPeaks !== null && storedPeaks.durationMs === computeDurationMs(layout)) return storedPeaks
    const peaks = await computePeaks(blobs, layout)
    // A failure is ignored, because the peaks can be recomputed.
    if (isEnded) await storePeaks(blobs, callId, peaks).catch(() => undefined)
    return peaks
  }

  return {
    async openFile(requester, callId, channel) {
      const layout = await requireRecording(await findCallForReader(requester, callId))
      const { sizeBytes, read } = openWavFile(blobs, layout, channel)
      return { sizeBytes, read, version: `${channel}-${layout.dataBytes}-${layout.segments.size}` }
    },

    async readPeaks(actor, callId) {
      const call = await find(actor, 'read', callId)
      const peaksPromise = pendingPeaks.get(callId) ?? getPeaks(call).finally(() => pendingPeaks.delete(callId))
      pendingPeaks.set(callId, peaksPromise)
      return await peaksPromise
    },

    async remove(actor, callId) {
      const call = await find(actor, 'admin', callId)
      if (isLive(call)) {
        throw new AppError('in_use', `The call is ${call.status}. Its recording can be deleted after it ends.`)
      }
      // The row is updated first, because a dangling link would be worse than orphaned audio.
      await clearRecording(database, callId, clock.now())
      await blobs.remove(getRecordingPrefix(callId))
    },

    describe,

    async finalize(callId) {
      if (SAFE_ID.test(callId)) await blobs.removeDrafts(getRecordingPrefix(callId))
      return await describe(callId)
    },

    async removeAll(callId) {
      if (SAFE_ID.test(callId)) await blobs.remove(getRecordingPrefix(callId))
    },
  }
}

/** Creates the functions that find recordings and check access to them. */
function createRecordingFinder({ database, blobs, links }: RecordingServiceDependencies) {
  async function readCallLayout(callId: string): Promise<RecordingLayout | null> {
    return SAFE_ID.test(callId) ? parseLayout(await blobs.list(getRecordingPrefix(callId))) : null
  }

  async function findCall(actor: Actor, right: Right, callId: string): Promise<RecordedCall> {
    return requireRowAccess(actor, right, {
      resourceName: 'call',
      id: callId,
      row: await findRecordedCall(database.read, callId),
    })
  }

  async function requireRecording(call: RecordedCall | null): Promise<RecordingLayout> {
    const layout = isReadable(call) ? await readCallLayout(call.call_id) : null
    if (layout === null) throw new AppError('not_found', 'This call has no recording.')
    return layout
  }

  async function findCallForRequester(requester: RecordingRequester, callId: string): Promise<RecordedCall | null> {
    if ('actor' in requester) return await findCall(requester.actor, 'read', callId)
    const { expires, signature } = requester.link
    if (await links.isValid(callId, expires, signature)) return await findRecordedCall(database.read, callId)
    throw new AppError('forbidden', 'This link is invalid or has expired. Get the call again to receive a new link.')
  }

  async function describe(callId: string): Promise<RecordingInfo | null> {
    const layout = await readCallLayout(callId)
    if (layout === null) return null
    const { sizeBytes } = openWavFile(blobs, layout, 'stereo')
    return { rateHz: layout.rateHz, durationMs: computeDurationMs(layout), sizeBytes }
  }

  return { find: findCall, requireRecording, findCallForReader: findCallForRequester, describe }
}

export function registerRecordingRoutes(api: Api, service: RecordingService): void {
  implement(api, getCallRecording, async ({ path, query }, { actor }) => {
    const { channel, signature, expires = '0' } = query
    // An authenticated actor needs no link, so the signature is not checked.
    const isAuthenticated = actor.credentialId !== ''
    const requester = isAuthenticated || signature === undefined ? { actor } : { link: { expires, signature } }
    const { sizeBytes, version, read } = await service.openFile(requester, path.callId, channel)
    return new ByteContent({ contentType: 'audio/wav', sizeBytes, version, filename: `${path.callId}.wav`, read })
  })

  implement(api, getCallRecordingPeaks, ({ path }, { actor }) => service.readPeaks(actor, path.callId))

  implement(api, deleteCallRecording, ({ path }, { actor }) => service.remove(actor, path.callId))
}
