import { deleteCallRecording, getCallRecording, getCallRecordingPeaks } from '@parley/contract/call-recording'
import { type Api, ByteContent, implement } from '../../kernel/api/implement.ts'
import type { RecordingService } from './recording-service.ts'

/** Registers the operations of recordings. */
export function registerRecordingRoutes(api: Api, service: RecordingService): void {
  implement(
    api,
    getCallRecording,
  )(async ({ path, query }, { actor }) => {
    const { channel, signature, expires = '0' } = query
    // An authenticated actor needs no link, and an expired one is harmless.
    const isKnown = actor.credentialId !== ''
    const reader = isKnown || signature === undefined ? { actor } : { link: { expires, signature } }
    const { sizeBytes, version, read } = await service.file(reader, path.callId, channel)
    return new ByteContent({ contentType: 'audio/wav', sizeBytes, version, filename: `${path.callId}.wav`, read })
  })

  implement(api, getCallRecordingPeaks)(async ({ path }, { actor }) => await service.peaks(actor, path.callId))

  implement(
    api,
    deleteCallRecording,
  )(async ({ path }, { actor }) => {
    await service.remove(actor, path.callId)
    return undefined
  })
}
