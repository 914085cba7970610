import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Returns the environment for worker threads and child processes. It only sets the compile cache, so that they start faster. */
export function getCompileCacheEnvironment(): NodeJS.ProcessEnv {
  const versionFolder = getCompileCacheDir()
  return versionFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(versionFolder) }
}

/** The parts of `WebAssembly` that this code uses. Node's types omit them. */

export interface WasmModule {
  readonly [Symbol.toStringTag]: string
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

type WasmImports = Readonly<Record<string, Readonly<Record<string, (...values: never[]) => number>>>>

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (module: WasmModule, imports: WasmImports) => WasmInstance
  /** Sizes in pages of 64 KiB. */
  readonly Memory: new (pages: {
    readonly initial: number
    readonly maximum: number
  }) => WasmMemory
  compile(bytes: Uint8Array): Promise<WasmModule>
  instantiate(bytes: Uint8Array, imports: WasmImports): Promise<{ readonly instance: WasmInstance }>
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
