import type { Frame } from '../audio/frame.ts'
import type { OpenVoiceClassifier } from '../voice/ports.ts'
import { isScriptedVoice } from './scripted-transcriber.ts'

interface ScriptedClassifiers {
  readonly open: OpenVoiceClassifier
  countOpen(): number
}

/** Creates classifiers that answer during `push`, so that calls in virtual time stay deterministic. */
export function createScriptedClassifiers(isVoice: (frame: Frame) => boolean = isScriptedVoice): ScriptedClassifiers {
  let openCount = 0
  return {
    open(onResult) {
      let isOpen = true
      openCount += 1
      return {
        push(frame, startSample) {
          if (isOpen) onResult({ endSample: startSample + frame.length, probability: isVoice(frame) ? 1 : 0 })
        },
        close() {
          if (isOpen) openCount -= 1
          isOpen = false
        },
      }
    },
    countOpen: () => openCount,
  }
}
