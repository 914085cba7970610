/** What the rest of the server may use of this feature. */

export { createCommunityVoiceService } from './community-voice-service.ts'
export { createVoiceCatalogue, type VoiceCatalogue } from './voice-catalogue.ts'
export type {
  AccountVoice,
  FoundVoice,
  PreviewOutcome,
  PreviewSpeaker,
  ProvidedVoice,
  ProvidedVoices,
  VoiceDirectories,
  VoiceDirectory,
  VoiceFailure,
  VoiceOutcome,
  VoiceToAdd,
} from './voice-ports.ts'
export { createVoicePreviewService } from './voice-preview-service.ts'
export { registerVoicePreviewRoutes, registerVoiceRoutes } from './voice-routes.ts'
export type { VoiceToSpeak } from './voice-to-speak.ts'
