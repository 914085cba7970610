import type { BrowserContext, Page } from 'playwright-core'
import type { Recording } from '../speech-server/wav-audio.ts'

/** Both sides of a call in the page, sample by sample on the page's audio clock. */
export interface PageRecording {
  readonly microphone: Recording
  readonly agent: Recording
  /** Delay from the page to the loudspeaker, as reported by the browser. */
  readonly outputDelayMs: number
}

const RECORDING_RATE_HZ = 16_000

/** A second audio processor in the thread of the call, with the same input. */
const RECORDER_PROCESSOR = `registerProcessor('page-recording', class extends AudioWorkletProcessor {
  phase = 0
  count = 0
  sums = [0, 0]
  chunk = new Int16Array(640)
  filled = 0
  process([microphone, agent], [output]) {
    const { length } = output[0]
    for (let index = 0; index < length; index += 1) {
      this.sums[0] += microphone[0] ? microphone[0][index] : 0
      this.sums[1] += agent[0] ? agent[0][index] : 0
      this.count += 1
      this.phase += ${RECORDING_RATE_HZ}
      if (this.phase < sampleRate) continue
      this.phase -= sampleRate
      for (const sum of this.sums) {
        this.chunk[this.filled] = Math.max(-32768, Math.min(32767, Math.round((sum / this.count) * 32768)))
        this.filled += 1
      }
      this.sums = [0, 0]
      this.count = 0
      if (this.filled < this.chunk.length) continue
      this.port.postMessage(this.chunk)
      this.filled = 0
    }
    return true
  }
})`

/** Page script that inserts the processor between microphone and loudspeaker, and records server messages with their times. */
const INSTALL_RECORDER = `(() => {
  window.tape = { chunks: [], messages: [], outputDelayMs: 0 }
  const addModule = AudioWorklet.prototype.addModule
  AudioWorklet.prototype.addModule = async function (...settings) {
    await addModule.call(this, URL.createObjectURL(new Blob([${JSON.stringify(RECORDER_PROCESSOR)}], { type: 'text/javascript' })))
    await addModule.apply(this, settings)
  }
  let recorder = null
  const connect = AudioNode.prototype.connect
  AudioNode.prototype.connect = function (target, ...settings) {
    if (this instanceof AudioWorkletNode && target === this.context.destination) {
      recorder = new AudioWorkletNode(this.context, 'page-recording', { numberOfInputs: 2 })
      recorder.port.onmessage = ({ data }) => {
        tape.chunks.push(data)
        tape.outputDelayMs = (target.context.outputLatency || target.context.baseLatency || 0) * 1000
      }
      connect.call(recorder, target)
      connect.call(this, recorder, 0, 1)
    }
    if (this instanceof MediaStreamAudioSourceNode) connect.call(this, recorder, 0, 0)
    return connect.call(this, target, ...settings)
  }
  const Plain = WebSocket
  window.WebSocket = class extends Plain {
    constructor(...settings) {
      super(...settings)
      this.addEventListener('message', ({ data }) => {
        if (typeof data === 'string') tape.messages.push({ atMs: tape.chunks.length * 20, message: JSON.parse(data) })
      })
    }
  }
})()`

const READ = `(() => {
  const bytes = new Uint8Array(tape.chunks.length * 1280)
  for (const [index, chunk] of tape.chunks.entries()) bytes.set(new Uint8Array(chunk.buffer), index * 1280)
  let text = ''
  for (let from = 0; from < bytes.length; from += 32768) text += String.fromCharCode(...bytes.subarray(from, from + 32768))
  return btoa(text)
})()`

/**
 * Makes all pages of a browser context record their microphone and loudspeaker audio. The context must bypass content security
 * policies, because the processor is not a file of the page.
 */
export async function recordPages(context: BrowserContext): Promise<void> {
  await context.addInitScript(INSTALL_RECORDER)
}

/** Returns the current recording of a page. */
export async function readPageRecording(page: Page): Promise<PageRecording> {
  const bytes = Buffer.from(await page.evaluate<string>(READ), 'base64')
  const count = bytes.length / 4
  const [microphone, agent] = [new Int16Array(count), new Int16Array(count)]
  for (let index = 0; index < count; index += 1) {
    microphone[index] = bytes.readInt16LE(index * 4)
    agent[index] = bytes.readInt16LE(index * 4 + 2)
  }
  return {
    microphone: { samples: microphone, rateHz: RECORDING_RATE_HZ },
    agent: { samples: agent, rateHz: RECORDING_RATE_HZ },
    outputDelayMs: await page.evaluate<number>('tape.outputDelayMs'),
  }
}

/** Returns the server messages that a page received, each with its position in the recording. */
export async function readPageMessages(
  page: Page,
): Promise<readonly { readonly atMs: number; readonly message: Readonly<Record<string, unknown>> }[]> {
  return await page.evaluate('tape.messages')
}
