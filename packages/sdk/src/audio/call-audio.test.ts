import { afterEach, describe, expect, test, vi } from 'vitest'
import { openCallAudio } from './call-audio.ts'

afterEach(() => vi.unstubAllGlobals())

/** A browser that can open one microphone; `makeContext` is its `AudioContext`. */
function browser(makeContext: () => object) {
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
    return makeContext()
  })
  return track
}

const workingContext = () => ({
  audioWorklet: { addModule: async () => undefined },
  createMediaStreamSource: () => ({ connect: () => undefined, disconnect: () => undefined }),
  close: async () => undefined,
})

async function open() {
  const lost: string[] = []
  const audio = await openCallAudio({
    microphone: null,
    speaker: null,
    onMessage: () => undefined,
    onMicrophoneLost: () => lost.push('lost'),
  })
  return { audio, lost }
}

describe('a browser that opens the microphone and then no sound', () => {
  test.each([
    [
      'has no context left',
      () => {
        throw new DOMException('Too many contexts.', 'NotSupportedError')
      },
    ],
    [
      'does not load the worklet',
      () => ({ ...workingContext(), audioWorklet: { addModule: async () => Promise.reject(new Error('No.')) } }),
    ],
  ])('%s: that is a problem, and the microphone is let go', async (_what, makeContext) => {
    const track = browser(makeContext)
    await expect(open()).rejects.toMatchObject({ name: 'CallProblem', code: 'unsupported_browser' })
    expect(track.isStopped).toBe(true)
  })
})

test('a microphone that was pulled out is none any more', async () => {
  const track = browser(workingContext)
  const { audio, lost } = await open()
  expect(audio.track).toBe(track)
  track.dispatchEvent(new Event('ended'))
  expect([audio.track, lost]).toEqual([null, ['lost']])
})
