export { createCallRecorders } from './call-recorders.ts'
export { createRecordingRemoval, type RecordingRemoval } from './recording-removal.ts'
export {
  createRecordingLinks,
  createRecordingService,
  type RecordingService,
  registerRecordingRoutes,
} from './recording-service.ts'
export { createSegmentQueue } from './segment-queue.ts'
