/** What the rest of the server may use of this feature. */

export { createCallRecorders } from './call-recorders.ts'
export { createRecordingLinks } from './recording-links.ts'
export { createRecordingRemoval, type RecordingRemoval } from './recording-removal.ts'
export { registerRecordingRoutes } from './recording-routes.ts'
export { createRecordingService, type RecordingService } from './recording-service.ts'
export { createSegmentQueue } from './segment-queue.ts'
