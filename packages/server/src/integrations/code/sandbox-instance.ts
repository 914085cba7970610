import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import release from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { webAssembly } from '../../kernel/work/threads.ts'

/** Cast because the package's types describe its CommonJS form, where the variant is nested one level deeper. */
const variant = release as unknown as QuickJSSyncVariant

/** Discards the interpreter's output, which can contain customer data. The types lack these two options. */
const DISCARD_OUTPUT: object = { print: () => {}, printErr: () => {} }

/** A page is 64 KiB. The interpreter starts with 16 MiB. */
const INITIAL_PAGES = 256
/** Hard limit of 64 MiB, in case the interpreter's own memory limit fails. */
const MAX_PAGES = 1024

/** An interpreter with its own memory. */
export interface SandboxInstance {
  readonly interpreter: QuickJSWASMModule
  /** Whether the memory has grown. Memory never shrinks. */
  hasGrown(): boolean
}

/** Compiles the interpreter once. The returned function creates an instance. */
export async function loadInterpreter(): Promise<() => Promise<SandboxInstance>> {
  const file = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
  const wasmModule = await webAssembly.compile(await readFile(file))
  return async () => {
    const memory = new webAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAX_PAGES })
    const initialBytes = memory.buffer.byteLength
    const instanceVariant = newVariant(variant, {
      wasmModule: () => Promise.resolve(wasmModule),
      wasmMemory: () => Promise.resolve(memory),
      emscriptenModule: DISCARD_OUTPUT,
    })
    const interpreter = await newQuickJSWASMModuleFromVariant(instanceVariant)
    return { interpreter, hasGrown: () => memory.buffer.byteLength > initialBytes }
  }
}
