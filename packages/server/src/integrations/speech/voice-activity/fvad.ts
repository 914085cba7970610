import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { countFrameSamples, type Frame, type LegRateHz } from '@parley/engine/audio/frame'
import { type WasmMemory, webAssembly } from '../../../kernel/work/threads.ts'

/** The modes of the detector: 0 misses the least speech, and 3 accepts the least noise. */
export type FvadMode = 0 | 1 | 2 | 3
const MAX_FRAME_SAMPLES = 640

/** Opens energy-based detectors, which are fast but accept many noises. */
export interface Fvad {
  /** Opens a detector for one caller. Throws an error if too many detectors are open (about 20,000). */
  open(rateHz: LegRateHz, mode: FvadMode): FvadDetector
}

/** Detects voice in the frames of one caller and keeps state between frames. */
export interface FvadDetector {
  /** Returns false for frames of another size, and after `close`. */
  isVoice(frame: Frame): boolean
  setMode(mode: FvadMode): void
  close(): void
}

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

let fvadPromise: Promise<Fvad> | null = null

/**
 * Loads the detector of this process. All calls share one WebAssembly instance. Each call needs 744 bytes of state. Each frame
 * takes about 2 µs.
 */
export function loadFvad(): Promise<Fvad> {
  fvadPromise ??= instantiateModule().catch((error: unknown) => {
    // A temporary read error must not affect later calls.
    fvadPromise = null
    throw error
  })
  return fvadPromise
}

async function instantiateModule(): Promise<Fvad> {
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
  return { open: (rateHz, mode) => openDetector(module, { inputPointer, samples }, { rateHz, mode }) }
}

function rejectSystemCall(): never {
  throw new Error('The voice detector aborted.')
}

interface InputBuffer {
  readonly inputPointer: number
  readonly samples: Int16Array
}

function openDetector(
  module: ModuleExports,
  { inputPointer, samples }: InputBuffer,
  { rateHz, mode }: { readonly rateHz: LegRateHz; readonly mode: FvadMode },
): FvadDetector {
  const state = module.create()
  if (state === 0) throw new Error('The voice detector is out of memory.')
  module.setMode(state, mode)
  module.setRate(state, rateHz)
  const frameLength = countFrameSamples(rateHz)
  let isOpen = true
  return {
    isVoice(frame) {
      if (!isOpen || frame.length !== frameLength) return false
      samples.set(frame)
      return module.process(state, inputPointer, frameLength) === 1
    },
    setMode(newMode) {
      if (isOpen) module.setMode(state, newMode)
    },
    close() {
      if (isOpen) module.free(state)
      isOpen = false
    },
  }
}
