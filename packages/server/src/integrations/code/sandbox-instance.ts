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

/** The package's types describe its CommonJS form, where the variant is one step further in. */
const variant = release as unknown as QuickJSSyncVariant

/** What the interpreter says when it gives up may hold the customer's data. The types leave these two out. */
const SILENT: object = { print: () => {}, printErr: () => {} }

/** A page is 64 KiB. The interpreter asks for 16 MiB to begin with. */
const INITIAL_PAGES = 256
/** 64 MiB: what the interpreter may ever have, should its own count of memory fail. */
const MAX_PAGES = 1024

/** An interpreter with a memory of its own. */
export interface SandboxInstance {
  readonly interpreter: QuickJSWASMModule
  /** Whether its memory is larger than at the beginning. It never shrinks. */
  hasGrown(): boolean
}

/** Compiles the interpreter once; each call of the result makes an instance. */
export async function loadInterpreter(): Promise<() => Promise<SandboxInstance>> {
  const file = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
  const compiled = await webAssembly.compile(await readFile(file))
  return async () => {
    const memory = new webAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAX_PAGES })
    const initialBytes = memory.buffer.byteLength
    const own = newVariant(variant, {
      wasmModule: () => Promise.resolve(compiled),
      wasmMemory: () => Promise.resolve(memory),
      emscriptenModule: SILENT,
    })
    const interpreter = await newQuickJSWASMModuleFromVariant(own)
    return { interpreter, hasGrown: () => memory.buffer.byteLength > initialBytes }
  }
}
