export { createCommunityVoiceService } from './community-voice-service.ts'
export { createVoiceCatalog, type VoiceCatalog } from './voice-catalog.ts'
export type {
  AccountVoice,
  ListedVoice,
  LoadSample,
  PreviewOutcome,
  PreviewSpeaker,
  ResolvedVoice,
  SharedVoice,
  VendorVoice,
  VendorVoices,
  VoiceDirectories,
  VoiceDirectory,
  VoiceFailure,
  VoiceOutcome,
  VoiceSearchResult,
} from './voice-ports.ts'
export { createVoicePreviewService } from './voice-preview-service.ts'
export { registerVoicePreviewRoutes, registerVoiceRoutes } from './voice-routes.ts'
