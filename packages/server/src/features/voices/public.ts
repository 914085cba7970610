/** What the rest of the server may use of this feature. */

export { createCommunityVoiceService } from './community-voice-service.ts'
export type { ResolvedVoice } from './resolved-voice.ts'
export { createVoiceCatalog, type VoiceCatalog } from './voice-catalog.ts'
export type {
  AccountVoice,
  FoundVoice,
  PreviewOutcome,
  PreviewSpeaker,
  SharedVoice,
  VendorVoice,
  VendorVoices,
  VoiceDirectories,
  VoiceDirectory,
  VoiceFailure,
  VoiceOutcome,
} from './voice-ports.ts'
export { createVoicePreviewService } from './voice-preview-service.ts'
export { registerVoicePreviewRoutes, registerVoiceRoutes } from './voice-routes.ts'
