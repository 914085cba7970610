import { afterEach, describe, expect, test, vi } from 'vitest'
import { openCallAudio } from './call-audio.ts'

afterEach(() => vi.unstubAllGlobals())

/** Creates a browser with one microphone; `createContext` creates its `AudioContext`. */
function createBrowser(createContext: () => object) {
  const track = Object.assign(new EventTarget(), { isStopped: false, enabled: true, stop: () => undefined })
  track.stop = () => {
    track.isStopped = true
    return undefined
  }
  const stream = { getTracks: () => [track], getAudioTracks: () => [track] }
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: async () => stream } })
  vi.stubGlobal(
    'AudioWorkletNode',
    class {
      readonly port = { postMessage: () => undefined, onmessage: null }
      connect(): void {}
      disconnect(): void {}
    },
  )
  vi.stubGlobal('AudioContext', function Context() {
    return createContext()
  })
  return track
}

const createWorkingContext = () => ({
  audioWorklet: { addModule: async () => undefined },
  createMediaStreamSource: () => ({ connect: () => undefined, disconnect: () => undefined }),
  close: async () => undefined,
})

async function openAudio() {
  const lostEvents: string[] = []
  const audio = await openCallAudio({
    microphone: null,
    speaker: null,
    onMessage: () => undefined,
    onMicrophoneLost: () => lostEvents.push('lost'),
  })
  return { audio, lostEvents }
}

describe('openCallAudio', () => {
  test.each([
    [
      'has no context left',
      () => {
        throw new DOMException('Too many contexts.', 'NotSupportedError')
      },
    ],
    [
      'does not load the worklet',
      () => ({ ...createWorkingContext(), audioWorklet: { addModule: async () => Promise.reject(new Error('No.')) } }),
    ],
  ])('rejects and releases the microphone if the browser %s', async (_name, createContext) => {
    const track = createBrowser(createContext)
    await expect(openAudio()).rejects.toMatchObject({ name: 'CallProblem', code: 'unsupported_browser' })
    expect(track.isStopped).toBe(true)
  })
})

test('CallAudio removes a microphone that was unplugged', async () => {
  const track = createBrowser(createWorkingContext)
  const { audio, lostEvents } = await openAudio()
  expect(audio.track).toBe(track)
  track.dispatchEvent(new Event('ended'))
  expect([audio.track, lostEvents]).toEqual([null, ['lost']])
})
