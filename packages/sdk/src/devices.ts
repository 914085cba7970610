import { CallProblem, createMicrophoneProblem } from './call-problem.ts'

/** A microphone or loudspeaker. `label` is empty until the page has had microphone access. */
export interface CallDevice {
  readonly deviceId: string
  readonly label: string
}

export interface CallDevices {
  readonly microphones: readonly CallDevice[]
  /** Loudspeakers. Empty if only the system can select one. */
  readonly speakers: readonly CallDevice[]
}

/** Lists the audio devices. */
export async function devices(): Promise<CallDevices> {
  const audioDevices = (await navigator.mediaDevices?.enumerateDevices()) ?? []
  const filterByKind = (kind: MediaDeviceKind): CallDevice[] => {
    return audioDevices
      .filter((device) => device.kind === kind && device.deviceId !== '')
      .map(({ deviceId, label }) => ({ deviceId, label }))
  }
  return {
    microphones: filterByKind('audioinput'),
    speakers: 'setSinkId' in AudioContext.prototype ? filterByKind('audiooutput') : [],
  }
}

/** Opens a microphone with the browser's audio processing. Rejects with a `CallProblem`. */
export async function openMicrophone(deviceId: string | null): Promise<MediaStream> {
  if (!isSecureContext) throw new CallProblem('insecure_context')
  if (!navigator.mediaDevices) throw new CallProblem('unsupported_browser')
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        channelCount: 1,
        ...(deviceId === null ? {} : { deviceId: { exact: deviceId } }),
      },
    })
  } catch (error) {
    throw createMicrophoneProblem(error)
  }
}
