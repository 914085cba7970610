export { createCallCountCompaction } from './call-counts.ts'
export { type Calls, createCalls } from './calls.ts'
export { createLiveCalls, type LiveCalls } from './live/live-calls.ts'
export {
  type FindVoice,
  getTranscriberRequest,
  type TranscriberRequest,
  type TurnDetectors,
  type VoiceClassifiers,
  type WorkspaceSpeech,
} from './live/live-ports.ts'
export type {
  CallerAdmission,
  CallRecorders,
  CallRejection,
  ListenerAdmission,
  LiveCallHost,
  StartedCall,
} from './live-calls.ts'
export { buildTranscript } from './records/call-stats.ts'
