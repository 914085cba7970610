import { createResampler } from '@parley/engine/audio/resampler'
import { openParentChannel, receiveFrames, sendFrame, yieldToServer } from '../../process-channel.ts'
import { loadMoonshineModel, MODEL_RATE_HZ, type MoonshineModel } from './moonshine-model.ts'
import type { Recognition, RecognitionHeader, RecognizerResponse } from './moonshine-protocol.ts'

/** Lower priority than the server's, so that recognition does not delay the audio of calls. Higher than that of documents. */
const NICENESS = 3
/** The process ends beyond this size and starts again when needed. Normal audio never reaches it. */
const MAX_RESIDENT_BYTES = 1_200 * 1024 * 1024
const FULL_SCALE = 32_768

/** Runs the process that recognizes speech, one request at a time, until its channel ends. */
async function runRecognizer(): Promise<void> {
  yieldToServer(NICENESS)
  const channel = openParentChannel()
  const respond = (response: RecognizerResponse): void => sendFrame(channel, response)
  const model = await loadMoonshineModel()
  receiveFrames<RecognitionHeader>(channel, ({ value, bytes }) => {
    // A failed recognition is unexpected and ends the process, which the server reports and starts again.
    void recognize(model, value, toSamples(bytes)).then((recognition) => {
      respond({ kind: 'recognition', ...recognition })
      if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) channel.end(() => process.exit(0))
    })
  })
  respond({ kind: 'ready' })
}

function toSamples({ buffer, byteOffset, byteLength }: Uint8Array): Int16Array {
  return new Int16Array(buffer, byteOffset, byteLength / Int16Array.BYTES_PER_ELEMENT)
}

function recognize(
  model: MoonshineModel,
  { rateHz, draft }: RecognitionHeader,
  samples: Int16Array,
): Promise<Recognition> {
  const resampler = createResampler(rateHz, MODEL_RATE_HZ)
  const start = resampler.push(samples)
  const end = resampler.flush()
  const audio = new Float32Array(start.length + end.length)
  for (let index = 0; index < start.length; index += 1) audio[index] = (start[index] as number) / FULL_SCALE
  for (let index = 0; index < end.length; index += 1) audio[start.length + index] = (end[index] as number) / FULL_SCALE
  return model.recognize(audio, draft)
}

await runRecognizer()
