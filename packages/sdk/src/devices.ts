import { CallProblem, microphoneProblem } from './call-problem.ts'

/** A microphone or loudspeaker. `label` is empty until the page had access to a microphone. */
export interface CallDevice {
  readonly deviceId: string
  readonly label: string
}

export interface CallDevices {
  readonly microphones: readonly CallDevice[]
  /** Empty if only the system can choose. */
  readonly speakers: readonly CallDevice[]
}

/** Lists the audio devices. */
export async function devices(): Promise<CallDevices> {
  const found = (await navigator.mediaDevices?.enumerateDevices()) ?? []
  const ofKind = (kind: MediaDeviceKind): CallDevice[] => {
    return found
      .filter((device) => device.kind === kind && device.deviceId !== '')
      .map(({ deviceId, label }) => ({ deviceId, label }))
  }
  return {
    microphones: ofKind('audioinput'),
    speakers: 'setSinkId' in AudioContext.prototype ? ofKind('audiooutput') : [],
  }
}

/** Opens a microphone with the browser's audio processing; rejects with a `CallProblem`. */
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
    throw microphoneProblem(error)
  }
}
