/** Calls with agents in a browser. */
export type { Call } from './call.ts'
export type { CallEvents, CallTranscript } from './call-events.ts'
export { CallProblem, type CallProblemCode } from './call-problem.ts'
export { type CallDevice, type CallDevices, devices } from './devices.ts'
export { type ListenToCallOptions, listenToCall } from './listen-to-call.ts'
export type { MonitoredCall, MonitoredCallEvents } from './monitored-call.ts'
export { type StartCallOptions, startCall } from './start-call.ts'
