import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { countFrameSamples, type LegRateHz } from '@parley/engine/audio/frame'
import type { VoiceClassifier } from '@parley/engine/voice/ports'
import type { VoiceClassifiers } from '../features/calls/public.ts'
import { type WasmMemory, webAssembly } from '../kernel/work/threads.ts'

/** The strictest mode, with the fewest false positives. */
const MODE = 3
const MAX_FRAME_SAMPLES = 640

/** Functions of the WebAssembly module. Export names depend on the build, so the package version is pinned. */
interface ModuleExports {
  readonly memory: WasmMemory
  readonly initialize: () => void
  readonly allocate: (bytes: number) => number
  readonly create: () => number
  readonly free: (state: number) => void
  readonly setMode: (state: number, mode: number) => number
  readonly setRate: (state: number, rateHz: number) => number
  readonly process: (state: number, samples: number, count: number) => number
}

let classifiersPromise: Promise<VoiceClassifiers> | null = null

/**
 * Loads the voice classifiers of this process. All calls share one WebAssembly instance. Each call needs 744 bytes of state.
 * Each frame takes about 2 µs.
 */
export function loadVoiceClassifiers(): Promise<VoiceClassifiers> {
  classifiersPromise ??= instantiateModule().catch((error: unknown) => {
    // A temporary read error must not affect later calls.
    classifiersPromise = null
    throw error
  })
  return classifiersPromise
}

async function instantiateModule(): Promise<VoiceClassifiers> {
  const file = fileURLToPath(import.meta.resolve('@echogarden/fvad-wasm/fvad.wasm'))
  const { instance } = await webAssembly.instantiate(new Uint8Array(await readFile(file)), {
    a: { a: rejectSystemCall, b: () => 0 },
  })
  const { c, d, e, f, h, j, k, l } = instance.exports
  const namedExports = { memory: c, initialize: d, create: e, allocate: f, free: h, setMode: j, setRate: k, process: l }
  const module = namedExports as unknown as ModuleExports
  module.initialize()
  const inputPointer = module.allocate(MAX_FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT)
  // The memory never grows, so the view stays valid.
  const samples = new Int16Array(module.memory.buffer, inputPointer, MAX_FRAME_SAMPLES)
  return { open: (rateHz) => openClassifier(module, { inputPointer, samples }, rateHz) }
}

function rejectSystemCall(): never {
  throw new Error('The voice classifier aborted.')
}

interface InputBuffer {
  readonly inputPointer: number
  readonly samples: Int16Array
}

function openClassifier(
  module: ModuleExports,
  { inputPointer, samples }: InputBuffer,
  rateHz: LegRateHz,
): VoiceClassifier {
  const state = module.create()
  if (state === 0) throw new Error('The voice classifier is out of memory.')
  module.setMode(state, MODE)
  module.setRate(state, rateHz)
  const frameLength = countFrameSamples(rateHz)
  let isOpen = true
  return {
    isVoice(frame) {
      if (!isOpen || frame.length !== frameLength) return false
      samples.set(frame)
      return module.process(state, inputPointer, frameLength) === 1
    },
    close() {
      if (isOpen) module.free(state)
      isOpen = false
    },
  }
}
